package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.result.Results.Side;
import dev.msgrelay.loadgen.result.Results.Turn;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Runs of A and of B that belong together: the two of one block, A B or B A, which were taken within seconds. What the machine
 * does to the one it mostly does to the other. Every run is in one pair at most, so that pairs do not depend on each other.
 *
 * <p>A run that the machine disturbed is left over, and so is the other of its block, as long as there are pairs without
 * such runs. What a contestant did leaves no run over.
 */
public record Pairs(List<Pair> pairs, List<Turn> alone) {
    public record Pair(Turn a, Turn b) {
        /** The logarithm of b's figure to a's; NaN where one of them has none. */
        double logRatio(Figure figure) {
            return Math.log(b.value(figure.id()) / a.value(figure.id()));
        }

        private static Pair of(Turn one, Turn other) {
            return one.side() == Side.A ? new Pair(one, other) : new Pair(other, one);
        }
    }

    /**
     * Pairs those that count; where that gives no pair, all of them.
     *
     * @param runs whole ones, by number, without a gap
     */
    static Pairs of(List<Turn> runs) {
        Pairs counted = of(runs, Turn::counts);
        return counted.pairs().isEmpty() ? of(runs, run -> true) : counted;
    }

    private static Pairs of(List<Turn> runs, Predicate<Turn> counts) {
        List<Pair> pairs = new ArrayList<>();
        List<Turn> alone = new ArrayList<>();
        for (int i = 0; i < runs.size(); i += 2) {
            List<Turn> block = runs.subList(i, Math.min(i + 2, runs.size()));
            if (block.size() == 2 && block.stream().allMatch(counts)) {
                pairs.add(Pair.of(block.get(0), block.get(1)));
            } else {
                alone.addAll(block);
            }
        }
        return new Pairs(pairs, alone);
    }

    boolean count() {
        return pairs.stream().allMatch(pair -> pair.a().counts() && pair.b().counts());
    }

    /**
     * The logarithms of the ratios of one figure. Pairs that went through the same two processes are alike by what their
     * JVMs have made of the code, and tell less than as many others: together they give one, their centre.
     */
    double[] logRatios(Figure figure) {
        Map<Integer, List<Double>> rounds = new LinkedHashMap<>();
        for (Pair pair : pairs) {
            double ratio = pair.logRatio(figure);
            if (Double.isFinite(ratio)) {
                rounds.computeIfAbsent(pair.a().round(), round -> new ArrayList<>())
                        .add(ratio);
            }
        }
        return rounds.values().stream()
                .mapToDouble(ratios -> HodgesLehmann.centre(
                        ratios.stream().mapToDouble(Double::doubleValue).toArray()))
                .toArray();
    }
}
