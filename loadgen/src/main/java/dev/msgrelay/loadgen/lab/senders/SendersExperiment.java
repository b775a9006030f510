package dev.msgrelay.loadgen.lab.senders;

import dev.msgrelay.loadgen.lab.Article;
import dev.msgrelay.loadgen.lab.Chart;
import dev.msgrelay.loadgen.lab.ChartSeries;
import dev.msgrelay.loadgen.lab.Contestant;
import dev.msgrelay.loadgen.lab.Experiment;
import dev.msgrelay.loadgen.lab.LabOptions;
import dev.msgrelay.loadgen.lab.LabTable;
import dev.msgrelay.loadgen.lab.Needs;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Files are sent to many clients: by a worker each, by workers in parts, by one event loop. */
public final class SendersExperiment implements Experiment {
    static final String SIMPLE_TRANSFER = "SimpleBlocking, transferTo";
    static final String NON_BLOCKING_TRANSFER = "EqualNonBlocking, transferTo";
    static final String NON_BLOCKING_CORES = "EqualNonBlocking, copies, a worker per core";
    static final String BLOCKING_TRANSFER = "EqualBlocking 81k, transferTo";
    static final String LOOP = "event loop, copies";
    static final String LOOP_TRANSFER = "event loop, transferTo";

    private static final int KIBI = 1024;
    private static final int SMALL_PART = 40 * KIBI;
    private static final long MEGA = 1_000_000;

    /** Both ends of a connection, and a file of its own. */
    private static final int DESCRIPTORS_PER_CLIENT = 3;

    private static final int OTHER_DESCRIPTORS = 64;

    private final SendersOptions options;

    public SendersExperiment(SendersOptions options) {
        this.options = options;
    }

    @Override
    public String name() {
        return "senders";
    }

    @Override
    public String question() {
        return "who sends files to many clients best: a thread each, threads that take turns, or one event loop?";
    }

    @Override
    public Article article() {
        return SendersArticle.ARTICLE;
    }

    @Override
    public Needs needs(LabOptions lab) {
        int most = options.clients().stream().max(Integer::compare).orElse(0);
        return new Needs(
                options.files().stream().mapToLong(size -> size).sum(),
                most * DESCRIPTORS_PER_CLIENT + OTHER_DESCRIPTORS,
                // the workers, the selector's thread and the clients'
                Math.min(most, options.workers()) + 2);
    }

    @Override
    public List<LabTable> tables(LabOptions lab) {
        SendersGo.Files files = new SendersGo.Files(options);
        return options.limits().stream().map(limit -> table(limit, files)).toList();
    }

    private LabTable table(int limit, SendersGo.Files files) {
        List<Contestant> contestants = new ArrayList<>();
        Map<String, SendersGo.Starter> ways = ways();
        for (int clients : options.clients()) {
            SendersGo.Load load = new SendersGo.Load(
                    clients, new Client.Reading(limit * MEGA, socketBuffer()), options.leadIn(), options.duration());
            ways.forEach((name, starter) -> contestants.add(new SendersGo(name, starter, files, load)));
        }
        Chart.Axis clients = new Chart.Axis("clients", false);
        return new LabTable(
                limit == 0 ? "unthrottled" : "at-" + limit + "MBps",
                title(limit),
                List.of(SendersGo.INITIAL, SendersGo.SPEED, SendersGo.THROUGHPUT, SendersGo.CPU),
                contestants,
                SendersArticle.claims(limit),
                List.of(
                        new Chart(
                                "time to the first byte",
                                clients,
                                new Chart.Axis("s", true),
                                ChartSeries.ofRows(SendersGo.CLIENTS, SendersGo.INITIAL)),
                        new Chart(
                                "total throughput",
                                clients,
                                new Chart.Axis("MB/s", false),
                                ChartSeries.ofRows(SendersGo.CLIENTS, SendersGo.THROUGHPUT))),
                result -> SendersFindings.of(result, limit, options));
    }

    private String title(int limit) {
        return String.format(
                Locale.ROOT,
                "clients read %s; a pool of %d (%d cores); files of %s KB in turn; socket buffers %s; %d ms a go",
                limit == 0 ? "as fast as they can" : "at " + limit + " MB/s each",
                options.workers(),
                cores(),
                String.join(
                        ", ",
                        options.files().stream()
                                .map(size -> String.format(Locale.ROOT, "%,.0f", size / 1e3))
                                .toList()),
                options.socketKilobytes() == 0
                        ? "of the operating system's choice"
                        : options.socketKilobytes() + " KiB",
                options.duration().toMillis());
    }

    private int socketBuffer() {
        return options.socketKilobytes() * KIBI;
    }

    private static int cores() {
        return Runtime.getRuntime().availableProcessors();
    }

    private Map<String, SendersGo.Starter> ways() {
        Map<String, SendersGo.Starter> ways = new LinkedHashMap<>();
        ways.put(SendersArticle.SIMPLE, pool(new SimpleBlocking(), Copy.BUFFER, options.workers()));
        ways.put(SIMPLE_TRANSFER, pool(new SimpleBlocking(), Copy.TRANSFER_TO, options.workers()));
        ways.put(SendersArticle.NON_BLOCKING, pool(new EqualNonBlocking(), Copy.BUFFER, options.workers()));
        ways.put(NON_BLOCKING_CORES, pool(new EqualNonBlocking(), Copy.BUFFER, cores()));
        ways.put(NON_BLOCKING_TRANSFER, pool(new EqualNonBlocking(), Copy.TRANSFER_TO, options.workers()));
        ways.put(SendersArticle.BLOCKING, pool(new EqualBlocking(Copy.BUFFER_SIZE), Copy.BUFFER, options.workers()));
        ways.put(SendersArticle.BLOCKING_40, pool(new EqualBlocking(SMALL_PART), Copy.BUFFER, options.workers()));
        ways.put(BLOCKING_TRANSFER, pool(new EqualBlocking(Copy.BUFFER_SIZE), Copy.TRANSFER_TO, options.workers()));
        ways.put(LOOP, files -> new EventLoopServer(files, Copy.BUFFER, socketBuffer()));
        ways.put(LOOP_TRANSFER, files -> new EventLoopServer(files, Copy.TRANSFER_TO, socketBuffer()));
        return ways;
    }

    private SendersGo.Starter pool(SendAlgorithm algorithm, Copy copy, int workers) {
        return files -> new WorkerServer(files, algorithm, new WorkerServer.Setup(workers, copy, socketBuffer()));
    }
}
