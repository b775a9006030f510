package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.result.Results.Side;
import dev.msgrelay.loadgen.result.Results.Turn;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Pairs of one run of A and one of B. The two runs of a pair follow each other within seconds, so that the state of the
 * machine mostly affects both. No run is in two pairs.
 *
 * <p>If other programs disturbed one run of a pair, both runs are left out, unless no undisturbed pair exists. A pause
 * of A or B itself is no reason to leave out a run.
 */
public record Pairs(List<Pair> pairs, List<Turn> alone) {
    public record Pair(Turn a, Turn b) {
        double logRatio(Figure figure) {
            return Math.log(b.value(figure.id()) / a.value(figure.id()));
        }

        private static Pair of(Turn one, Turn other) {
            return one.side() == Side.A ? new Pair(one, other) : new Pair(other, one);
        }
    }

    /** Pairs the runs that count. If that makes no pair, pairs all runs. */
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
     * Returns for each round one logarithm of the ratio of B to A. All pairs of a round use the same two JVMs with the
     * same compiled code, so these pairs are not independent. Their centre represents the round.
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
