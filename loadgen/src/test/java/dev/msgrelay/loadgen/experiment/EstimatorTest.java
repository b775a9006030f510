package dev.msgrelay.loadgen.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.experiment.PairedComparison.Ended;
import dev.msgrelay.loadgen.result.Results.Side;
import dev.msgrelay.loadgen.result.Results.Turn;
import dev.msgrelay.loadgen.result.RunRecord.Observed.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a comparison in turn promises, on a thousand that are made up: from the same seed, the same ones every time.
 * Runs scatter as on a quiet machine, one in twenty goes far astray, one in twenty is disturbed, and the machine itself
 * changes from block to block. Each comparison looks after every pair, and ends as one that runs relays does.
 */
@Execution(ExecutionMode.CONCURRENT)
class EstimatorTest {
    private static final int COMPARISONS = 1_000;
    private static final int MOST_PAIRS = 45;
    private static final double WITHIN_PERCENT = 5;
    private static final double SCATTER = 0.02;

    private enum Other {
        ALIKE(1, 0),
        ALIKE_AND_BOTH_PAUSE(1, 0.1),
        A_FIFTH_SLOWER(0.8, 0);

        private final double speed;
        private final double pauses;

        Other(double speed, double pauses) {
            this.speed = speed;
            this.pauses = pauses;
        }
    }

    @Test
    void ofSidesThatAreAlikeAtMostTwoInAHundredRaiseAnyAlarm() {
        expectFewAlarms(Other.ALIKE, false);
    }

    /** Thorough, as these are thousands of comparisons more. */
    @Tag("thorough")
    @ParameterizedTest
    @CsvSource({"ALIKE, true", "ALIKE_AND_BOTH_PAUSE, false"})
    void ofAlikeSidesAtAFixedRateOrWithPausesFewRaiseAnyAlarm(Other other, boolean paced) {
        expectFewAlarms(other, paced);
    }

    private static void expectFewAlarms(Other other, boolean paced) {
        assertThat(count(other, paced, EstimatorTest::isAlarm)).isLessThanOrEqualTo(COMPARISONS / 50);
    }

    @Test
    void aRelayThatIsAFifthSlowerIsFound() {
        assertThat(count(
                        Other.A_FIFTH_SLOWER,
                        false,
                        comparison -> comparison.headline().better() == Side.A))
                .isGreaterThanOrEqualTo(COMPARISONS * 9 / 10);
    }

    private static boolean isAlarm(PairedComparison comparison) {
        return comparison.rows().stream().anyMatch(row -> row.better() != null);
    }

    private interface Found {
        boolean in(PairedComparison comparison);
    }

    private static int count(Other other, boolean paced, Found found) {
        Random random = new Random(20_260_101);
        int count = 0;
        for (int i = 0; i < COMPARISONS; i++) {
            count += found.in(comparison(other, paced, random)) ? 1 : 0;
        }
        return count;
    }

    private static PairedComparison comparison(Other other, boolean paced, Random random) {
        List<Figure> figures = Figure.of(paced, false);
        List<Turn> turns = new ArrayList<>();
        double machine = 1;
        while (turns.size() < 2 * MOST_PAIRS) {
            int number = turns.size();
            machine = number % 2 == 1 ? machine : random.nextBoolean() ? 1 : 1.5;
            turns.add(turn(other, number, machine, figures, random));
            if (number % 2 == 1 && InTurn.isEnough(turns, figures, WITHIN_PERCENT)) {
                break;
            }
        }
        return PairedComparison.of(turns, figures, Ended.NARROW, List.of());
    }

    private static Turn turn(Other other, int number, double machine, List<Figure> figures, Random random) {
        Side side = Turns.side(number);
        boolean pauses = random.nextDouble() < other.pauses;
        boolean disturbed = random.nextInt(20) == 0;
        double astray = random.nextInt(20) == 0 ? 8 : 1;
        double noise = Math.exp(SCATTER * astray * random.nextGaussian());
        double speed = machine * noise * (side == Side.A ? 1 : other.speed) * (pauses ? 0.93 : 1);
        Map<String, Double> values = new TreeMap<>();
        for (Figure figure : figures) {
            double own = speed * Math.exp(SCATTER * random.nextGaussian());
            values.put(figure.id(), figure.moreIsBetter() ? own : 1 / own);
        }
        List<String> leftOut = disturbed ? List.of("other programs took 43 % of all cores") : List.of();
        Turn run = Turns.run(side, number, number / 2, values, leftOut);
        return pauses ? Turns.with(run, Kind.STOOD_STILL) : run;
    }
}
