package dev.msgrelay.loadgen.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HodgesLehmannTest {
    private static final double CONFIDENCE = 0.95;
    private static final double TAIL = (1 - CONFIDENCE) / 2;
    private static final double ROUNDING = 1e-9;

    /** Hollander and Wolfe, table 3.1: a depression scale before and after; (3.25) and (3.40). */
    @Test
    void pairedAsInTheTextbook() {
        double[] before = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
        double[] after = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
        double[] differences = new double[before.length];
        for (int i = 0; i < differences.length; i++) {
            differences[i] = after[i] - before[i];
        }
        Estimate estimate = paired(differences);
        assertThat(estimate.value()).isEqualTo(-0.46, within(ROUNDING));
        assertThat(estimate.low()).isEqualTo(-0.786, within(ROUNDING));
        assertThat(estimate.high()).isEqualTo(-0.010, within(ROUNDING));
    }

    /**
     * The critical values of every table of Wilcoxon's signed-rank test, two-sided, 5 %; one more is where the interval
     * begins.
     */
    @ParameterizedTest
    @CsvSource({"6, 0", "7, 2", "8, 3", "10, 8", "15, 25", "20, 52", "25, 89"})
    void signedRanksAsInTheTables(int n, int critical) {
        assertThat(HodgesLehmann.rank(HodgesLehmann.signedRankCounts(n), TAIL)).isEqualTo(critical + 1);
    }

    @Test
    void countsAddUpToAllOrders() {
        assertThat(HodgesLehmann.signedRankCounts(3)).containsExactly(1, 1, 1, 2, 1, 1, 1);
    }

    @Test
    void theLeastThatAnIntervalNeeds() {
        assertThat(paired(new double[HodgesLehmann.MIN_PAIRS - 1]).isKnown()).isFalse();
        assertThat(paired(new double[HodgesLehmann.MIN_PAIRS]).isKnown()).isTrue();
    }

    /** What 95 % promises: of two samples from the same source, so many intervals have no difference in them. */
    @Test
    void theIntervalHoldsAsOftenAsItSays() {
        Random random = new Random(7);
        int trials = 4_000;
        int paired = 0;
        for (int i = 0; i < trials; i++) {
            paired += paired(random.doubles(7, -1, 1).toArray()).includes(0) ? 1 : 0;
        }
        // Exactly 1 - 6/128, by the counts above; three standard deviations around it.
        assertThat((double) paired / trials).isEqualTo(1 - 6 / 128.0, within(0.011));
    }

    @Test
    void oneRunThatWentAstrayHardlyMovesIt() {
        double[] differences = {0.10, 0.09, 0.10, 0.11, 0.10, 0.09, 9.00};
        assertThat(paired(differences).value()).isEqualTo(0.1, within(0.02));
    }

    private static Estimate paired(double[] differences) {
        return HodgesLehmann.paired(differences, CONFIDENCE);
    }
}
