package dev.msgrelay.loadgen.lab.batching;

import dev.msgrelay.loadgen.lab.Article;
import dev.msgrelay.loadgen.lab.Chart;
import dev.msgrelay.loadgen.lab.ChartSeries;
import dev.msgrelay.loadgen.lab.Claims;
import dev.msgrelay.loadgen.lab.Column;
import dev.msgrelay.loadgen.lab.Contestant;
import dev.msgrelay.loadgen.lab.Experiment;
import dev.msgrelay.loadgen.lab.LabOptions;
import dev.msgrelay.loadgen.lab.LabTable;
import dev.msgrelay.loadgen.lab.Needs;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

/** {@code batching}: does smart batching keep latency down where threads that write themselves queue for a lock? */
public final class BatchingExperiment implements Experiment {
    private static final int BURSTS = 500;
    private static final int QUICK_BURSTS = 60;
    private static final int EXCHANGED = 1_000_000;
    private static final int QUICK_EXCHANGED = 300_000;
    private static final int QUEUE = 64 << 10;

    /** A relay, its connections and its event loop: generously. */
    private static final int DESCRIPTORS = 64;

    /** A batching thread and a receiver, besides the producers. */
    private static final int OTHERS = 2;

    private final BatchingOptions options;

    public BatchingExperiment(BatchingOptions options) {
        this.options = options;
    }

    @Override
    public String name() {
        return "batching";
    }

    @Override
    public String question() {
        return "Does smart batching keep latency down where threads that write themselves queue for a lock?";
    }

    @Override
    public Article article() {
        return new Article(
                "Smart Batching (Mechanical Sympathy)",
                2011,
                "a worked example on paper: 10 messages, a device of 100 us; no measurement");
    }

    @Override
    public Needs needs(LabOptions lab) {
        int producers = Stream.concat(options.producers().stream(), Stream.of(BatchingOptions.ARRIVING))
                .max(Integer::compare)
                .orElseThrow();
        return new Needs(0, DESCRIPTORS, producers + OTHERS);
    }

    @Override
    public List<LabTable> tables(LabOptions lab) {
        return List.of(
                workedExample(lab.quick() ? QUICK_BURSTS : BURSTS),
                threads(),
                load(),
                exchange(lab.quick() ? QUICK_EXCHANGED : EXCHANGED));
    }

    private LabTable workedExample(int bursts) {
        List<Contestant> rows = new ArrayList<>();
        for (Way way : Way.values()) {
            rows.add(new BurstContestant(way, options, bursts));
        }
        return new LabTable(
                "burst",
                "The worked example: 10 threads send a message each at the same time to a device that takes 100 us a"
                        + " packet",
                BurstContestant.COLUMNS,
                rows,
                BatchingClaims.workedExample(),
                List.of(),
                BatchingClaims::judgeBurst);
    }

    private LabTable threads() {
        List<Contestant> rows = new ArrayList<>();
        for (Way way : Way.values()) {
            for (int producers : options.producers()) {
                rows.add(new LoadContestant(way, options, producers, 0));
            }
        }
        return new LabTable(
                "threads",
                "Threads that send messages of " + options.body() + " bytes over loopback as fast as they can",
                List.of(LoadContestant.DELIVERED, LoadContestant.MEDIAN, LoadContestant.P99, LoadContestant.BATCH),
                rows,
                Claims.NONE,
                List.of(new Chart(
                        "Throughput as threads are added",
                        new Chart.Axis("threads", false),
                        new Chart.Axis("delivered, msg/s", false),
                        ChartSeries.ofRows(LoadContestant.PRODUCERS, LoadContestant.DELIVERED))),
                table -> BatchingClaims.judgeThreads(table, Collections.max(options.producers())));
    }

    private LabTable load() {
        List<Contestant> rows = new ArrayList<>();
        for (Way way : Way.values()) {
            for (int load : options.loads()) {
                rows.add(new LoadContestant(way, options, BatchingOptions.ARRIVING, load));
            }
        }
        return new LabTable(
                "load",
                "Messages of " + options.body() + " bytes that arrive in " + BatchingOptions.ARRIVING
                        + " threads at once, over loopback; latency from their arrival",
                List.of(LoadContestant.DELIVERED, LoadContestant.MEDIAN, LoadContestant.P99, LoadContestant.BATCH),
                rows,
                Claims.NONE,
                List.of(
                        chart("J-curve or bathtub: median latency as load grows", LoadContestant.MEDIAN),
                        chart("The same, 99th percentile", LoadContestant.P99)),
                table -> BatchingClaims.judgeLoad(table, options.loads()));
    }

    private static Chart chart(String title, Column latency) {
        return new Chart(
                title,
                new Chart.Axis("load, msg/s", true),
                new Chart.Axis(latency.name() + " latency, us", true),
                ChartSeries.ofRows(LoadContestant.LOAD, latency));
    }

    private static LabTable exchange(int messages) {
        return new LabTable(
                "exchange",
                "One thread hands messages to another, no device",
                List.of(ExchangeContestant.COST),
                List.of(
                        new ExchangeContestant(
                                BatchingClaims.LINKED,
                                () -> new QueueExchange(new ConcurrentLinkedQueue<>()),
                                messages),
                        new ExchangeContestant(
                                BatchingClaims.TRACKED, () -> new QueueExchange(new TrackedQueue<>(QUEUE)), messages),
                        new ExchangeContestant(
                                BatchingClaims.ARRAY,
                                () -> new QueueExchange(new ArrayBlockingQueue<>(QUEUE)),
                                messages),
                        new ExchangeContestant(BatchingClaims.RING, () -> new RingExchange(QUEUE), messages)),
                BatchingClaims.exchange(),
                List.of(),
                BatchingClaims::judgeExchange);
    }
}
