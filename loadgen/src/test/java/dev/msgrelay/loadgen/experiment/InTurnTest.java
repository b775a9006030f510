package dev.msgrelay.loadgen.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.msgrelay.loadgen.experiment.LoadRuns.Given;
import dev.msgrelay.loadgen.experiment.PairedComparison.Ended;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.SubscriberResult;
import dev.msgrelay.loadgen.plan.SubscriberResult.Faults;
import dev.msgrelay.loadgen.plan.SubscriberResult.Told;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.loadgen.result.Results.Side;
import dev.msgrelay.loadgen.rig.Contestant;
import dev.msgrelay.loadgen.rig.Contestants;
import dev.msgrelay.loadgen.rig.Plan;
import dev.msgrelay.loadgen.rig.RunException;
import dev.msgrelay.loadgen.rig.RunObserver;
import dev.msgrelay.testing.ConcurrentTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.CsvSource;

/** The alternation and its end, with runs that are made up. Time passes only where a run takes it. */
class InTurnTest {
    private static final long RUN_NANOS = TimeUnit.SECONDS.toNanos(3);
    private static final Contestant PLAIN = Contestants.plain(1);
    private static final Timing SECOND = new Timing(Duration.ZERO, Duration.ofSeconds(1));
    private static final SubscriberResult LOSES =
            new SubscriberResult(0, 1, new Faults(7, 0, 0, 0, 0, 0), Told.NOTHING, null, 0);

    private final FakeMeter meter = new FakeMeter();
    private int runs;
    private final List<Side> order = new ArrayList<>();

    @Test
    void endsOnceTheIntervalIsNarrow() {
        PairedComparison comparison = compare(5, 60, (side, number) -> result(side == Side.A ? 100 : 80));
        assertThat(comparison.ended()).isEqualTo(Ended.NARROW);
        assertThat(order.subList(0, 6)).containsExactly(Side.A, Side.B, Side.B, Side.A, Side.A, Side.B);
        PairedRow row = comparison.headline();
        assertThat(row.rounds()).isEqualTo(InTurn.MIN_ROUNDS);
        assertThat(row.ratio().value()).isEqualTo(0.8, within(1e-9));
        assertThat(row.better()).isEqualTo(Side.A);
        assertThat(row.verdict()).isEqualTo("A faster");
        assertThat(comparison.failures()).isEmpty();
    }

    @Test
    void endsOnceTheTimeIsOver() {
        Random random = new Random(3);
        PairedComparison comparison = compare(1, 2, (side, number) -> result(Math.exp(random.nextGaussian())));
        assertThat(comparison.ended()).isEqualTo(Ended.TIME);
        assertThat(comparison.runs()).hasSize(40);
    }

    @Test
    void aDifferenceThatLooksRealEndsNothing() {
        Random random = new Random(4);
        PairedComparison comparison =
                compare(1, 5, (side, number) -> result((side == Side.A ? 2 : 1) * (1 + 0.2 * random.nextDouble())));
        assertThat(comparison.ended()).isEqualTo(Ended.TIME);
        assertThat(comparison.headline().better()).isEqualTo(Side.A);
    }

    @Test
    void aRunThatLosesMessagesEndsIt() {
        PairedComparison comparison =
                compare(5, 60, (side, number) -> number == 5 ? new Given(1, 1).of(LOSES) : new Given(1, 1));
        assertThat(comparison.ended()).isEqualTo(Ended.WRONG);
        assertThat(comparison.failures()).containsExactly("B, run 6: subscriber 0: 7 messages lost");
    }

    @Test
    void aRelayThatDiesEndsIt() {
        PairedComparison comparison = compare(5, 60, (side, number) -> {
            if (number == 3) {
                throw new RunException("relay ended with exit code 3");
            }
            return result(1);
        });
        assertThat(comparison.ended()).isEqualTo(Ended.FAILED);
        assertThat(comparison.failures()).containsExactly("A, run 4: relay ended with exit code 3");
        assertThat(comparison.runs()).as("what there is").hasSize(3);
    }

    @Test
    void anInterruptEndsItWithWhatThereIs() {
        PairedComparison comparison = compare(5, 60, (side, number) -> {
            if (number == 25) {
                throw new InterruptedException();
            }
            return result(number % 3 + 1);
        });
        assertThat(comparison.ended()).isEqualTo(Ended.INTERRUPTED);
        assertThat(comparison.runs()).hasSize(25);
        assertThat(comparison.headline().ratio().isKnown()).isTrue();
    }

    /** What a relay does is its result: no run is left out for it, and the report says whose runs stood still. */
    @Test
    void aRunThatStoodStillIsNotLeftOut() {
        PairedComparison comparison = compare(5, 60, (side, number) -> {
            Given given = result(side == Side.A ? 100 : 99);
            return side == Side.B && number / 2 % 3 == 0 ? given.stoodStill(150) : given;
        });
        assertThat(comparison.pairs().alone()).isEmpty();
        assertThat(new PairedReport(Map.of(Side.A, "one", Side.B, "other"), comparison).table())
                .contains("4 of 11 runs of B stood still, 0 of 11 of A\n");
    }

    /**
     * What the intervals promise, with a look after every pair: of sides that are alike, 1 is outside of the 95 %
     * interval in one comparison of twenty at most, and a verdict that one is ahead falls in one of a hundred. Runs
     * scatter like those of a quiet machine, or with a few that went astray, or about two places. Thorough, as it is
     * hundreds of comparisons.
     */
    @Tag("thorough")
    @ConcurrentTest.Parameterized
    @CsvSource({"even, 0.05", "astray, 0.03", "two places, 0.05", "even, 0.02"})
    void alikeSidesAreFoundAlikeAsOftenAsItSays(String kind, double spread) {
        Supplier<Double> noise = noise(kind, spread, new Random(11));
        int trials = 150;
        int outside = 0;
        int alarms = 0;
        for (int i = 0; i < trials; i++) {
            PairedRow row = compare(5, 5, (side, number) -> result(Math.exp(noise.get())))
                    .headline();
            outside += row.ratio().includes(1) ? 0 : 1;
            alarms += row.better() == null ? 0 : 1;
        }
        // 5 % and 1 % of 150, and three standard deviations.
        assertThat(outside).isLessThanOrEqualTo(7 + 8);
        assertThat(alarms).isLessThanOrEqualTo(1 + 4);
    }

    /** A difference as large as the smallest that is said to be seen is seen in about four of five. */
    @ConcurrentTest
    void theSmallestDifferenceIsSeenAsOftenAsItSays() {
        Random random = new Random(12);
        double spread = 0.05;
        double smallest = medianOfSmallest(random, spread);
        int trials = 100;
        int seen = 0;
        for (int i = 0; i < trials; i++) {
            PairedComparison comparison = compare(
                    0.1,
                    2,
                    (side, number) ->
                            result(Math.exp(spread * random.nextGaussian()) * (side == Side.A ? 1 : 1 + smallest)));
            seen += comparison.headline().ratio().includes(1) ? 0 : 1;
        }
        assertThat(seen / (double) trials).isBetween(0.68, 0.92);
    }

    private double medianOfSmallest(Random random, double spread) {
        double[] all = new double[51];
        for (int i = 0; i < all.length; i++) {
            all[i] = compare(0.1, 2, (side, number) -> result(Math.exp(spread * random.nextGaussian())))
                            .headline()
                            .smallestSeenPercent()
                    / 100;
        }
        Arrays.sort(all);
        return all[all.length / 2];
    }

    private static Supplier<Double> noise(String kind, double spread, Random random) {
        return switch (kind) {
            case "even" -> () -> spread * random.nextGaussian();
            case "astray" -> () -> spread * random.nextGaussian() * (random.nextInt(10) == 0 ? 8 : 1);
            default -> () -> spread * (random.nextGaussian() / 4 + (random.nextBoolean() ? 1 : -1));
        };
    }

    private interface Runner {
        Given run(Side side, int number) throws RunException, InterruptedException;
    }

    private PairedComparison compare(double withinPercent, int minutes, Runner runner) {
        order.clear();
        meter.now = 0;
        runs = 0;
        Experiment experiment = new Experiment(meter::nanoTime, meter::isEndAsked, listener(), () -> {}, 2);
        return new InTurn(experiment, List.of(Figure.DELIVERIES), 1, withinPercent)
                .compare(
                        List.of(cell(Side.A, runner), cell(Side.B, runner)),
                        TimeUnit.MINUTES.toNanos(minutes),
                        known -> {});
    }

    private Plan cell(Side side, Runner runner) {
        return Plan.here(side.name(), PLAIN, Load.oneToOne(100), SECOND, (plan, round, observer) -> {
            order.add(side);
            meter.now += RUN_NANOS;
            return LoadRuns.record(plan.load(), SECOND, round, runner.run(side, runs++));
        });
    }

    private static RunObserver listener() {
        return new RunObserver() {};
    }

    /** Deliveries come in whole messages. */
    private static Given result(double figure) {
        return new Given(Math.round(figure * 1e6), 1_000);
    }
}
