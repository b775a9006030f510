package dev.msgrelay.loadgen.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.msgrelay.loadgen.result.Results.Side;
import dev.msgrelay.loadgen.result.Results.Turn;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PairsTest {
    @Test
    void blocksArePairs() {
        Pairs pairs = pairs(6);
        assertThat(numbers(pairs)).containsExactly("0-1", "3-2", "4-5");
        assertThat(pairs.alone()).isEmpty();
    }

    /** Run 1 was disturbed: run 0 has nobody who met the same machine. */
    @Test
    void aDisturbedRunLeavesItsBlockOver() {
        Pairs pairs = pairs(6, 1);
        assertThat(numbers(pairs)).containsExactly("3-2", "4-5");
        assertThat(pairs.alone()).extracting(Turn::number).containsExactly(0, 1);
        assertThat(pairs.count()).isTrue();
    }

    @Test
    void whereNoPairIsLeftDisturbedRunsStandInThem() {
        Pairs pairs = pairs(4, 1, 2);
        assertThat(numbers(pairs)).containsExactly("0-1", "3-2");
        assertThat(pairs.count()).isFalse();
    }

    @Test
    void aBlockThatHasOnlyBegunIsNoPair() {
        assertThat(pairs(1).pairs()).isEmpty();
        Pairs pairs = pairs(3);
        assertThat(numbers(pairs)).containsExactly("0-1");
        assertThat(pairs.alone()).extracting(Turn::number).containsExactly(2);
    }

    /** Runs 0 to 3 went through one relay of each side, 4 to 7 through others: two ratios, not four. */
    @Test
    void pairsOfTheSameProcessesGiveOneRatio() {
        List<Turn> turns = new ArrayList<>();
        double[] figures = {1, 2, 8, 2, 1, 1, 1, 1};
        for (int i = 0; i < figures.length; i++) {
            turns.add(Turns.run(Turns.side(i), i, i / 4, Figure.DELIVERIES, figures[i]));
        }
        double[] ratios = Pairs.of(turns).logRatios(Figure.DELIVERIES);
        assertThat(ratios).hasSize(2);
        assertThat(ratios[0]).as("the centre of 2 and 4").isEqualTo(Math.log(Math.sqrt(8)), within(1e-9));
        assertThat(ratios[1]).isZero();
    }

    @Test
    void aRunWithoutTheFigureHasNoRatio() {
        Turn none = Turns.run(Side.A, 0, 0, Figure.P50, Double.NaN);
        Turn some = Turns.run(Side.B, 1, 0, Figure.P50, 7.0);
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

    /** So many runs, of which these were disturbed. */
    private static Pairs pairs(int runs, Integer... disturbed) {
        List<Turn> turns = new ArrayList<>();
        for (int number = 0; number < runs; number++) {
            List<String> leftOut = List.of(disturbed).contains(number) ? List.of("others worked") : List.of();
            Map<String, Double> figures = Map.of(Figure.DELIVERIES.id(), 1.0 + number);
            turns.add(Turns.run(Turns.side(number), number, number / 2, figures, leftOut));
        }
        return Pairs.of(turns);
    }
}
