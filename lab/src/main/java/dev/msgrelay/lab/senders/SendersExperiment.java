package dev.msgrelay.lab.senders;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.lab.ArticleFigures;
import dev.msgrelay.lab.Chart;
import dev.msgrelay.lab.Chart.Axis;
import dev.msgrelay.lab.Claim;
import dev.msgrelay.lab.Column;
import dev.msgrelay.lab.Contestant;
import dev.msgrelay.lab.Contestant.Go;
import dev.msgrelay.lab.Contestant.Opener;
import dev.msgrelay.lab.Experiment;
import dev.msgrelay.lab.LabTable;
import dev.msgrelay.lab.Measurement;
import dev.msgrelay.lab.Needs;
import dev.msgrelay.lab.Plots;
import dev.msgrelay.lab.TableResult;
import dev.msgrelay.lab.WrongResultException;
import dev.msgrelay.lab.senders.Clients.SendFigures;
import dev.msgrelay.lab.senders.WorkerServer.SendAlgorithm;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Compares ways to send files to many clients: a worker for each client, or workers that send parts in turn. */
public final class SendersExperiment {
    static final Column CLIENTS = Column.plain("clients", "");
    static final Column INITIAL = Column.lower("initial time", "s");
    static final Column SPEED = Column.higher("speed, largest file", "MB/s");
    static final Column THROUGHPUT = Column.higher("total throughput", "MB/s");
    static final List<Column> SHOWN = List.of(INITIAL, SPEED, THROUGHPUT);

    private static final String SIMPLE = "SimpleBlocking";
    private static final String NON_BLOCKING = "EqualNonBlocking";
    private static final String NON_BLOCKING_CORES = "EqualNonBlocking, a worker per core";
    private static final String BLOCKING = "EqualBlocking 81k";

    /**
     * The article's figures for clients that read as fast as possible. It does not give the part size of EqualBlocking;
     * 81 KB is its default.
     */
    private static final ArticleFigures ARTICLE = ArticleFigures.of(SHOWN, """
            SimpleBlocking, 50 clients     |  0.019 | 4.36 | 208.76
            EqualNonBlocking, 50 clients   |  0.021 | 4.15 | 198.79
            EqualBlocking 81k, 50 clients  |  0.018 | 4.23 | 202.29
            SimpleBlocking, 100 clients    |  4.666 | 4.32 | 212.79
            EqualNonBlocking, 100 clients  |  0.048 | 1.84 | 168.15
            EqualBlocking 81k, 100 clients |  0.140 | 1.96 | 175.71
            SimpleBlocking, 200 clients    | 14.288 | 4.31 | 208.59
            EqualNonBlocking, 200 clients  |  0.108 | 0.87 | 144.69
            EqualBlocking 81k, 200 clients |  0.264 | 0.97 | 158.83
            """);

    private static final List<Long> QUICK_FILES = List.of(1_000L, 200_000L, 500_000L, 1_000_000L);
    private static final List<Long> FILES = List.of(1_000L, 200_000L, 500_000L, 1_000_000L, 20_000_000L, 100_000_000L);

    private final List<Integer> clients;
    private final int workers;
    private final int cores = Runtime.getRuntime().availableProcessors();
    private final List<Long> sizes;
    private final Duration duration;

    private SendersExperiment(Experiment.Settings settings) {
        clients = settings.quick() ? List.of(16) : List.of(50, 100, 200, 300);
        workers = settings.quick() ? 4 : 50;
        sizes = settings.quick() ? QUICK_FILES : FILES;
        duration = settings.duration(Duration.ofSeconds(5), Duration.ofMillis(250));
    }

    public static Experiment of(Experiment.Settings settings) {
        SendersExperiment senders = new SendersExperiment(settings);
        int most = Collections.max(senders.clients);
        return new Experiment(
                "senders",
                "Which way sends files to many clients best: a thread each, or threads that take turns?",
                "Algorithms of grizzly-sendfile",
                "clients and server on one laptop (four cores, by its comments), Java 6; a pool of 50; HTTP; ten minutes each",
                // Descriptors: two for both ends of a connection, and one for its file. Threads: the workers, the
                // server's selector, and the clients.
                new Needs(
                        senders.sizes.stream().mapToLong(size -> size).sum(),
                        3 * most + 64,
                        Math.min(most, senders.workers) + 2),
                () -> List.of(senders.table()),
                () -> {});
    }

    private LabTable table() {
        List<Contestant> contestants = new ArrayList<>();
        for (int n : clients) {
            contestants.add(contestant(n, SIMPLE, SendAlgorithm.SIMPLE_BLOCKING, workers));
            contestants.add(contestant(n, NON_BLOCKING, SendAlgorithm.EQUAL_NON_BLOCKING, workers));
            contestants.add(contestant(n, NON_BLOCKING_CORES, SendAlgorithm.EQUAL_NON_BLOCKING, cores));
            contestants.add(contestant(n, BLOCKING, new SendAlgorithm(true, WorkerServer.BUFFER_SIZE), workers));
            contestants.add(contestant(n, "EqualBlocking 40k", new SendAlgorithm(true, 40 * 1024), workers));
        }
        return new LabTable(
                "unthrottled",
                format(
                        "clients read as fast as they can; a pool of %d (%d cores); files of %s KB in turn; socket buffers"
                                + " %d KiB; %d ms a go",
                        workers,
                        cores,
                        sizes.stream().map(size -> format("%,.0f", size / 1e3)).collect(Collectors.joining(", ")),
                        WorkerServer.BUFFER_SIZE / 1024,
                        duration.toMillis()),
                SHOWN,
                contestants,
                ARTICLE,
                result -> Claim.judge(claims(), result),
                List.of(
                        byClients("time to the first byte", Axis.log("s"), INITIAL),
                        byClients("total throughput", Axis.linear("MB/s"), THROUGHPUT)));
    }

    private static Function<TableResult, Chart> byClients(String title, Axis axis, Column column) {
        return Plots.ofRows(title, Axis.linear("clients"), CLIENTS, axis, column);
    }

    private Contestant contestant(int n, String name, SendAlgorithm algorithm, int threads) {
        int buffer = WorkerServer.BUFFER_SIZE;
        Downloads go = new Downloads(
                files -> new WorkerServer(files, algorithm, threads, buffer),
                sizes,
                n,
                buffer,
                duration,
                Downloads.PATIENCE);
        return new Contestant(name, n + " clients", go::go);
    }

    private List<Claim> claims() {
        String start = "with more downloads than workers, SimpleBlocking's initial time goes to extreme heights";
        String single = "SimpleBlocking's downloads are faster one by one";
        String total = "EqualBlocking performs better than EqualNonBlocking";
        String latency = "EqualNonBlocking has the smaller latency than EqualBlocking";
        List<Claim> claims = new ArrayList<>();
        for (int n : clients) {
            if (n > workers) {
                claims.add(better(start, INITIAL, NON_BLOCKING, SIMPLE, n));
            }
            claims.add(better(single, SPEED, SIMPLE, BLOCKING, n));
            claims.add(better(total, THROUGHPUT, BLOCKING, NON_BLOCKING, n));
            claims.add(better(latency, INITIAL, NON_BLOCKING, BLOCKING, n));
        }
        String cores = "(a comment) a pool as large as the number of cores is better";
        claims.add(better(cores, THROUGHPUT, NON_BLOCKING_CORES, NON_BLOCKING, Collections.max(clients)));
        return claims;
    }

    private static Claim better(String text, Column column, String better, String worse, int n) {
        String setting = n + " clients";
        return Claim.better(text, column, Contestant.label(better, setting), Contestant.label(worse, setting));
    }

    /**
     * Measures one way of sending: a server is started, and all clients request files for some time. Every byte that
     * they receive is compared.
     *
     * @param socketBuffer bytes of each client's receive buffer; 0: the operating system's default
     * @param patience time without any data after which a download has failed
     */
    record Downloads(
            Opener<List<SentFile>, WorkerServer> opener,
            List<Long> sizes,
            int clients,
            int socketBuffer,
            Duration duration,
            Duration patience) {
        /** Time after which data arrives even on a busy machine. */
        static final Duration PATIENCE = Duration.ofSeconds(10);

        Measurement go(Go go) throws IOException, InterruptedException, WrongResultException {
            List<SentFile> files = SentFile.in(go.scratch(), sizes);
            Duration time = go.time(duration);
            int largest = sizes.indexOf(Collections.max(sizes));
            // Clients are closed first, which ends a server's write that waits for one of them.
            try (WorkerServer server = opener.open(files);
                    Clients group = new Clients(clients, files, socketBuffer, server.port())) {
                long start = System.nanoTime();
                long from = start + time.dividedBy(5).toNanos();
                group.runUntil(from, new SendFigures(largest, start));
                SendFigures figures = new SendFigures(largest, System.nanoTime());
                long end = from + time.toNanos();
                group.runUntil(end, figures);
                // On a busy machine, a short go may be over before anything arrives.
                while (figures.bytes() == 0 && System.nanoTime() - end < patience.toNanos()) {
                    group.runUntil(System.nanoTime() + time.toNanos(), figures);
                }
                group.finishFigures(figures);
                awaitEnds(group, System.nanoTime(), largest);
                if (figures.bytes() == 0) {
                    throw new WrongResultException("nothing arrived within " + patience.toSeconds() + " s");
                }
                return Measurement.of(CLIENTS, clients)
                        .and(INITIAL, figures.initialSeconds())
                        .and(SPEED, figures.speed())
                        .and(THROUGHPUT, figures.throughput());
            }
        }

        /**
         * Waits until every client has received data since {@code moment}, or is between two files. If a server stops
         * within a file, its client gets no more data.
         */
        private void awaitEnds(Clients group, long moment, int largest)
                throws IOException, InterruptedException, WrongResultException {
            long deadline = System.nanoTime() + patience.toNanos();
            while (group.isStalledSince(moment)) {
                if (System.nanoTime() > deadline) {
                    throw new WrongResultException(
                            "a file did not come to its end within " + patience.toSeconds() + " s");
                }
                long now = System.nanoTime();
                group.runUntil(now + 20_000_000, new SendFigures(largest, now));
            }
        }
    }
}
