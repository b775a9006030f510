package dev.msgrelay.loadgen.bench;

import dev.msgrelay.loadgen.experiment.CeilingCells;
import dev.msgrelay.loadgen.experiment.HostRig;
import dev.msgrelay.loadgen.experiment.LoadCell;
import dev.msgrelay.loadgen.experiment.LoadRig;
import dev.msgrelay.loadgen.load.Check;
import dev.msgrelay.loadgen.measure.PathMtu;
import dev.msgrelay.loadgen.plain.CPrograms;
import dev.msgrelay.loadgen.run.Clients;
import dev.msgrelay.loadgen.run.Contestant;
import dev.msgrelay.loadgen.run.Contestants;
import dev.msgrelay.loadgen.run.InProcessContestant;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.RelayContestant;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.SlowReaders;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.TypeRanges;
import java.io.IOException;
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
    private static final int HANDSHAKES = 100;
    private static final int SCRAPES = 10;
    private static final int SLOW_BYTES_PER_SECOND = 1_000_000;
    private static final double MEGA = 1e6;
    private static final List<String> BACKPRESSURE = List.of(RelayContestant.POLICY, "backpressure");

    private final Load load;
    private final Timing timing;
    private final int rounds;
    private final boolean quick;
    /** Takes publishers back where a subscriber is slow: nothing is lost. */
    private final Contestant relay = new RelayContestant(BACKPRESSURE, RelayContestant.JAVA_OPTIONS);

    /**
     * @param quick shorter runs: for a look, not for the record
     */
    public Cases(int body, int rounds, boolean quick) {
        this.load = Load.oneToOne(body);
        this.timing =
                (quick ? timing(4, 2) : new Timing(Timing.FULL_SPEED_WARMUP, Duration.ofSeconds(3))).orUntilSteady();
        this.rounds = rounds;
        this.quick = quick;
    }

    private static Timing timing(int warmupSeconds, int measuredSeconds) {
        return new Timing(Duration.ofSeconds(warmupSeconds), Duration.ofSeconds(measuredSeconds));
    }

    /** What of the table cannot be measured here, and why, a line each. */
    public static List<String> leftOut() {
        String obstacle = CPrograms.obstacle();
        return obstacle.isEmpty() ? List.of() : List.of("left out, clients in C: " + obstacle);
    }

    /** All that can be measured here, in the order of the table. */
    public List<BenchCase> all() throws IOException {
        List<BenchCase> all = new ArrayList<>(inProcess());
        all.addAll(overSockets());
        all.add(slowSubscriber());
        all.add(against(
                "unix",
                "1 -> relay -> 1 over Unix sockets",
                load.withUnix(true),
                load,
                Metric.above(1.0, "of TCP loopback", Cases::deliveries)));
        all.add(alone(
                "many-publishers",
                "64 publishers of 2,000 msg/s -> 4",
                cell(RELAY, relay, load.withCounts(64, 4).withRate(2_000), timing),
                rounds,
                Metric.atMost(
                        0, "messages lost", ofRelay(result -> result.received().sum(subscriber -> subscriber.lost()))),
                Metric.below(0.60, "of a core (relay)", round -> round.contestantCores(RELAY))));
        all.add(latency());
        all.add(sustained("sustained", "", load));
        all.add(alone(
                "idle",
                "idle, 100 subscribers connected",
                cell(RELAY, relay, load.withCounts(0, 100), timing(quick ? 3 : 5, 10)),
                1,
                Metric.below(0.01, "of a core (relay)", round -> round.contestantCores(RELAY))));
        if (CPrograms.obstacle().isEmpty()) {
            all.add(inC("c-one-to-one", 1, 1.0));
            all.add(inC("c-fan-out", 8, 1.0));
        }
        all.addAll(otherClients());
        all.addAll(otherPorts());
        return all;
    }

    private List<BenchCase> inProcess() throws IOException {
        Contestant runs =
                new InProcessContestant(InProcessContestant.USUAL_RUN, BACKPRESSURE, RelayContestant.JAVA_OPTIONS);
        Contestant single = new InProcessContestant(1, BACKPRESSURE, RelayContestant.JAVA_OPTIONS);
        List<LoadCell> direct = CeilingCells.direct(load, timing, RIG);
        return List.of(
                new BenchCase(
                        "in-process-runs",
                        "in-process runs of " + InProcessContestant.USUAL_RUN + " -> 1 (TCP)",
                        List.of(cell(RELAY, runs, load, timing)),
                        direct,
                        List.of(Metric.atLeast(0.65, "of direct", Cases::ofCeiling)),
                        rounds),
                new BenchCase(
                        "in-process-single",
                        "in-process single messages, 1 and 4 threads -> 1",
                        List.of(
                                cell(RELAY, single, load, timing),
                                cell("4 threads", single, load.withCounts(4, 1), timing)),
                        direct,
                        List.of(
                                Metric.atLeast(0.30, "of direct", Cases::ofCeiling),
                                Metric.atLeast(
                                        1.0,
                                        "4 threads : 1 thread",
                                        round -> round.rate("4 threads") / round.rate(RELAY))),
                        rounds));
    }

    private List<BenchCase> overSockets() throws IOException {
        Load eight = load.withCounts(1, 8);
        return List.of(
                new BenchCase(
                        "one-to-one",
                        "1 -> relay -> 1",
                        List.of(cell(RELAY, relay, load, timing)),
                        CeilingCells.plain(load, timing, RIG),
                        List.of(Metric.atLeast(1.05, "of the plain relay", Cases::ofCeiling)),
                        rounds),
                new BenchCase(
                        "fan-out",
                        "1 -> relay -> 8, deliveries",
                        List.of(cell(RELAY, relay, eight, timing)),
                        CeilingCells.plain(eight, timing, RIG),
                        List.of(Metric.atLeast(1.0, "of the plain relay", Cases::ofCeiling)),
                        rounds));
    }

    private BenchCase slowSubscriber() {
        Load seven = load.withCounts(1, 7);
        List<LoadCell> cells = new ArrayList<>(List.of(cell(RELAY, relay, seven, timing)));
        List<Metric> metrics = new ArrayList<>();
        for (Policy policy : List.of(Policy.SKIP, Policy.DISCONNECT)) {
            String name = policy == Policy.SKIP ? "with one that skips" : "with one that is cut off";
            Load slow = seven.withSlow(new SlowReaders(1, SLOW_BYTES_PER_SECOND, policy));
            cells.add(cell(name, relay, slow, timing));
            metrics.add(Metric.atLeast(
                    0.95,
                    "of the seven's rate without it (" + (policy == Policy.SKIP ? "skip" : "disconnect") + ")",
                    round -> round.rate(name) / round.rate(RELAY)));
        }
        String title = "1 -> relay -> 7 and one that reads 1 MB/s";
        return new BenchCase("slow-subscriber", title, cells, List.of(), metrics, rounds);
    }

    private BenchCase latency() throws IOException {
        Load paced = load.withRate(20_000);
        Contestant plain = Contestants.plain(PathMtu.loopbackSegment());
        // At this rate a JVM takes its time to compile what it runs, and on two cores a p99 sees the compiler's
        // threads: with a warm-up of 3 s it was about twice as high, for both contenders.
        Timing slowStart = quick ? timing(5, 2) : timing(20, 5);
        return new BenchCase(
                "latency",
                "20,000 msg/s, 1 -> relay -> 1, latency",
                List.of(cell(PLAIN, plain, paced, slowStart), cell(RELAY, relay, paced, slowStart)),
                List.of(),
                List.of(
                        Metric.atMost(1.15, "of the plain relay's median", round -> latencyRatio(round, 50)),
                        Metric.atMost(1.15, "of the plain relay's p99", round -> latencyRatio(round, 99))),
                rounds);
    }

    /** Clients that cost next to nothing: what is measured is the relay, and one thread in C in its place. */
    private BenchCase inC(String id, int subscribers, double asked) throws IOException {
        Load counted = load.withCounts(1, subscribers).withCheck(Check.NONE).withClients(Clients.of(Clients.Kind.C));
        return new BenchCase(
                id,
                "1 -> relay -> " + subscribers + ", clients in C (unchecked)",
                List.of(
                        cell(RELAY, relay, counted, timing),
                        cell(OTHERWISE, Contestants.c(PathMtu.loopbackSegment()), counted, timing)),
                List.of(),
                List.of(Metric.atLeast(asked, "of the relay in C", Cases::deliveries)),
                rounds);
    }

    /** What users use, and those that come and go. */
    private List<BenchCase> otherClients() {
        Load eight = load.withCounts(1, 8);
        Load types = eight.withContent(new Load.Content(load.body(), load.seed(), TYPES));
        return List.of(
                against(
                        "library",
                        "1 -> relay -> 1, publisher and subscriber of relay-client",
                        load.withClients(library(TypeRanges.ALL, false)),
                        load,
                        Metric.atLeast(0.25, "of loadgen's own clients", Cases::deliveries)),
                against(
                        "acknowledged",
                        "1 -> relay -> 1, every message acknowledged",
                        load.withClients(library(TypeRanges.ALL, true)),
                        load.withClients(library(TypeRanges.ALL, false)),
                        Metric.atLeast(0.9, "of the same without acknowledgements", Cases::deliveries)),
                // Those who choose cost the relay a look at each message, and save what is not sent.
                against(
                        "filtered",
                        "1 -> relay -> 8 that choose 1 of " + TYPES + " types",
                        types.withClients(library(TypeRanges.of(1, 1), false)),
                        types.withClients(library(TypeRanges.ALL, false)),
                        Metric.atLeast(
                                1.0,
                                "of the publisher's rate where all get all",
                                round -> published(round, RELAY) / published(round, OTHERWISE))),
                against(
                        "churn",
                        "1 -> relay -> 8 beside " + CHURN + " connections/s that come and go",
                        eight.withClients(new Clients(Clients.Kind.RAW, false, TypeRanges.ALL, CHURN)),
                        eight,
                        Metric.atLeast(0.8, "of the rate without them", Cases::deliveries)));
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
                new BenchCase(
                        "tls-fan-out",
                        "1 -> relay -> 8 over TLS",
                        List.of(
                                cell(RELAY, relay, overTls, timing),
                                cell(OTHERWISE, relay, eight, timing),
                                cell(SSL_HANDLER, Contestants.sslHandler(), overTls, timing)),
                        List.of(),
                        List.of(
                                Metric.atLeast(
                                        0.45, "of plain, messages a CPU second", round -> perCpu(round, OTHERWISE)),
                                Metric.atLeast(1.2, "of SslHandler likewise", round -> perCpu(round, SSL_HANDLER))),
                        rounds),
                sustained("tls-sustained", "over TLS, ", load.withTls()),
                against(
                        "handshakes",
                        "1 -> relay -> 8 beside " + HANDSHAKES + " TLS handshakes/s (RSA, 2048 bits)",
                        beside(eight, new Clients.Ports(false, HANDSHAKES, 0)),
                        eight,
                        Metric.atLeast(0.98, "of the rate without them", Cases::deliveries)),
                against(
                        "scrapes",
                        "1 -> relay -> 8 with the page open and " + SCRAPES + " scrapes/s",
                        beside(eight, new Clients.Ports(false, 0, SCRAPES)),
                        eight,
                        Metric.atLeast(0.99, "of the rate without them", Cases::deliveries)));
    }

    private static Load beside(Load load, Clients.Ports ports) {
        return load.withClients(load.clients().withPorts(ports));
    }

    /** For a long time, at full speed: what the relay leaves to the garbage collector shows. */
    private BenchCase sustained(String id, String what, Load through) {
        return alone(
                id,
                what + "full speed for " + (quick ? 10 : 30) + " s",
                cell(RELAY, relay, through, quick ? timing(2, 10) : timing(5, 30)),
                1,
                Metric.atMost(0, "garbage collections", ofRelay(result -> result.relay()
                        .gcCount())),
                Metric.below(
                        300,
                        "MB resident",
                        ofRelay(result -> result.processes().get(0).peakResidentBytes() / MEGA)));
    }

    private static Clients library(TypeRanges wanted, boolean acks) {
        return new Clients(Clients.Kind.LIBRARY, acks, wanted, 0);
    }

    private static BenchCase alone(String id, String title, LoadCell cell, int rounds, Metric... metrics) {
        return new BenchCase(id, title, List.of(cell), List.of(), List.of(metrics), rounds);
    }

    /** The relay under one load, set against the same relay under another. */
    private BenchCase against(String id, String title, Load ours, Load otherwise, Metric metric) {
        List<LoadCell> cells = List.of(cell(RELAY, relay, ours, timing), cell(OTHERWISE, relay, otherwise, timing));
        return new BenchCase(id, title, cells, List.of(), List.of(metric), rounds);
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

    private static double published(Round round, String name) {
        return round.figure(name, result -> result.published().traffic().messagesPerSecond());
    }

    private static double latencyRatio(Round round, double percentile) {
        return round.latencyNanos(RELAY, percentile) / round.latencyNanos(PLAIN, percentile);
    }

    private static ToDoubleFunction<Round> ofRelay(ToDoubleFunction<RunResult> figure) {
        return round -> round.figure(RELAY, figure);
    }
}
