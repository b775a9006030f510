package dev.msgrelay.loadgen.bench;

import dev.msgrelay.loadgen.experiment.CeilingCells;
import dev.msgrelay.loadgen.experiment.HostRig;
import dev.msgrelay.loadgen.experiment.LoadCell;
import dev.msgrelay.loadgen.experiment.LoadRig;
import dev.msgrelay.loadgen.measure.PathMtu;
import dev.msgrelay.loadgen.run.InProcessMiddle;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.Middle;
import dev.msgrelay.loadgen.run.Middles;
import dev.msgrelay.loadgen.run.RelayMiddle;
import dev.msgrelay.loadgen.run.SlowReaders;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.protocol.Policy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The cases of the benchmark and what is asked of each. */
public final class Cases {
    private static final LoadRig RIG = new HostRig();
    private static final String RELAY = "relay";
    private static final double MEGA = 1e6;

    private final Load load;
    private final Timing timing;
    private final int rounds;
    private final boolean quick;
    private final Middle relay =
            new RelayMiddle(List.of("--slow-subscriber", "backpressure"), RelayMiddle.JAVA_OPTIONS);

    /**
     * @param quick shorter runs: for a look, not for the record
     */
    public Cases(int body, int rounds, boolean quick) {
        this.load = Load.oneToOne(body);
        this.timing = quick ? timing(4, 2) : new Timing(Timing.FULL_SPEED_WARMUP, Duration.ofSeconds(3));
        this.rounds = rounds;
        this.quick = quick;
    }

    private static Timing timing(int warmupSeconds, int measuredSeconds) {
        return new Timing(Duration.ofSeconds(warmupSeconds), Duration.ofSeconds(measuredSeconds));
    }

    /** All of them, in the order of the table. */
    public List<BenchCase> all() throws IOException {
        List<BenchCase> all = new ArrayList<>(List.of(
                inProcessRuns(),
                inProcessSingle(),
                oneToOne(),
                fanOut(),
                slowSubscriber(),
                unix(),
                manyPublishers(),
                latency(),
                sustained(),
                idle()));
        all.addAll(new ClientCases(load, timing, rounds, relay).all());
        return all;
    }

    /** What of the table cannot be measured here, and why, a line each. */
    public static List<String> leftOut() {
        String obstacle = ClientCases.obstacleOfC();
        return obstacle.isEmpty() ? List.of() : List.of("left out, clients in C: " + obstacle);
    }

    private BenchCase inProcessRuns() throws IOException {
        return new BenchCase(
                "in-process-runs",
                "in-process runs of " + InProcessMiddle.USUAL_RUN + " -> 1 (TCP)",
                List.of(cell(
                        RELAY,
                        new InProcessMiddle(InProcessMiddle.USUAL_RUN, List.of(), RelayMiddle.JAVA_OPTIONS),
                        load,
                        timing)),
                CeilingCells.direct(load, timing, RIG),
                List.of(Metric.atLeast(0.65, "of direct", Cases::ofCeiling)),
                rounds);
    }

    private BenchCase inProcessSingle() throws IOException {
        Middle single = new InProcessMiddle(1, List.of(), RelayMiddle.JAVA_OPTIONS);
        return new BenchCase(
                "in-process-single",
                "in-process single messages, 1 and 4 threads -> 1",
                List.of(cell(RELAY, single, load, timing), cell("4 threads", single, load.withCounts(4, 1), timing)),
                CeilingCells.direct(load, timing, RIG),
                List.of(
                        Metric.atLeast(0.30, "of direct", Cases::ofCeiling),
                        Metric.atLeast(
                                1.0, "4 threads : 1 thread", round -> round.rate("4 threads") / round.rate(RELAY))),
                rounds);
    }

    private BenchCase oneToOne() throws IOException {
        return new BenchCase(
                "one-to-one",
                "1 -> relay -> 1",
                List.of(cell(RELAY, relay, load, timing)),
                CeilingCells.plain(load, timing, RIG),
                List.of(Metric.atLeast(1.0, "of the plain relay", Cases::ofCeiling)),
                rounds);
    }

    private BenchCase fanOut() throws IOException {
        Load eight = load.withCounts(1, 8);
        return new BenchCase(
                "fan-out",
                "1 -> relay -> 8, deliveries",
                List.of(cell(RELAY, relay, eight, timing)),
                CeilingCells.plain(eight, timing, RIG),
                List.of(Metric.atLeast(0.9, "of the plain relay", Cases::ofCeiling)),
                rounds);
    }

    private BenchCase slowSubscriber() {
        Load seven = load.withCounts(1, 7);
        String skip = "with one that skips";
        String cut = "with one that is cut off";
        return new BenchCase(
                "slow-subscriber",
                "1 -> relay -> 7 and one that reads 1 MB/s",
                List.of(
                        cell(RELAY, relay, seven, timing),
                        cell(skip, relay, seven.withSlow(new SlowReaders(1, 1_000_000, Policy.SKIP)), timing),
                        cell(cut, relay, seven.withSlow(new SlowReaders(1, 1_000_000, Policy.DISCONNECT)), timing)),
                List.of(),
                List.of(
                        Metric.atLeast(
                                0.95,
                                "of the seven's rate without it (skip)",
                                round -> round.rate(skip) / round.rate(RELAY)),
                        Metric.atLeast(
                                0.95,
                                "of the seven's rate without it (disconnect)",
                                round -> round.rate(cut) / round.rate(RELAY))),
                rounds);
    }

    private BenchCase unix() {
        return new BenchCase(
                "unix",
                "1 -> relay -> 1 over Unix sockets",
                List.of(cell(RELAY, relay, load.withUnix(true), timing), cell("TCP", relay, load, timing)),
                List.of(),
                List.of(Metric.above(1.0, "of TCP loopback", round -> round.rate(RELAY) / round.rate("TCP"))),
                rounds);
    }

    private BenchCase manyPublishers() {
        return new BenchCase(
                "many-publishers",
                "64 publishers of 2,000 msg/s -> 4",
                List.of(cell(RELAY, relay, load.withCounts(64, 4).withRate(2_000), timing)),
                List.of(),
                List.of(
                        Metric.atMost(0, "messages lost", Cases::lost),
                        Metric.below(0.60, "of a core (relay)", round -> round.middleCores(RELAY))),
                rounds);
    }

    private BenchCase latency() throws IOException {
        Load paced = load.withRate(20_000);
        Middle plain = Middles.plain(PathMtu.loopbackSegment());
        // At this rate a JVM takes its time to compile what it runs, and on two cores a p99 sees the compiler's
        // threads:
        // with a warm-up of 3 s it was about twice as high, for both contenders.
        Timing slowStart = quick ? timing(5, 2) : timing(20, 5);
        return new BenchCase(
                "latency",
                "20,000 msg/s, 1 -> relay -> 1, latency",
                List.of(cell("plain relay", plain, paced, slowStart), cell(RELAY, relay, paced, slowStart)),
                List.of(),
                List.of(
                        Metric.atMost(1.15, "of the plain relay's median", round -> latencyRatio(round, 50)),
                        Metric.atMost(1.15, "of the plain relay's p99", round -> latencyRatio(round, 99))),
                rounds);
    }

    private BenchCase sustained() {
        return new BenchCase(
                "sustained",
                "full speed for " + (quick ? 10 : 30) + " s",
                List.of(cell(RELAY, relay, load, quick ? timing(2, 10) : timing(5, 30))),
                List.of(),
                List.of(
                        Metric.atMost(0, "garbage collections", Cases::collections),
                        Metric.below(
                                300,
                                "MB resident",
                                round -> round.figure(
                                        RELAY,
                                        result -> result.processes().get(0).peakResidentBytes() / MEGA))),
                1);
    }

    private BenchCase idle() {
        return new BenchCase(
                "idle",
                "idle, 100 subscribers connected",
                List.of(cell(RELAY, relay, load.withCounts(0, 100), timing(quick ? 3 : 5, 10))),
                List.of(),
                List.of(Metric.below(0.01, "of a core (relay)", round -> round.middleCores(RELAY))),
                1);
    }

    static LoadCell cell(String name, Middle middle, Load load, Timing timing) {
        return LoadCell.here(name, middle, load, timing, RIG);
    }

    private static double ofCeiling(Round round) {
        return round.rate(RELAY) / round.best(CeilingCells.CEILING);
    }

    private static double latencyRatio(Round round, double percentile) {
        return round.latencyNanos(RELAY, percentile) / round.latencyNanos("plain relay", percentile);
    }

    private static double lost(Round round) {
        return round.figure(RELAY, result -> result.received().sum(subscriber -> subscriber.lost()));
    }

    private static double collections(Round round) {
        return round.figure(RELAY, result -> result.relay().gcCount());
    }
}
