package dev.msgrelay.loadgen.bench;

import dev.msgrelay.loadgen.experiment.CeilingCells;
import dev.msgrelay.loadgen.experiment.HostRig;
import dev.msgrelay.loadgen.experiment.LoadCell;
import dev.msgrelay.loadgen.experiment.LoadRig;
import dev.msgrelay.loadgen.host.PathMtu;
import dev.msgrelay.loadgen.load.BodySizes;
import dev.msgrelay.loadgen.load.Check;
import dev.msgrelay.loadgen.others.Fio;
import dev.msgrelay.loadgen.others.JetStream;
import dev.msgrelay.loadgen.others.SelfMeasured;
import dev.msgrelay.loadgen.plain.CPrograms;
import dev.msgrelay.loadgen.run.Clients;
import dev.msgrelay.loadgen.run.Contestant;
import dev.msgrelay.loadgen.run.Contestants;
import dev.msgrelay.loadgen.run.InProcessContestant;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.RelayContestant;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.RunResult.Delay;
import dev.msgrelay.loadgen.run.SlowReaders;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.TypeRanges;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The cases of the benchmark and what is asked of each. */
public final class Cases {
    private static final LoadRig RIG = new HostRig();
    private static final String RELAY = "relay";
    private static final String PLAIN = "plain relay";
    /** The same relay under another load, or another relay under the same. */
    private static final String OTHERWISE = "otherwise";

    private static final String SSL_HANDLER = "SslHandler";

    private static final int TYPES = 10;
    private static final int CHURN = 200;
    private static final int STORM = 200;

    /** So large that the ring is no part of the work. */
    private static final int JOURNAL_BODY = 64 << 10;

    private static final int HANDSHAKES = 100;
    private static final int SCRAPES = 10;
    private static final int SLOW_BYTES_PER_SECOND = 1_000_000;
    private static final double MEGA = 1e6;
    private static final Clients LIBRARY = Clients.of(Clients.Kind.LIBRARY);
    private static final List<String> BACKPRESSURE = List.of(RelayContestant.POLICY, "backpressure");

    private final Load load;
    private final Timing timing;
    private final int rounds;
    private final boolean quick;
    private final Path disk;
    /** Takes publishers back where a subscriber is slow: nothing is lost. */
    private final Contestant relay = new RelayContestant(BACKPRESSURE, RelayContestant.JAVA_OPTIONS);

    /**
     * @param quick shorter runs: for a look, not for the record
     * @param disk journals, and what others write, lie in directories in there, which go; null: where temporary files go
     */
    public Cases(int body, int rounds, boolean quick, Path disk) {
        this.load = Load.oneToOne(body);
        this.disk = disk;
        this.timing =
                (quick ? timing(4, 2) : new Timing(Timing.FULL_SPEED_WARMUP, Duration.ofSeconds(3))).orUntilSteady();
        this.rounds = rounds;
        this.quick = quick;
    }

    private static Timing timing(int warmupSeconds, int measuredSeconds) {
        return new Timing(Duration.ofSeconds(warmupSeconds), Duration.ofSeconds(measuredSeconds));
    }

    /** What of the table cannot be measured here, and why, a line each. */
    public List<String> leftOut() throws InterruptedException {
        List<String> leftOut = new ArrayList<>();
        String obstacle = CPrograms.obstacle();
        if (!obstacle.isEmpty()) {
            leftOut.add("left out, clients in C: " + obstacle);
        }
        for (SelfMeasured other : List.of(new JetStream(disk), new Fio(disk))) {
            if (!other.obstacle().isEmpty()) {
                leftOut.add("left out, " + other.name() + ": " + other.obstacle());
            }
        }
        return leftOut;
    }

    /** All that can be measured here, in the order of the table. */
    public List<BenchCase> all() throws IOException, InterruptedException {
        List<BenchCase> all = new ArrayList<>(inProcess());
        all.addAll(overSockets());
        if (CPrograms.obstacle().isEmpty()) {
            all.add(inC("c-one-to-one", 1));
            all.add(inC("c-fan-out", 8));
        }
        all.addAll(otherClients());
        all.addAll(otherPorts());
        all.addAll(journal());
        all.addAll(besideOthers());
        return all;
    }

    private List<BenchCase> inProcess() throws IOException {
        Contestant runs =
                new InProcessContestant(InProcessContestant.USUAL_RUN, BACKPRESSURE, RelayContestant.JAVA_OPTIONS);
        Contestant single = new InProcessContestant(1, BACKPRESSURE, RelayContestant.JAVA_OPTIONS);
        List<LoadCell> direct = List.of(CeilingCells.direct(load, timing, RIG));
        return List.of(
                below(
                        direct,
                        "in-process-runs",
                        "in-process runs of " + InProcessContestant.USUAL_RUN + " -> 1 (TCP)",
                        List.of(cell(RELAY, runs, load)),
                        Metric.atLeast(0.65, "of direct", Cases::ofCeiling)),
                below(
                        direct,
                        "in-process-single",
                        "in-process single messages, 1 and 4 threads -> 1",
                        List.of(cell(RELAY, single, load), cell("4 threads", single, load.withCounts(4, 1))),
                        Metric.atLeast(0.30, "of direct", Cases::ofCeiling),
                        Metric.atLeast(
                                1.0, "4 threads : 1 thread", round -> round.rate("4 threads") / round.rate(RELAY))));
    }

    private List<BenchCase> overSockets() throws IOException {
        Load eight = load.withCounts(1, 8);
        Load paced = load.withRate(20_000);
        Contestant plain = Contestants.plain(PathMtu.loopbackSegment());
        return List.of(
                below(
                        List.of(CeilingCells.plain(load, timing, RIG)),
                        "one-to-one",
                        "1 -> relay -> 1",
                        List.of(cell(RELAY, relay, load)),
                        Metric.atLeast(1.05, "of the plain relay", Cases::ofCeiling)),
                below(
                        List.of(CeilingCells.plain(eight, timing, RIG)),
                        "fan-out",
                        "1 -> relay -> 8, deliveries",
                        List.of(cell(RELAY, relay, eight)),
                        Metric.atLeast(1.0, "of the plain relay", Cases::ofCeiling)),
                slowSubscriber(),
                against(
                        "unix",
                        "1 -> relay -> 1 over Unix sockets",
                        load.withUnix(true),
                        load,
                        Metric.above(1.0, "of TCP loopback", Cases::deliveries)),
                inTurn(
                        "many-publishers",
                        "64 publishers of 2,000 msg/s -> 4",
                        List.of(cell(RELAY, relay, load.withCounts(64, 4).withRate(2_000))),
                        Metric.atMost(0, "messages lost", ofRelay(result -> result.correctness()
                                .sum(subscriber -> subscriber.lost()))),
                        Metric.below(0.60, "of a core (relay)", round -> round.contestantCores(RELAY))),
                inTurn(
                        "latency",
                        "20,000 msg/s, 1 -> relay -> 1, latency",
                        List.of(cell(PLAIN, plain, paced, slowStart()), cell(RELAY, relay, paced, slowStart())),
                        Metric.atMost(1.15, "of the plain relay's median", round -> latencyRatio(round, 50)),
                        Metric.atMost(1.15, "of the plain relay's p99", round -> latencyRatio(round, 99))),
                sustained("sustained", "", load),
                once(
                        "idle",
                        "idle, 100 subscribers connected",
                        cell(RELAY, relay, load.withCounts(0, 100), timing(quick ? 3 : 5, 10)),
                        Metric.below(0.01, "of a core (relay)", round -> round.contestantCores(RELAY))));
    }

    private BenchCase slowSubscriber() {
        Load seven = load.withCounts(1, 7);
        List<LoadCell> cells = new ArrayList<>(List.of(cell(RELAY, relay, seven)));
        List<Metric> metrics = new ArrayList<>();
        for (Policy policy : List.of(Policy.SKIP, Policy.DISCONNECT)) {
            String name = policy == Policy.SKIP ? "with one that skips" : "with one that is cut off";
            cells.add(cell(name, relay, seven.withSlow(new SlowReaders(1, SLOW_BYTES_PER_SECOND, policy))));
            metrics.add(Metric.atLeast(
                    0.95,
                    "of the seven's rate without it (" + (policy == Policy.SKIP ? "skip" : "disconnect") + ")",
                    round -> round.rate(name) / round.rate(RELAY)));
        }
        String title = "1 -> relay -> 7 and one that reads 1 MB/s";
        return inTurn("slow-subscriber", title, cells, metrics.toArray(Metric[]::new));
    }

    /**
     * At a rate a JVM takes its time to compile what it runs, and on two cores a p99 sees the compiler's threads: with a
     * warm-up of 3 s it was about twice as high, for both contenders.
     */
    private Timing slowStart() {
        return quick ? timing(5, 2) : timing(20, 5);
    }

    /** Clients that cost next to nothing: what is measured is the relay, and one thread in C in its place. */
    private BenchCase inC(String id, int subscribers) throws IOException {
        Load counted = load.withCounts(1, subscribers).withCheck(Check.NONE).withClients(Clients.of(Clients.Kind.C));
        return inTurn(
                id,
                "1 -> relay -> " + subscribers + ", clients in C (unchecked)",
                List.of(
                        cell(RELAY, relay, counted),
                        cell(OTHERWISE, Contestants.c(PathMtu.loopbackSegment()), counted)),
                Metric.atLeast(1.0, "of the relay in C", Cases::deliveries));
    }

    /** What users use, and those that come and go. */
    private List<BenchCase> otherClients() {
        Load eight = load.withCounts(1, 8);
        Load types = eight.withContent(new Load.Content(load.body(), load.seed(), TYPES));
        Clients acknowledged = LIBRARY.withAcks(Clients.Ack.STREAM);
        return List.of(
                against(
                        "library",
                        "1 -> relay -> 1, publisher and subscriber of relay-client",
                        load.withClients(LIBRARY),
                        load,
                        Metric.atLeast(0.25, "of loadgen's own clients", Cases::deliveries)),
                against(
                        "acknowledged",
                        "1 -> relay -> 1, every message acknowledged",
                        load.withClients(acknowledged),
                        load.withClients(LIBRARY),
                        Metric.atLeast(0.9, "of the same without acknowledgements", Cases::deliveries)),
                // Those who choose cost the relay a look at each message, and save what is not sent.
                against(
                        "filtered",
                        "1 -> relay -> 8 that choose 1 of " + TYPES + " types",
                        types.withClients(new Clients(Clients.Kind.LIBRARY, Clients.Ack.NONE, TypeRanges.of(1, 1), 0)),
                        types.withClients(LIBRARY),
                        Metric.atLeast(
                                1.0,
                                "of the publisher's rate where all get all",
                                round -> round.published(RELAY) / round.published(OTHERWISE))),
                against(
                        "churn",
                        "1 -> relay -> 8 beside " + CHURN + " connections/s that come and go",
                        eight.withClients(new Clients(Clients.Kind.RAW, Clients.Ack.NONE, TypeRanges.ALL, CHURN)),
                        eight,
                        Metric.atLeast(0.8, "of the rate without them", Cases::deliveries)),
                against(
                        "storm",
                        "1 -> relay -> 8, and " + STORM + " more that come at once, once a second",
                        eight.withClients(Clients.RAW.withStorm(STORM)),
                        eight,
                        Metric.atLeast(0.5, "of the rate without them", Cases::deliveries)),
                against(
                        "library-storm",
                        "the same, all of relay-client, acknowledged",
                        eight.withClients(acknowledged.withStorm(STORM)),
                        eight.withClients(acknowledged),
                        Metric.atLeast(0.5, "of the rate without them", Cases::deliveries)));
    }

    /** TLS, by what a message costs the relay's process, and what else comes to it. */
    private List<BenchCase> otherPorts() {
        Load eight = load.withCounts(1, 8);
        Load overTls = eight.withTls();
        return List.of(
                against(
                        "tls",
                        "1 -> relay -> 1 over TLS",
                        load.withTls(),
                        load,
                        Metric.atLeast(0.60, "of plain, messages a CPU second", round -> perCpu(round, OTHERWISE))),
                inTurn(
                        "tls-fan-out",
                        "1 -> relay -> 8 over TLS",
                        List.of(
                                cell(RELAY, relay, overTls),
                                cell(OTHERWISE, relay, eight),
                                cell(SSL_HANDLER, Contestants.sslHandler(), overTls)),
                        Metric.atLeast(0.45, "of plain, messages a CPU second", round -> perCpu(round, OTHERWISE)),
                        Metric.atLeast(1.2, "of SslHandler likewise", round -> perCpu(round, SSL_HANDLER))),
                sustained("tls-sustained", "over TLS, ", load.withTls()),
                against(
                        "handshakes",
                        "1 -> relay -> 8 beside " + HANDSHAKES + " TLS handshakes/s (RSA, 2048 bits)",
                        eight.withClients(Clients.RAW.withPorts(new Clients.Ports(false, HANDSHAKES, 0))),
                        eight,
                        Metric.atLeast(0.98, "of the rate without them", Cases::deliveries)),
                against(
                        "scrapes",
                        "1 -> relay -> 8 with the page open and " + SCRAPES + " scrapes/s",
                        eight.withClients(Clients.RAW.withPorts(new Clients.Ports(false, 0, SCRAPES))),
                        eight,
                        Metric.atLeast(0.99, "of the rate without them", Cases::deliveries)));
    }

    /** What a journal costs, and its levels of acknowledgement. */
    private List<BenchCase> journal() {
        Contestant durable = durable();
        Load stream = load.withClients(LIBRARY.withAcks(Clients.Ack.STREAM));
        Load written = load.withClients(LIBRARY.withAcks(Clients.Ack.WRITTEN));
        Load forced = load.withClients(LIBRARY.withAcks(Clients.Ack.FORCED));
        Load paced = load.withRate(20_000);
        return List.of(
                inTurn(
                        "journal",
                        "1 -> relay with a journal -> 1",
                        List.of(cell(RELAY, durable, load), cell(OTHERWISE, relay, load)),
                        Metric.atLeast(0.9, "of the rate without it", Cases::deliveries)),
                inTurn(
                        "journal-latency",
                        "20,000 msg/s, 1 -> relay with a journal -> 1, latency",
                        List.of(cell(PLAIN, relay, paced, slowStart()), cell(RELAY, durable, paced, slowStart())),
                        Metric.atMost(1.05, "of the median without it", round -> latencyRatio(round, 50)),
                        Metric.atMost(1.25, "of the p99 without it", round -> latencyRatio(round, 99))),
                inTurn(
                        "ack-written",
                        "1 -> relay -> 1, acknowledged when written",
                        List.of(cell(RELAY, durable, written), cell(OTHERWISE, relay, stream)),
                        Metric.atLeast(0.9, "of the same in the stream, without a journal", Cases::deliveries),
                        Metric.below(10, "ms, p50 of an acknowledgement", round -> ackMillis(round, 50)),
                        Metric.below(100, "ms, p99", round -> ackMillis(round, 99))),
                inTurn(
                        "ack-forced",
                        "1 -> relay -> 1, acknowledged when forced",
                        List.of(cell(RELAY, durable, forced), cell(OTHERWISE, durable, written)),
                        Metric.atLeast(0.8, "of the same when written", Cases::deliveries),
                        Metric.below(50, "ms, p50 of an acknowledgement", round -> ackMillis(round, 50)),
                        Metric.below(500, "ms, p99", round -> ackMillis(round, 99))));
    }

    /** On the same disk, in turn. */
    private List<BenchCase> besideOthers() throws InterruptedException {
        List<BenchCase> cases = new ArrayList<>();
        SelfMeasured fio = new Fio(disk);
        if (fio.obstacle().isEmpty()) {
            // Nobody reads: what is measured is how fast the journal takes what is there.
            Load large = load.withCounts(1, 0)
                    .withBody(BodySizes.fixed(JOURNAL_BODY))
                    .withCheck(Check.NONE);
            Contestant inProcess =
                    new InProcessContestant(InProcessContestant.USUAL_RUN, durableArgs(), RelayContestant.JAVA_OPTIONS);
            cases.add(inTurn(
                    "journal-fio",
                    "in-process runs -> journal, bodies of " + JOURNAL_BODY + " bytes",
                    List.of(cell(RELAY, inProcess, large), fio.cell(OTHERWISE, large, timing)),
                    Metric.atLeast(0.9, "of fio, bytes", round -> bytesIn(round, RELAY) / bytesIn(round, OTHERWISE))));
        }
        SelfMeasured jetStream = new JetStream(disk);
        if (jetStream.obstacle().isEmpty()) {
            Load written = load.withClients(LIBRARY.withAcks(Clients.Ack.WRITTEN));
            cases.add(inTurn(
                    "jetstream",
                    "1 -> relay -> 1, acknowledged when written, and NATS JetStream 1 -> file",
                    List.of(
                            cell(RELAY, durable(), written),
                            jetStream.cell(OTHERWISE, load.withCheck(Check.NONE), timing)),
                    Metric.atLeast(
                            5,
                            "times its acknowledged msg/s",
                            round -> round.published(RELAY) / round.published(OTHERWISE))));
        }
        return cases;
    }

    /** Takes publishers back, too, and keeps a journal, which goes with it. */
    private Contestant durable() {
        return new RelayContestant(durableArgs(), RelayContestant.JAVA_OPTIONS);
    }

    private List<String> durableArgs() {
        List<String> args = new ArrayList<>(BACKPRESSURE);
        args.addAll(List.of(RelayContestant.JOURNAL, RelayContestant.TEMPORARY + (disk == null ? "" : ":" + disk)));
        return args;
    }

    private static double bytesIn(Round round, String name) {
        return round.figure(name, result -> result.throughput().in().bytesPerSecond());
    }

    private static double ackMillis(Round round, double percentile) {
        return round.figure(RELAY, result -> result.delays().at(Delay.ACKNOWLEDGED, percentile) / MEGA);
    }

    /** For a long time, at full speed: what the relay leaves to the garbage collector shows. */
    private BenchCase sustained(String id, String what, Load through) {
        return once(
                id,
                what + "full speed for " + (quick ? 10 : 30) + " s",
                cell(RELAY, relay, through, quick ? timing(2, 10) : timing(5, 30)),
                Metric.atMost(0, "garbage collections", ofRelay(result -> result.resources()
                        .relay()
                        .gcCount())),
                Metric.below(
                        300,
                        "MB resident",
                        ofRelay(result -> result.resources().processes().get(0).peakResidentBytes() / MEGA)));
    }

    private static BenchCase once(String id, String title, LoadCell cell, Metric... metrics) {
        return new BenchCase(id, title, List.of(cell), List.of(), List.of(metrics), 1);
    }

    private BenchCase inTurn(String id, String title, List<LoadCell> cells, Metric... metrics) {
        return below(List.of(), id, title, cells, metrics);
    }

    private BenchCase below(List<LoadCell> ceilings, String id, String title, List<LoadCell> cells, Metric... metrics) {
        return new BenchCase(id, title, cells, ceilings, List.of(metrics), rounds);
    }

    /** The relay under one load, set against the same relay under another. */
    private BenchCase against(String id, String title, Load ours, Load otherwise, Metric metric) {
        return inTurn(id, title, List.of(cell(RELAY, relay, ours), cell(OTHERWISE, relay, otherwise)), metric);
    }

    private LoadCell cell(String name, Contestant contestant, Load through) {
        return cell(name, contestant, through, timing);
    }

    private static LoadCell cell(String name, Contestant contestant, Load load, Timing timing) {
        return LoadCell.here(name, contestant, load, timing, RIG);
    }

    private static double ofCeiling(Round round) {
        return round.rate(RELAY) / round.best(CeilingCells.CEILING);
    }

    private static double deliveries(Round round) {
        return round.rate(RELAY) / round.rate(OTHERWISE);
    }

    /** What of the other's CPU time for a message the relay takes, the other way round: more is better. */
    private static double perCpu(Round round, String other) {
        return round.rate(RELAY) / round.contestantCores(RELAY) / (round.rate(other) / round.contestantCores(other));
    }

    private static double latencyRatio(Round round, double percentile) {
        return round.latencyNanos(RELAY, percentile) / round.latencyNanos(PLAIN, percentile);
    }

    private static ToDoubleFunction<Round> ofRelay(ToDoubleFunction<RunResult> figure) {
        return round -> round.figure(RELAY, figure);
    }
}
