package dev.msgrelay.lab.batching;

import static dev.msgrelay.lab.batching.Burst.AVERAGE;
import static dev.msgrelay.lab.batching.Burst.BEST;
import static dev.msgrelay.lab.batching.Burst.PACKETS;
import static dev.msgrelay.lab.batching.Burst.WORST;
import static dev.msgrelay.lab.batching.Exchange.COST;
import static dev.msgrelay.lab.batching.Load.BATCH;
import static dev.msgrelay.lab.batching.Load.DELIVERED;
import static dev.msgrelay.lab.batching.Load.LOAD;
import static dev.msgrelay.lab.batching.Load.MEDIAN;
import static dev.msgrelay.lab.batching.Load.P99;
import static dev.msgrelay.lab.batching.Load.PRODUCERS;

import dev.msgrelay.lab.ArticleFigures;
import dev.msgrelay.lab.Claim;
import dev.msgrelay.lab.Column;
import dev.msgrelay.lab.Contestant;
import dev.msgrelay.lab.Experiment;
import dev.msgrelay.lab.LabTable;
import dev.msgrelay.lab.Needs;
import dev.msgrelay.lab.Numbers;
import dev.msgrelay.lab.Plots;
import dev.msgrelay.lab.TableResult;
import dev.msgrelay.lab.TableResult.Row;
import dev.msgrelay.lab.Verdict;
import dev.msgrelay.lab.batching.Sender.Wait;
import dev.msgrelay.lab.batching.Sender.Way;
import dev.msgrelay.loadgen.cli.Limits;
import dev.msgrelay.loadgen.load.LoadMessage;
import dev.msgrelay.loadgen.render.Chart;
import dev.msgrelay.loadgen.result.Spread;
import dev.msgrelay.protocol.FrameLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** {@code batching}: does smart batching keep latency down where threads that write themselves queue for a lock? */
@Command(
        name = "batching",
        description = {
            "Smart batching: one write a message under a lock; a queue and a batching thread; the Disruptor; the relay.",
            "A burst to a device of 100 us; threads that send as fast as they can; load that grows; the queue alone."
        })
public final class BatchingExperiment extends Experiment {
    private static final String RELAY_DEVICE = "relay, the device its subscriber";
    private static final String LINKED = "ConcurrentLinkedQueue";
    private static final String TRACKED = "ConcurrentLinkedQueue, size tracked";
    private static final String ARRAY = "ArrayBlockingQueue";
    private static final String RING = "Disruptor's ring";

    /** The article's table. Its average for the serial way is 500; the mean of 100, 200 ... 1,000 is 550. */
    private static final ArticleFigures WORKED_EXAMPLE = ArticleFigures.of(List.of(BEST, AVERAGE, WORST, PACKETS), """
            lock, one write a message         | 100 | 500 | 1000 | 10
            queue and batching thread         | 100 | 150 | 200  | 1-2
            Disruptor and NetworkBatchHandler | 100 | 150 | 200  | 1-2
            """);

    private static final List<Claim> BURST_CLAIMS = List.of(
            Claim.better(
                    "the average latency of a burst is lower with smart batching",
                    AVERAGE,
                    Way.QUEUE.text(),
                    Way.SERIAL.text()),
            Claim.better("so is the worst one", WORST, Way.QUEUE.text(), Way.SERIAL.text()),
            Claim.within("a burst goes out in 1 to 2 packets", PACKETS, Way.QUEUE.text(), 1, 2),
            Claim.within("a burst goes out in 1 to 2 packets", PACKETS, Way.DISRUPTOR.text(), 1, 2),
            Claim.better(
                    "the lowest latency is that of a thread that writes itself",
                    BEST,
                    Way.SERIAL.text(),
                    Way.QUEUE.text()),
            Claim.open(AVERAGE, Way.DISRUPTOR.text(), Way.QUEUE.text()),
            Claim.open(AVERAGE, RELAY_DEVICE, Way.DISRUPTOR.text()));

    private static final ArticleFigures EXCHANGE_FIGURES =
            ArticleFigures.of(List.of(COST), "Disruptor's ring | 50-100");

    private static final List<Claim> EXCHANGE_CLAIMS = List.of(
            Claim.better("tracking its size adds 50 % to the cost of the queue", COST, LINKED, TRACKED)
                    .times(1.5),
            Claim.within("an exchange over the Disruptor takes as little as 50 to 100 ns", COST, RING, 50, 100),
            Claim.open(COST, TRACKED, RING));

    /** A way carries a load as long as it delivers this share of it. */
    private static final double CARRIED = 0.95;

    /** What a batch that waits for the one before costs at most, in the article's own example. */
    private static final double CONSTANT = 2;

    /** Threads that share a load. */
    private static final int ARRIVING = 8;

    private static final int BODY = 100;
    private static final int MAX_BODY = 1_000_000;

    /** What Ethernet's MTU of 1,500 leaves for TCP's payload. */
    private static final int PACKET = 1_448;

    private static final int MAX_PACKET = 4 << 20;
    private static final int MAX_PRODUCERS = 1_000;
    private static final int MAX_LOAD = 100_000_000;
    private static final Duration DURATION = Duration.ofSeconds(1);
    private static final Duration QUICK_DURATION = Duration.ofMillis(150);
    private static final int BURSTS = 500;
    private static final int QUICK_BURSTS = 60;
    private static final int EXCHANGED = 1_000_000;
    private static final int QUICK_EXCHANGED = 300_000;
    private static final int QUEUE = 64 << 10;

    /** A relay, its connections and its event loop: generously. */
    private static final int DESCRIPTORS = 64;

    /** A batching thread and a receiver, besides the producers. */
    private static final int OTHERS = 2;

    @Option(names = "--body", paramLabel = "BYTES", description = "Bytes of every message's body (" + BODY + ").")
    private int body = BODY;

    @Option(
            names = "--packet",
            paramLabel = "BYTES",
            description = "Most bytes of a packet, frames whole (" + PACKET
                    + ", which fits Ethernet; 65483 fits loopback). The relay chooses by itself.")
    private int packet = PACKET;

    @Option(
            names = "--wait",
            paramLabel = "HOW",
            description = "How batching threads wait: block (default) or yield. The relay always sleeps.")
    private Wait wait = Wait.BLOCK;

    @Option(
            names = "--threads",
            paramLabel = "N",
            split = ",",
            description = "How many threads send as fast as they can (1,2,4,8,16).")
    private List<Integer> producers;

    @Option(
            names = "--load",
            paramLabel = "RATE",
            split = ",",
            description = "Messages a second that arrive, in growing order (10000,50000,100000,200000,400000,800000).")
    private List<Integer> loads;

    @Option(names = "--duration", paramLabel = "TIME", description = "Of one go over sockets (1s; with --quick 150ms).")
    private Duration duration;

    public BatchingExperiment() {
        super(
                "Does smart batching keep latency down where threads that write themselves queue for a lock?",
                new Article(
                        "Smart Batching (Mechanical Sympathy)",
                        2011,
                        "a worked example on paper: 10 messages, a device of 100 us; no measurement"));
    }

    private List<Integer> producers() {
        return producers != null ? producers : quick() ? List.of(1, 4, 16) : List.of(1, 2, 4, 8, 16);
    }

    private List<Integer> loads() {
        return loads != null
                ? loads
                : quick()
                        ? List.of(20_000, 100_000, 400_000)
                        : List.of(10_000, 50_000, 100_000, 200_000, 400_000, 800_000);
    }

    private Duration duration() {
        return duration != null ? duration : quick() ? QUICK_DURATION : DURATION;
    }

    @Override
    protected void check(CommandSpec command) {
        Limits.within(command, "--body", body, LoadMessage.MIN_BODY, MAX_BODY);
        Limits.within(command, "--packet", packet, FrameLayout.frameLength(body), MAX_PACKET);
        for (int threads : producers()) {
            Limits.within(command, "--threads", threads, 1, MAX_PRODUCERS);
        }
        int least = ARRIVING;
        for (int load : loads()) {
            Limits.within(command, "--load", load, least, MAX_LOAD);
            least = load + 1;
        }
        Limits.shortDuration(command, duration, duration());
    }

    @Override
    public Needs needs() {
        return new Needs(0, DESCRIPTORS, Math.max(ARRIVING, Collections.max(producers())) + OTHERS);
    }

    @Override
    public List<LabTable> tables() {
        return List.of(burst(), threads(), load(), exchange());
    }

    private Sender.Setup setup() {
        return new Sender.Setup(body, packet, wait);
    }

    private LabTable burst() {
        List<Contestant> rows = new ArrayList<>();
        for (Way way : Way.values()) {
            Burst burst = new Burst(way, setup(), quick() ? QUICK_BURSTS : BURSTS);
            rows.add(new Contestant(way == Way.RELAY ? RELAY_DEVICE : way.text(), "", burst::go));
        }
        return new LabTable(
                "burst",
                "The worked example: 10 threads send a message each at the same time to a device that takes 100 us a"
                        + " packet",
                List.of(BEST, AVERAGE, WORST, PACKETS),
                rows,
                WORKED_EXAMPLE,
                table -> Claim.judge(BURST_CLAIMS, table),
                List.of());
    }

    private LabTable threads() {
        List<Contestant> rows = new ArrayList<>();
        for (Way way : Way.values()) {
            producers().forEach(threads -> rows.add(contestant(new Load(way, setup(), threads, 0, duration()))));
        }
        return new LabTable(
                "threads",
                "Threads that send messages of " + body + " bytes over loopback as fast as they can",
                List.of(DELIVERED, MEDIAN, P99, BATCH),
                rows,
                ArticleFigures.NONE,
                table -> judgeThreads(table, Load.threads(Collections.max(producers()))),
                List.of(Plots.ofRows(
                        "Throughput as threads are added",
                        Plots.linear("threads"),
                        PRODUCERS,
                        Plots.linear("delivered, msg/s"),
                        DELIVERED)));
    }

    private LabTable load() {
        List<Contestant> rows = new ArrayList<>();
        for (Way way : Way.values()) {
            loads().forEach(rate -> rows.add(contestant(new Load(way, setup(), ARRIVING, rate, duration()))));
        }
        return new LabTable(
                "load",
                "Messages of " + body + " bytes that arrive in " + ARRIVING
                        + " threads at once, over loopback; latency from their arrival",
                List.of(DELIVERED, MEDIAN, P99, BATCH),
                rows,
                ArticleFigures.NONE,
                table -> judgeLoad(table, loads()),
                List.of(
                        latencyByLoad("J-curve or bathtub: median latency as load grows", MEDIAN),
                        latencyByLoad("The same, 99th percentile", P99)));
    }

    private static Contestant contestant(Load load) {
        return new Contestant(load.way().text(), load.setting(), load::go);
    }

    private static Function<TableResult, Chart> latencyByLoad(String title, Column latency) {
        return Plots.ofRows(title, Plots.log("load, msg/s"), LOAD, Plots.log(latency.name() + " latency, us"), latency);
    }

    private LabTable exchange() {
        return new LabTable(
                "exchange",
                "One thread hands messages to another, no device",
                List.of(COST),
                List.of(
                        exchange(LINKED, () -> new Exchange.ThroughQueue(new ConcurrentLinkedQueue<>())),
                        exchange(TRACKED, () -> new Exchange.ThroughQueue(new TrackedQueue<>(QUEUE))),
                        exchange(ARRAY, () -> new Exchange.ThroughQueue(new ArrayBlockingQueue<>(QUEUE))),
                        exchange(RING, () -> new Exchange.ThroughRing(QUEUE))),
                EXCHANGE_FIGURES,
                table -> Claim.judge(EXCHANGE_CLAIMS, table),
                List.of());
    }

    private Contestant exchange(String name, Supplier<Exchange> maker) {
        int messages = quick() ? QUICK_EXCHANGED : EXCHANGED;
        return new Contestant(name, "", go -> maker.get().measure(messages));
    }

    private static List<Verdict> judgeThreads(TableResult table, String most) {
        List<Claim> claims = new ArrayList<>();
        for (Way way : List.of(Way.QUEUE, Way.DISRUPTOR, Way.RELAY)) {
            claims.add(Claim.better(
                    "batching gives more throughput than a write a message",
                    DELIVERED,
                    Contestant.label(way.text(), most),
                    Contestant.label(Way.SERIAL.text(), most)));
        }
        claims.add(Claim.open(
                DELIVERED, Contestant.label(Way.RELAY.text(), most), Contestant.label(Way.DISRUPTOR.text(), most)));
        return Claim.judge(claims, table);
    }

    private static List<Verdict> judgeLoad(TableResult table, List<Integer> loads) {
        List<Verdict> verdicts = new ArrayList<>();
        for (Way way : Way.values()) {
            verdicts.add(bathtub(table, way, loads));
        }
        for (int load : loads) {
            verdicts.add(Claim.better(
                            "contention for the lock costs latency",
                            P99,
                            label(Way.QUEUE, load),
                            label(Way.SERIAL, load))
                    .judge(table));
        }
        return verdicts;
    }

    /** How far latency has grown at the last load that this way still carried. */
    static Verdict bathtub(TableResult table, Way way, List<Integer> loads) {
        String text = way == Way.SERIAL ? "" : "latency stays constant until the device is saturated";
        int carried = 0;
        for (int load : loads) {
            Row row = table.row(label(way, load));
            Spread delivered = table.figure(row, DELIVERED);
            if (!delivered.isKnown() || delivered.median() < CARRIED * load) {
                break;
            }
            carried = load;
        }
        if (carried == 0) {
            return Claim.undecided(text, way.text() + " did not carry even the smallest load");
        }
        if (carried == loads.get(0)) {
            return Claim.undecided(text, way.text() + " carried only the smallest load");
        }
        String first = label(way, loads.get(0));
        String last = label(way, carried);
        Claim claim =
                text.isEmpty() ? Claim.open(MEDIAN, first, last) : Claim.equal(text, MEDIAN, last, first, CONSTANT);
        String median = Numbers.text(table.figure(table.row(last), MEDIAN).median());
        return claim.judge(table)
                .after(way.text() + " carried up to " + Load.load(carried) + ", with a median latency of " + median
                        + " us there; ");
    }

    private static String label(Way way, int load) {
        return Contestant.label(way.text(), Load.load(load));
    }
}
