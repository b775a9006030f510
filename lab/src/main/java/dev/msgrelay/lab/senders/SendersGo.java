package dev.msgrelay.lab.senders;

import dev.msgrelay.lab.Column;
import dev.msgrelay.lab.Contestant.Go;
import dev.msgrelay.lab.Measurement;
import dev.msgrelay.lab.WrongResultException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * One way of sending, with so many clients: a server is started, all clients ask at once and go on asking for a while; every
 * byte that they got is compared with the files.
 */
record SendersGo(Starter starter, Files files, Load load) {
    static final Column CLIENTS = Column.plain("clients", "");
    static final Column INITIAL = Column.lower("initial time", "s");
    static final Column SPEED = Column.higher("speed, largest file", "MB/s");
    static final Column THROUGHPUT = Column.higher("total throughput", "MB/s");

    private static final Duration WARM_UP = Duration.ofSeconds(1);

    /** How long a busy machine may take until something arrives. */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final Duration LOOK = Duration.ofMillis(20);

    /** Starts a server. */
    @FunctionalInterface
    interface Starter {
        WorkerServer start(FileSet files) throws IOException;
    }

    /** Makes the files when the first asks for them. The frame's one thread. */
    static final class Files {
        private final List<Long> sizes;
        private FileSet files;
        private Path directory;

        Files(List<Long> sizes) {
            this.sizes = sizes;
        }

        FileSet in(Path scratch) throws IOException {
            if (!scratch.equals(directory)) {
                files = FileSet.create(scratch, sizes);
                directory = scratch;
            }
            return files;
        }
    }

    /**
     * @param socketBuffer bytes of each client's receive buffer; 0 leaves it to the operating system
     * @param patience a file of which nothing more comes for so long does not come
     */
    record Load(int clients, int socketBuffer, Duration leadIn, Duration duration, Duration patience) {
        Load shorter() {
            return duration.compareTo(WARM_UP) <= 0
                    ? this
                    : new Load(clients, socketBuffer, Duration.ZERO, WARM_UP, patience);
        }
    }

    Measurement go(Go go) throws IOException, InterruptedException, WrongResultException {
        return run(files.in(go.scratch()), go.isWarmUp() ? load.shorter() : load);
    }

    private Measurement run(FileSet set, Load how) throws IOException, InterruptedException, WrongResultException {
        // Clients are closed first: whoever is stuck in a write to one of them gets out of it.
        try (WorkerServer server = starter.start(set);
                ClientGroup clients = ClientGroup.connect(how.clients(), set, how.socketBuffer(), server.port())) {
            clients.start();
            long start = System.nanoTime();
            long from = start + how.leadIn().toNanos();
            clients.runUntil(from, new SendFigures(set.largest(), start));
            SendFigures figures = new SendFigures(set.largest(), System.nanoTime());
            long end = from + how.duration().toNanos();
            clients.runUntil(end, figures);
            // A machine that does other things may need longer than a short go.
            while (figures.bytes() == 0
                    && System.nanoTime() - end < how.patience().toNanos()) {
                clients.runUntil(System.nanoTime() + how.duration().toNanos(), figures);
            }
            figures.end(System.nanoTime(), clients.clients());
            // A server that stops within a file shows by clients that never hear of it again.
            long patience = System.nanoTime() + how.patience().toNanos();
            while (isStalled(clients, end) && System.nanoTime() < patience) {
                clients.runUntil(System.nanoTime() + LOOK.toNanos(), new SendFigures(set.largest(), System.nanoTime()));
            }
            if (isStalled(clients, end)) {
                throw new WrongResultException("a file did not come to its end within "
                        + how.patience().toSeconds() + " s");
            }
            if (figures.bytes() == 0) {
                throw new WrongResultException(
                        "nothing arrived within " + how.patience().toSeconds() + " s");
            }
            return Measurement.of(CLIENTS, how.clients())
                    .and(INITIAL, figures.initialSeconds())
                    .and(SPEED, figures.speed())
                    .and(THROUGHPUT, figures.throughput());
        }
    }

    private static boolean isStalled(ClientGroup clients, long moment) {
        return clients.clients().stream().anyMatch(client -> client.isStalledSince(moment));
    }
}
