package dev.msgrelay.loadgen.compare;

import static dev.msgrelay.loadgen.result.Regime.CHANGED;
import static dev.msgrelay.loadgen.result.Regime.FAR;
import static dev.msgrelay.loadgen.result.Regime.NEAR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.msgrelay.loadgen.result.Regime;
import dev.msgrelay.loadgen.result.Results.Side;
import dev.msgrelay.loadgen.result.Results.Turn;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which runs belong together. */
class PairsTest {
    @Test
    void blocksOfOneRegimeArePairs() {
        Pairs pairs = pairs(NEAR, NEAR, FAR, FAR, NEAR, NEAR);
        assertThat(numbers(pairs)).containsExactly("0-1", "3-2", "4-5");
        assertThat(pairs.byRegime()).isEqualTo(Map.of(NEAR, 2, FAR, 1));
        assertThat(pairs.moved()).isZero();
        assertThat(pairs.alone()).isEmpty();
    }

    /** The cores moved within blocks 0, 1 and 3: A0 near, B1 far; B2 far, A3 near; A4 B5 stay; B6 near, A7 far. */
    @Test
    void runsWhoseBlockWasSplitGetTheNearestOfTheirKind() {
        Pairs pairs = pairs(NEAR, FAR, FAR, NEAR, FAR, FAR, NEAR, FAR);
        assertThat(numbers(pairs)).containsExactly("4-5", "3-6", "7-2");
        assertThat(pairs.moved()).isEqualTo(2);
        assertThat(pairs.alone()).extracting(Turn::number).containsExactly(0, 1);
        assertThat(pairs.pairs()).allSatisfy(pair -> assertThat(pair.a().regime())
                .isEqualTo(pair.b().regime()));
    }

    @Test
    void oneKindIsNeverSetAgainstAnother() {
        Pairs pairs = pairs(NEAR, FAR, CHANGED, NEAR);
        assertThat(pairs.pairs()).isEmpty();
        assertThat(pairs.alone()).hasSize(4);
    }

    @Test
    void aBlockThatHasOnlyBegunIsNoPair() {
        assertThat(pairs(NEAR).pairs()).isEmpty();
        Pairs pairs = pairs(NEAR, NEAR, NEAR);
        assertThat(numbers(pairs)).containsExactly("0-1");
        assertThat(pairs.alone()).extracting(Turn::number).containsExactly(2);
    }

    /** Runs 0 to 3 went through one relay of each side, 4 to 7 through others: two ratios, not four. */
    @Test
    void pairsOfTheSameProcessesGiveOneRatio() {
        List<Turn> turns = new ArrayList<>();
        double[] figures = {1, 2, 8, 2, 1, 1, 1, 1};
        for (int i = 0; i < figures.length; i++) {
            turns.add(Turns.run(Turns.side(i), i, i / 4, NEAR, Figure.DELIVERIES, figures[i]));
        }
        double[] ratios = Pairs.of(turns).logRatios(Figure.DELIVERIES);
        assertThat(ratios).hasSize(2);
        assertThat(ratios[0]).as("the centre of 2 and 4").isEqualTo(Math.log(Math.sqrt(8)), within(1e-9));
        assertThat(ratios[1]).isZero();
    }

    /** Runs of relays of their own are as good as any, whichever block they come from. */
    @Test
    void movedPairsOfOwnProcessesCountEachForItself() {
        Pairs pairs = pairs(NEAR, FAR, NEAR, FAR);
        assertThat(numbers(pairs)).containsExactly("0-2", "3-1");
        assertThat(pairs.logRatios(Figure.DELIVERIES)).hasSize(2);
    }

    @Test
    void aRunWithoutTheFigureHasNoRatio() {
        Turn none = Turns.run(Side.A, 0, 0, NEAR, Figure.P50, Double.NaN);
        Turn some = Turns.run(Side.B, 1, 0, NEAR, Figure.P50, 7.0);
        Pairs pairs = Pairs.of(List.of(none, some));
        assertThat(pairs.pairs()).hasSize(1);
        assertThat(pairs.logRatios(Figure.P50)).isEmpty();
        assertThat(pairs.logRatios(Figure.P99)).isEmpty();
    }

    private static List<String> numbers(Pairs pairs) {
        return pairs.pairs().stream()
                .map(pair -> pair.a().number() + "-" + pair.b().number())
                .toList();
    }

    private static Pairs pairs(Regime... regimes) {
        List<Turn> turns = new ArrayList<>();
        for (Regime regime : regimes) {
            int number = turns.size();
            turns.add(Turns.run(Turns.side(number), number, number / 2, regime, Figure.DELIVERIES, 1.0 + number));
        }
        return Pairs.of(turns);
    }
}
