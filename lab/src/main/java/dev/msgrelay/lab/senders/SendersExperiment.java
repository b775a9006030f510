package dev.msgrelay.lab.senders;

import static dev.msgrelay.lab.senders.SendersGo.INITIAL;
import static dev.msgrelay.lab.senders.SendersGo.THROUGHPUT;
import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.lab.ArticleFigures;
import dev.msgrelay.lab.Claim;
import dev.msgrelay.lab.Column;
import dev.msgrelay.lab.Contestant;
import dev.msgrelay.lab.Experiment;
import dev.msgrelay.lab.LabTable;
import dev.msgrelay.lab.Needs;
import dev.msgrelay.lab.Plots;
import dev.msgrelay.lab.TableResult;
import dev.msgrelay.loadgen.render.Chart;
import dev.msgrelay.loadgen.render.Chart.Axis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Files are sent to many clients: by a worker each, by workers in parts. */
public final class SendersExperiment {
    private static final String SIMPLE = "SimpleBlocking";
    private static final String NON_BLOCKING = "EqualNonBlocking";
    private static final String NON_BLOCKING_CORES = "EqualNonBlocking, a worker per core";
    private static final String BLOCKING = "EqualBlocking 81k";
    private static final String BLOCKING_40 = "EqualBlocking 40k";

    /** Clients read as fast as they can. The article does not tell the part of EqualBlocking; 81 KB is its default. */
    private static final ArticleFigures ARTICLE = ArticleFigures.of(SendersGo.SHOWN, """
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
                // Both ends of a connection, and a file of its own; the workers, the selector's thread and the
                // clients'.
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
            contestants.add(contestant(n, NON_BLOCKING_CORES, SendAlgorithm.EQUAL_NON_BLOCKING, cores()));
            contestants.add(contestant(n, BLOCKING, SendAlgorithm.equalBlocking(WorkerServer.BUFFER_SIZE), workers));
            contestants.add(contestant(n, BLOCKING_40, SendAlgorithm.equalBlocking(40 * 1024), workers));
        }
        return new LabTable(
                "unthrottled",
                format(
                        "clients read as fast as they can; a pool of %d (%d cores); files of %s KB in turn; socket buffers"
                                + " %d KiB; %d ms a go",
                        workers,
                        cores(),
                        sizes.stream().map(size -> format("%,.0f", size / 1e3)).collect(Collectors.joining(", ")),
                        WorkerServer.BUFFER_SIZE / 1024,
                        duration.toMillis()),
                SendersGo.SHOWN,
                contestants,
                ARTICLE,
                result -> Claim.judge(claims(), result),
                List.of(
                        byClients("time to the first byte", Plots.log("s"), INITIAL),
                        byClients("total throughput", Plots.linear("MB/s"), THROUGHPUT)));
    }

    private static Function<TableResult, Chart> byClients(String title, Axis axis, Column column) {
        return Plots.ofRows(title, Plots.linear("clients"), SendersGo.CLIENTS, axis, column);
    }

    private static int cores() {
        return Runtime.getRuntime().availableProcessors();
    }

    /** Socket buffers are as large as the server's own. */
    private Contestant contestant(int n, String name, SendAlgorithm algorithm, int threads) {
        int buffer = WorkerServer.BUFFER_SIZE;
        SendersGo go = new SendersGo(
                files -> new WorkerServer(files, algorithm, threads, buffer),
                sizes,
                n,
                buffer,
                duration,
                SendersGo.PATIENCE);
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
            claims.add(better(single, SendersGo.SPEED, SIMPLE, BLOCKING, n));
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
}
