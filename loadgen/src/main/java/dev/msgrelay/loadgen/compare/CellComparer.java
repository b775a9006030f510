package dev.msgrelay.loadgen.compare;

import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Counted;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.Regime;
import dev.msgrelay.loadgen.result.RunRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

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

    /** Empty where no runs fit each other. */
    Optional<CellComparison> compare(LaneResult laneA, Cell cellA, LaneResult laneB, Cell cellB) {
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
            return Optional.empty();
        }
        others(cell + ", a", cellA, best.regime(), best.a());
        others(cell + ", b", cellB, best.regime(), best.b());
        conditions.add(best.a(), best.b());
        List<Change> changes = new ArrayList<>();
        for (Metric metric : Metric.values()) {
            change(metric, best).ifPresent(changes::add);
        }
        return Optional.of(
                new CellComparison(laneA.label(), laneB.label(), cellA.parameters(), best.regime(), paired, changes));
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

    private Optional<Change> change(Metric metric, Chosen runs) {
        double[] a = runs.a().stream().mapToDouble(metric::of).toArray();
        double[] b = runs.b().stream().mapToDouble(metric::of).toArray();
        if (paired) {
            boolean[] both = new boolean[a.length];
            for (int i = 0; i < a.length; i++) {
                both[i] = !Double.isNaN(a[i]) && !Double.isNaN(b[i]);
            }
            a = only(a, both);
            b = only(b, both);
        } else {
            a = Arrays.stream(a).filter(value -> !Double.isNaN(value)).toArray();
            b = Arrays.stream(b).filter(value -> !Double.isNaN(value)).toArray();
        }
        if (a.length == 0 || b.length == 0) {
            return Optional.empty();
        }
        Estimate ratio = ratio(a, b);
        return Optional.of(new Change(metric, Counted.median(a), Counted.median(b), a.length, b.length, ratio));
    }

    private static double[] only(double[] values, boolean[] wanted) {
        double[] chosen = new double[values.length];
        int n = 0;
        for (int i = 0; i < values.length; i++) {
            if (wanted[i]) {
                chosen[n++] = values[i];
            }
        }
        return Arrays.copyOf(chosen, n);
    }

    /** Differences of logarithms are logarithms of ratios. */
    private Estimate ratio(double[] a, double[] b) {
        double[] logA = Arrays.stream(a).map(Math::log).toArray();
        double[] logB = Arrays.stream(b).map(Math::log).toArray();
        Optional<Estimate> shift;
        if (paired) {
            Arrays.setAll(logB, i -> logB[i] - logA[i]);
            shift = HodgesLehmann.paired(logB);
        } else {
            shift = HodgesLehmann.unpaired(logA, logB);
        }
        return shift.map(log -> new Estimate(Math.exp(log.value()), Math.exp(log.low()), Math.exp(log.high())))
                .orElse(null);
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
