package dev.msgrelay.loadgen.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.msgrelay.loadgen.experiment.PairedComparison.Ended;
import dev.msgrelay.loadgen.result.Results.Side;
import dev.msgrelay.loadgen.result.Results.Turn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class PairedRowTest {
    private static final double ROUNDING = 1e-9;

    /** The logarithms are those of Hollander and Wolfe, table 3.1; its interval holds 96.1 %. */
    @Test
    void theIntervalIsTheTextbooks() {
        double[] before = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
        double[] after = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
        double[] a = new double[before.length];
        double[] b = new double[after.length];
        for (int i = 0; i < a.length; i++) {
            a[i] = Math.exp(before[i]);
            b[i] = Math.exp(after[i]);
        }
        PairedRow row = row(Figure.DELIVERIES, a, b);
        assertThat(row.ratio().value()).isEqualTo(Math.exp(-0.46), within(ROUNDING));
        assertThat(row.ratio().low()).isEqualTo(Math.exp(-0.786), within(ROUNDING));
        assertThat(row.ratio().high()).isEqualTo(Math.exp(-0.010), within(ROUNDING));
        assertThat(row.medianA()).isEqualTo(Math.exp(1.68), within(ROUNDING));
        assertThat(row.medianB()).isEqualTo(Math.exp(1.06), within(ROUNDING));
        assertThat(row.better()).as("1 is within the interval of 99 %").isNull();
        assertThat(row.verdict()).isEqualTo("perhaps A faster: take more pairs");
        assertThat(row.widthPercent()).isEqualTo((Math.exp(0.776) - 1) * 100, within(ROUNDING));
        assertThat(row.smallestSeenPercent()).isEqualTo((Math.exp(0.388 * 1.43) - 1) * 100, within(ROUNDING));
    }

    @Test
    void ofALatencyLessIsBetter() {
        PairedRow row = row(Figure.P99, fill(40, 9), fill(50, 9));
        assertThat(row.ratio().value()).isEqualTo(1.25, within(ROUNDING));
        assertThat(row.better()).isEqualTo(Side.A);
        assertThat(row.verdict()).isEqualTo("A faster");
        assertThat(row.speed().value()).isEqualTo(0.8, within(ROUNDING));
        assertThat(row(Figure.RELAY_CPU, fill(2, 9), fill(1, 9)).verdict()).isEqualTo("B needs less");
    }

    @Test
    void noDifferenceIsSaidWithItsLimit() {
        double[] a = {100, 100, 100, 100, 100, 100, 100, 100};
        double[] b = {98, 99, 100, 101, 102, 103, 97, 100};
        PairedRow row = row(Figure.DELIVERIES, a, b);
        assertThat(row.better()).isNull();
        assertThat(row.verdict()).matches("no difference seen beyond 2\\.\\d %");
    }

    @Test
    void fewerThanSixRoundsTellNothing() {
        PairedRow row = row(Figure.DELIVERIES, fill(1, 5), fill(9, 5));
        assertThat(row.ratio().isKnown()).isFalse();
        assertThat(row.better()).isNull();
        assertThat(row.speed().isKnown()).isFalse();
        assertThat(row.verdict()).isEqualTo("too few rounds");
        assertThat(row.widthPercent()).isInfinite();
        assertThat(row.smallestSeenPercent()).isInfinite();
        PairedRow none = row(Figure.DELIVERIES, new double[0], new double[0]);
        assertThat(none.medianA()).isNaN();
        assertThat(row(Figure.DELIVERIES, fill(1, 6), fill(9, 6)).ratio().isKnown())
                .isTrue();
    }

    @Test
    void belowIsTheWholeInterval() {
        assertThat(comparison(Figure.DELIVERIES, 100, 90).isBelow(0.95)).isTrue();
        assertThat(comparison(Figure.DELIVERIES, 100, 90).isBelow(0.90)).isFalse();
        assertThat(comparison(Figure.DELIVERIES, 100, 120).isBelow(0.95)).isFalse();
        assertThat(comparison(Figure.P50, 90, 100).isBelow(0.95))
                .as("a latency that grows is a speed that falls")
                .isTrue();
        assertThat(PairedComparison.of(List.of(), List.of(Figure.P50), Ended.TIME, List.of())
                        .isBelow(1))
                .as("nothing is known")
                .isFalse();
    }

    private static PairedComparison comparison(Figure figure, double a, double b) {
        return PairedComparison.of(turns(figure, fill(a, 8), fill(b, 8)), List.of(figure), Ended.TIME, List.of());
    }

    private static double[] fill(double value, int count) {
        double[] values = new double[count];
        Arrays.fill(values, value);
        return values;
    }

    private static PairedRow row(Figure figure, double[] a, double[] b) {
        return PairedRow.of(figure, Pairs.of(turns(figure, a, b)), 0.01);
    }

    private static List<Turn> turns(Figure figure, double[] a, double[] b) {
        List<Turn> turns = new ArrayList<>();
        for (int i = 0; i < 2 * a.length; i++) {
            Side side = Turns.side(i);
            double value = (side == Side.A ? a : b)[i / 2];
            turns.add(Turns.run(side, i, i / 2, figure, value));
        }
        return turns;
    }
}
