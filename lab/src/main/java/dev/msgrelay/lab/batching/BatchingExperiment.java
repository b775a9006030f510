package dev.msgrelay.lab.batching;

import dev.msgrelay.lab.ArticleFigures;
import dev.msgrelay.lab.Chart;
import dev.msgrelay.lab.Chart.Axis;
import dev.msgrelay.lab.Claim;
import dev.msgrelay.lab.Column;
import dev.msgrelay.lab.Contestant;
import dev.msgrelay.lab.Experiment;
import dev.msgrelay.lab.Figure;
import dev.msgrelay.lab.LabTable;
import dev.msgrelay.lab.Needs;
import dev.msgrelay.lab.Plots;
import dev.msgrelay.lab.TableResult;
import dev.msgrelay.lab.Verdict;
import dev.msgrelay.lab.batching.Sender.Way;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;

/** {@code batching}: is latency lower with smart batching than if threads write themselves and wait for a lock? */
public final class BatchingExperiment {
    private static final List<Column> BURST = List.of(Burst.BEST, Burst.AVERAGE, Burst.WORST, Burst.PACKETS);
    private static final List<Column> LOAD = List.of(Load.DELIVERED, Load.MEDIAN, Load.P99, Load.BATCH);

    /** The article's table. Its average for the serial way is 500, but the mean of 100, 200 ... 1,000 is 550. */
    private static final ArticleFigures WORKED_EXAMPLE = ArticleFigures.of(BURST, """
            lock, one write a message         | 100 | 500 | 1000 | 10
            queue and batching thread         | 100 | 150 | 200  | 1-2
            Disruptor and NetworkBatchHandler | 100 | 150 | 200  | 1-2
            """);

    private static final String FEW_PACKETS = "a burst of 10 goes out in 1 to 2 packets";

    private static final List<Claim> BURST_CLAIMS = List.of(
            burst("the average latency of a burst is lower with smart batching", Burst.AVERAGE, Way.QUEUE, Way.SERIAL),
            burst("so is the worst one", Burst.WORST, Way.QUEUE, Way.SERIAL),
            burst(FEW_PACKETS, Burst.PACKETS, Way.QUEUE, Way.SERIAL).times(5, 10),
            burst(FEW_PACKETS, Burst.PACKETS, Way.DISRUPTOR, Way.SERIAL).times(5, 10),
            burst("the lowest latency is that of a thread that writes itself", Burst.BEST, Way.SERIAL, Way.QUEUE));

    private static final List<Way> BATCHING = List.of(Way.QUEUE, Way.DISRUPTOR, Way.RELAY);

    /** A way sustains a load if it delivers at least this share of it. */
    private static final double CARRIED = 0.95;

    /** In the article's example, a message that has to wait for another batch takes at most this factor longer. */
    private static final double CONSTANT = 2;

    /** Number of threads among which a load is divided. */
    private static final int ARRIVING = 8;

    private final List<Integer> producers;
    private final List<Integer> loads;
    private final Duration duration;
    private final int bursts;

    private BatchingExperiment(Experiment.Settings settings) {
        boolean quick = settings.quick();
        producers = quick ? List.of(1, 4, 16) : List.of(1, 2, 4, 8, 16);
        loads = quick ? List.of(20_000, 100_000, 400_000) : List.of(10_000, 50_000, 100_000, 200_000, 400_000, 800_000);
        duration = settings.duration(Duration.ofSeconds(1), Duration.ofMillis(150));
        bursts = quick ? 60 : 500;
    }

    public static Experiment of(Experiment.Settings settings) {
        BatchingExperiment batching = new BatchingExperiment(settings);
        return new Experiment(
                "batching",
                "Does smart batching keep latency down where threads that write themselves queue for a lock?",
                "Smart Batching (Mechanical Sympathy), 2011",
                "a worked example on paper: 10 messages, a device of 100 us; no measurement",
                // Two more threads than producers: one that batches, and one that receives.
                new Needs(0, 64, Collections.max(batching.producers) + 2),
                () -> List.of(batching.burst(), batching.threads(), batching.load()),
                () -> {});
    }

    private LabTable burst() {
        return new LabTable(
                "burst",
                "The worked example: 10 threads send a message each at the same time to a device that takes 100 us a"
                        + " packet",
                BURST,
                Stream.of(Way.values())
                        .map(way -> new Contestant(
                                way == Way.RELAY ? "relay, the device its subscriber" : way.text(),
                                "",
                                new Burst(way, bursts)::go))
                        .toList(),
                WORKED_EXAMPLE,
                table -> Claim.judge(BURST_CLAIMS, table),
                List.of());
    }

    private LabTable threads() {
        return new LabTable(
                "threads",
                "Threads that send messages of " + Sender.BODY + " bytes over loopback as fast as they can",
                LOAD,
                rows(producers, (way, threads) -> new Load(way, threads, 0, duration)),
                ArticleFigures.NONE,
                table -> judgeThreads(table, Load.threads(Collections.max(producers))),
                List.of(Plots.ofRows(
                        "Throughput as threads are added",
                        Axis.linear("threads"),
                        Load.PRODUCERS,
                        Axis.linear("delivered, msg/s"),
                        Load.DELIVERED)));
    }

    private LabTable load() {
        return new LabTable(
                "load",
                "Messages of " + Sender.BODY + " bytes that arrive in " + ARRIVING
                        + " threads at once, over loopback; latency from their arrival",
                LOAD,
                rows(loads, (way, rate) -> new Load(way, ARRIVING, rate, duration)),
                ArticleFigures.NONE,
                table -> judgeLoad(table, loads),
                List.of(
                        latencyByLoad("J-curve or bathtub: median latency as load grows", Load.MEDIAN),
                        latencyByLoad("The same, 99th percentile", Load.P99)));
    }

    private static List<Contestant> rows(List<Integer> settings, BiFunction<Way, Integer, Load> load) {
        return Stream.of(Way.values())
                .flatMap(way -> settings.stream().map(setting -> load.apply(way, setting)))
                .map(go -> new Contestant(go.way().text(), go.setting(), go::go))
                .toList();
    }

    private static Function<TableResult, Chart> latencyByLoad(String title, Column latency) {
        return Plots.ofRows(
                title, Axis.log("load, msg/s"), Load.LOAD, Axis.log(latency.name() + " latency, us"), latency);
    }

    private static Claim burst(String text, Column column, Way better, Way worse) {
        return Claim.better(text, column, better.text(), worse.text());
    }

    private static List<Verdict> judgeThreads(TableResult table, String most) {
        String text = "batching gives more throughput than a write a message";
        String lock = Contestant.label(Way.SERIAL.text(), most);
        return BATCHING.stream()
                .map(way -> Claim.better(text, Load.DELIVERED, Contestant.label(way.text(), most), lock)
                        .judge(table))
                .toList();
    }

    private static List<Verdict> judgeLoad(TableResult table, List<Integer> loads) {
        String text = "contention for the lock costs latency";
        Stream<Verdict> constant = BATCHING.stream().map(way -> bathtub(table, way, loads));
        return Stream.concat(constant, loads.stream().map(load -> Claim.better(
                                text, Load.P99, label(Way.QUEUE, load), label(Way.SERIAL, load))
                        .judge(table)))
                .toList();
    }

    /** Judges how much latency grew up to the highest load that this way sustained. */
    static Verdict bathtub(TableResult table, Way way, List<Integer> loads) {
        String text = "latency stays constant until the device is saturated";
        int carried = 0;
        for (int load : loads) {
            double delivered =
                    table.row(label(way, load)).figure(Load.DELIVERED).median();
            if (Double.isNaN(delivered) || delivered < CARRIED * load) {
                break;
            }
            carried = load;
        }
        if (carried <= loads.get(0)) {
            String little = carried == 0 ? " did not carry even the smallest load" : " carried only the smallest load";
            return Claim.undecided(text, way.text() + little);
        }
        String first = label(way, loads.get(0));
        String last = label(way, carried);
        Claim claim = Claim.equal(text, Load.MEDIAN, last, first, CONSTANT);
        String median = Figure.text(table.row(last).figure(Load.MEDIAN).median());
        return claim.judge(table)
                .after(way.text() + " carried up to " + Load.load(carried) + ", with a median latency of " + median
                        + " us there; ");
    }

    private static String label(Way way, int load) {
        return Contestant.label(way.text(), Load.load(load));
    }
}
