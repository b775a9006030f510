package dev.msgrelay.loadgen.compare;

import dev.msgrelay.loadgen.result.Regime;
import dev.msgrelay.loadgen.result.Results.Side;
import dev.msgrelay.loadgen.result.Results.Turn;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Runs of A and of B that belong together: of one regime always, and of one block of two wherever that has one. Where the
 * host has moved the cores within a block, each of its runs gets the nearest run of the other side and of its own
 * regime that is left over likewise. Every run is in one pair at most, so that pairs do not depend on each other.
 *
 * <p>Runs that do not count are left over, as long as there are pairs without them.
 *
 * @param moved how many of the pairs are of different blocks
 * @param alone runs without a partner
 */
public record Pairs(List<Pair> pairs, int moved, List<Turn> alone) {
    /** Two runs of one regime. */
    public record Pair(Turn a, Turn b) {
        public Regime regime() {
            return a.regime();
        }

        /** The logarithm of b's figure to a's; NaN where one of them has none. */
        double logRatio(Figure figure) {
            return Math.log(b.value(figure.id()) / a.value(figure.id()));
        }

        /** What the processes of both are named by: a's round and b's. */
        private List<Integer> processes() {
            return List.of(a.round(), b.round());
        }

        /** Runs between them. */
        int distance() {
            return Math.abs(a.number() - b.number());
        }

        private static Pair of(Turn one, Turn other) {
            return one.side() == Side.A ? new Pair(one, other) : new Pair(other, one);
        }
    }

    public Pairs {
        pairs = List.copyOf(pairs);
        alone = List.copyOf(alone);
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
        List<Turn> left = new ArrayList<>();
        for (int i = 0; i < runs.size(); i += 2) {
            List<Turn> block = runs.subList(i, Math.min(i + 2, runs.size())).stream()
                    .filter(counts)
                    .toList();
            if (block.size() == 2 && block.get(0).regime() == block.get(1).regime()) {
                pairs.add(Pair.of(block.get(0), block.get(1)));
            } else {
                left.addAll(block);
            }
        }
        int ofOneBlock = pairs.size();
        for (Pair pair : candidates(left)) {
            if (left.contains(pair.a()) && left.contains(pair.b())) {
                left.remove(pair.a());
                left.remove(pair.b());
                pairs.add(pair);
            }
        }
        List<Turn> alone = runs.stream()
                .filter(run -> left.contains(run) || !counts.test(run))
                .toList();
        return new Pairs(pairs, pairs.size() - ofOneBlock, alone);
    }

    /** Whether all runs in them count. */
    boolean count() {
        return pairs.stream().allMatch(pair -> pair.a().counts() && pair.b().counts());
    }

    /** All pairs that could be made of these, the nearest first. */
    private static List<Pair> candidates(List<Turn> left) {
        List<Pair> all = new ArrayList<>();
        for (Turn a : left) {
            for (Turn b : left) {
                if (a.side() == Side.A && b.side() == Side.B && a.regime() == b.regime()) {
                    all.add(new Pair(a, b));
                }
            }
        }
        all.sort(Comparator.comparingInt(Pair::distance));
        return all;
    }

    /** How many pairs are of which regime. */
    public Map<Regime, Integer> byRegime() {
        Map<Regime, Integer> counts = new TreeMap<>();
        pairs.forEach(pair -> counts.merge(pair.regime(), 1, Integer::sum));
        return counts;
    }

    /**
     * The logarithms of the ratios of one figure. Pairs that went through the same two processes are alike by what their
     * JVMs have made of the code, and tell less than as many others: together they give one, their centre.
     */
    double[] logRatios(Figure figure) {
        Map<List<Integer>, List<Double>> rounds = new LinkedHashMap<>();
        for (Pair pair : pairs) {
            double ratio = pair.logRatio(figure);
            if (Double.isFinite(ratio)) {
                rounds.computeIfAbsent(pair.processes(), both -> new ArrayList<>())
                        .add(ratio);
            }
        }
        return rounds.values().stream()
                .mapToDouble(ratios -> HodgesLehmann.centre(
                        ratios.stream().mapToDouble(Double::doubleValue).toArray()))
                .toArray();
    }
}
