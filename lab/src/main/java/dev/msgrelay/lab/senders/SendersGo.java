package dev.msgrelay.lab.senders;

import dev.msgrelay.lab.Column;
import dev.msgrelay.lab.Contestant.Go;
import dev.msgrelay.lab.Measurement;
import dev.msgrelay.lab.Opener;
import dev.msgrelay.lab.WrongResultException;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;

/**
 * One way of sending, with so many clients: a server is started, all clients ask at once and go on asking for a while; every
 * byte that they got is compared with the files.
 *
 * @param sizes of the files
 * @param socketBuffer bytes of each client's receive buffer; 0 leaves it to the operating system
 * @param patience a file of which nothing more comes for so long does not come
 */
record SendersGo(
        Opener<List<SentFile>, WorkerServer> opener,
        List<Long> sizes,
        int clients,
        int socketBuffer,
        Duration duration,
        Duration patience) {
    static final Column CLIENTS = Column.plain("clients", "");
    static final Column INITIAL = Column.lower("initial time", "s");
    static final Column SPEED = Column.higher("speed, largest file", "MB/s");
    static final Column THROUGHPUT = Column.higher("total throughput", "MB/s");

    static final List<Column> SHOWN = List.of(INITIAL, SPEED, THROUGHPUT);

    /** How long a busy machine may take until something arrives. */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final Duration LOOK = Duration.ofMillis(20);

    Measurement go(Go go) throws IOException, InterruptedException, WrongResultException {
        List<SentFile> files = SentFile.in(go.scratch(), sizes);
        Duration time = go.time(duration);
        int largest = sizes.indexOf(Collections.max(sizes));
        // Clients are closed first: whoever is stuck in a write to one of them gets out of it.
        try (WorkerServer server = opener.open(files);
                Clients group = new Clients(clients, files, socketBuffer, server.port())) {
            group.start();
            long start = System.nanoTime();
            long from = start + time.dividedBy(5).toNanos();
            group.runUntil(from, new SendFigures(largest, start));
            SendFigures figures = new SendFigures(largest, System.nanoTime());
            long end = from + time.toNanos();
            group.runUntil(end, figures);
            // A machine that does other things may need longer than a short go.
            while (figures.bytes() == 0 && System.nanoTime() - end < patience.toNanos()) {
                group.runUntil(System.nanoTime() + time.toNanos(), figures);
            }
            group.end(figures);
            awaitEnds(group, end, largest);
            if (figures.bytes() == 0) {
                throw new WrongResultException("nothing arrived within " + patience.toSeconds() + " s");
            }
            return Measurement.of(CLIENTS, clients)
                    .and(INITIAL, figures.initialSeconds())
                    .and(SPEED, figures.speed())
                    .and(THROUGHPUT, figures.throughput());
        }
    }

    /** A server that stops within a file shows by clients that never hear of it again. */
    private void awaitEnds(Clients group, long end, int largest)
            throws IOException, InterruptedException, WrongResultException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (group.isStalledSince(end)) {
            if (System.nanoTime() > deadline) {
                throw new WrongResultException("a file did not come to its end within " + patience.toSeconds() + " s");
            }
            long now = System.nanoTime();
            group.runUntil(now + LOOK.toNanos(), new SendFigures(largest, now));
        }
    }
}
