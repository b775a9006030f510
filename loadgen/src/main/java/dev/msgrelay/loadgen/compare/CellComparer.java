package dev.msgrelay.loadgen.compare;

import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Counted;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.Regime;
import dev.msgrelay.loadgen.result.Results.Ratio;
import dev.msgrelay.loadgen.result.RunRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Sets the runs of one cell against those of another. */
final class CellComparer {
    private final String name;
    private final boolean paired;
    private final List<String> leftOut;
    private final Conditions conditions;

    /** Runs to be compared: of the same index where they are paired. */
    private record Chosen(Regime regime, List<RunRecord> a, List<RunRecord> b) {
        int size() {
            return Math.min(a.size(), b.size());
        }
    }

    /**
     * @param name of the lanes, for what is left out
     * @param leftOut where that is told
     * @param conditions where it is told in what the runs differ
     */
    CellComparer(String name, boolean paired, List<String> leftOut, Conditions conditions) {
        this.name = name;
        this.paired = paired;
        this.leftOut = leftOut;
        this.conditions = conditions;
    }

    /** A ratio for each figure that both have; none where no runs fit each other. */
    List<Ratio> compare(LaneResult laneA, Cell cellA, LaneResult laneB, Cell cellB) {
        String cell = name + ", " + cellA.parameters();
        unfit(cell + ", a", cellA);
        unfit(cell + ", b", cellB);
        Chosen best = Arrays.stream(Regime.values())
                .map(regime -> choose(regime, cellA, cellB))
                .reduce((one, other) -> other.size() > one.size() ? other : one)
                .orElseThrow();
        if (best.size() == 0) {
            leftOut.add(cell + ": no two runs " + (paired ? "of one round and" : "of") + " one regime: a has "
                    + regimes(cellA) + ", b has " + regimes(cellB));
            return List.of();
        }
        others(cell + ", a", cellA, best.regime(), best.a());
        others(cell + ", b", cellB, best.regime(), best.b());
        conditions.add(best.a(), best.b());
        String a = laneA.label();
        String b = laneB.label();
        String title = (a.equals(b) ? a : a + " against " + b) + ", " + cellA.parameters() + " (" + best.regime()
                + (paired ? ", paired by round)" : ", unpaired)");
        return Arrays.stream(Metric.values())
                .flatMap(metric -> ratio(title, a, b, metric, best).stream())
                .toList();
    }

    private Chosen choose(Regime regime, Cell cellA, Cell cellB) {
        List<RunRecord> a = Counted.of(cellA, regime).runs();
        List<RunRecord> b = Counted.of(cellB, regime).runs();
        if (!paired) {
            return new Chosen(regime, a, b);
        }
        List<RunRecord> pairedA = new ArrayList<>();
        List<RunRecord> pairedB = new ArrayList<>();
        for (RunRecord run : a) {
            b.stream()
                    .filter(other -> other.moment().round() == run.moment().round() && !pairedB.contains(other))
                    .findFirst()
                    .ifPresent(other -> {
                        pairedA.add(run);
                        pairedB.add(other);
                    });
        }
        return new Chosen(regime, pairedA, pairedB);
    }

    /** Of the runs that have the figure; in pairs, on both sides. */
    private Optional<Ratio> ratio(String title, String laneA, String laneB, Metric metric, Chosen runs) {
        double[] a = runs.a().stream().mapToDouble(metric::of).toArray();
        double[] b = runs.b().stream().mapToDouble(metric::of).toArray();
        int[] known = IntStream.range(0, Math.max(a.length, b.length))
                .filter(i -> !paired || !Double.isNaN(a[i]) && !Double.isNaN(b[i]))
                .toArray();
        double[] inA = known(a, known);
        double[] inB = known(b, known);
        if (inA.length == 0 || inB.length == 0) {
            return Optional.empty();
        }
        Estimate ratio = (paired ? HodgesLehmann.paired(differences(inA, inB)) : unpaired(inA, inB))
                .map(Estimate::exp)
                .orElse(Estimate.UNKNOWN);
        return Optional.of(new Ratio(
                title,
                metric.id(),
                laneA,
                laneB,
                Counted.median(inA),
                Counted.median(inB),
                inA.length,
                inB.length,
                ratio.value(),
                ratio.low(),
                ratio.high(),
                Double.NaN,
                Double.NaN,
                false,
                metric.meaning(ratio)));
    }

    private static double[] known(double[] values, int[] places) {
        return IntStream.of(places)
                .filter(i -> i < values.length)
                .mapToDouble(i -> values[i])
                .filter(value -> !Double.isNaN(value))
                .toArray();
    }

    /** Of logarithms: those are logarithms of ratios. */
    private static double[] differences(double[] a, double[] b) {
        return IntStream.range(0, a.length)
                .mapToDouble(i -> Math.log(b[i]) - Math.log(a[i]))
                .toArray();
    }

    private static Optional<Estimate> unpaired(double[] a, double[] b) {
        return HodgesLehmann.unpaired(
                Arrays.stream(a).map(Math::log).toArray(),
                Arrays.stream(b).map(Math::log).toArray());
    }

    /** Tells of runs that stand for nothing. */
    private void unfit(String where, Cell cell) {
        for (RunRecord run : cell.runs()) {
            if (!run.counts()) {
                leftOut.add(where + ", round " + run.moment().round() + ": " + why(run));
            }
        }
    }

    private static String why(RunRecord run) {
        if (!run.outcome().passed()) {
            return "FAIL: " + run.outcome().failures().get(0);
        }
        if (run.outcome().partial()) {
            return "partial";
        }
        return run.outcome().marks().isEmpty()
                ? "regime " + run.hops().regime()
                : String.join(", ", run.outcome().marks());
    }

    /** Tells of runs that count but do not fit those that are compared. */
    private void others(String where, Cell cell, Regime regime, List<RunRecord> chosen) {
        for (RunRecord run : cell.runs()) {
            if (run.counts() && !chosen.contains(run)) {
                leftOut.add(where + ", round " + run.moment().round() + ": "
                        + (run.hops().regime() == regime
                                ? "the other side has no such round"
                                : "regime " + run.hops().regime() + ", not " + regime));
            }
        }
    }

    private static String regimes(Cell cell) {
        String text = cell.runs().stream()
                .filter(RunRecord::counts)
                .collect(Collectors.groupingBy(run -> run.hops().regime(), TreeMap::new, Collectors.counting()))
                .entrySet()
                .stream()
                .map(entry -> entry.getValue() + " " + entry.getKey())
                .collect(Collectors.joining(" and "));
        return text.isEmpty() ? "none that counts" : text;
    }
}
