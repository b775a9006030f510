package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.result.Results.Side;
import dev.msgrelay.loadgen.result.Results.Turn;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Pairs of runs of A and B: the two of one block, A B or B A, which were made within seconds, so that the machine
 * mostly did the same to both. A run is in one pair at most: pairs do not depend on each other.
 *
 * <p>A run that the machine disturbed is left over, and so is the other run of its block, as long as pairs without such
 * runs exist. Pauses of a contestant leave no run over.
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
     * Pairs the runs that count; where these give no pair, all runs.
     *
     * @param runs whole runs, by number, without a gap
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
     * The logarithms of the ratios of one figure, one of each round. The pairs of a round share two JVMs and their
     * compiled code, which makes them alike: their centre stands for all of them.
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
