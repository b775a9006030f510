package dev.msgrelay.loadgen.compare;

import dev.msgrelay.loadgen.host.Machine;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Counted;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.Parameters;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.result.Results.Origin;
import dev.msgrelay.loadgen.result.Results.Ratio;
import dev.msgrelay.loadgen.result.Results.Site;
import dev.msgrelay.loadgen.result.RunRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/** Sets b against a. What cannot be compared is left out, and said to be. */
public final class Comparer {
    private final Origin origin;
    private final Results a;
    private final Results b;
    private final boolean paired;
    private final List<Ratio> ratios = new ArrayList<>();
    private final List<String> leftOut = new ArrayList<>();
    private final Conditions conditions = new Conditions();

    /** Runs to be compared: of the same index where they are paired. */
    private record Chosen(List<RunRecord> a, List<RunRecord> b) {
        int size() {
            return Math.min(a.size(), b.size());
        }
    }

    /**
     * @param origin of the comparison
     * @param paired runs of a and b were taken in turn: the ones of equal round belong together
     */
    public Comparer(Origin origin, Results a, Results b, boolean paired) {
        this.origin = origin;
        this.a = a;
        this.b = b;
        this.paired = paired;
    }

    /**
     * All lanes that both have.
     *
     * @param anyMachine compare results of different machines too
     */
    public Results allLanes(boolean anyMachine) {
        if (!machines(anyMachine)) {
            return results();
        }
        Set<String> names = new LinkedHashSet<>();
        a.lanes().forEach(lane -> names.add(lane.name()));
        b.lanes().forEach(lane -> names.add(lane.name()));
        for (String name : names) {
            lanes(name, a.lane(name), b.lane(name));
        }
        return results();
    }

    /**
     * One lane of a against one of b, whatever they are; the MTU is theirs and may differ.
     *
     * @param anyMachine compare results of different machines too
     */
    public Results lanes(String laneA, String laneB, boolean anyMachine) {
        if (machines(anyMachine)) {
            lanes(laneA + " against " + laneB, a.lane(laneA), b.lane(laneB));
        }
        return results();
    }

    /** The ratios; and as notes what was left out, one line each, and what differs although it was not. */
    private Results results() {
        leftOut.addAll(conditions.notices());
        return Results.of(origin, List.of(Site.here()))
                .withRatios(ratios)
                .withNotes(leftOut)
                .with(Ending.complete());
    }

    /** Whether the machines are alike, or do not have to be. */
    private boolean machines(boolean any) {
        String difference = difference(a.sites(), b.sites());
        if (difference.isEmpty()) {
            return true;
        }
        leftOut.add((any ? "not left out although the machines differ: " : "everything: the machines differ: ")
                + difference);
        return any;
    }

    private static String difference(List<Site> a, List<Site> b) {
        if (a.size() != b.size()) {
            return a.size() + " machines against " + b.size();
        }
        List<String> differences = new ArrayList<>();
        for (int i = 0; i < a.size(); i++) {
            Machine one = a.get(i).machine();
            Machine other = b.get(i).machine();
            add(differences, "cores", one.cores(), other.cores());
            add(differences, "processor", one.cpu(), other.cpu());
            add(differences, "JDK", one.jdk(), other.jdk());
            add(differences, "kernel", one.kernel(), other.kernel());
            add(differences, "congestion control", one.congestionControl(), other.congestionControl());
            add(differences, "site", a.get(i).name(), b.get(i).name());
        }
        return String.join("; ", differences);
    }

    private static void add(List<String> differences, String what, Object one, Object other) {
        if (!one.equals(other)) {
            differences.add(what + " " + one + " against " + other);
        }
    }

    private void lanes(String name, Optional<LaneResult> inA, Optional<LaneResult> inB) {
        if (inA.isEmpty() || inB.isEmpty()) {
            leftOut.add(name + ": not in " + (inA.isEmpty() ? "a" : "b"));
            return;
        }
        LaneResult laneA = inA.get();
        LaneResult laneB = inB.get();
        if (laneA.skipped() != null || laneB.skipped() != null) {
            leftOut.add(name + ": skipped in "
                    + (laneA.skipped() != null ? "a: " + laneA.skipped() : "b: " + laneB.skipped()));
            return;
        }
        boolean sameLane = laneA.name().equals(laneB.name());
        String difference = sameLane ? linkDifference(laneA, laneB) : null;
        if (difference != null) {
            leftOut.add(name + ": " + difference);
            return;
        }
        for (Cell cell : laneA.cells()) {
            Optional<Cell> other = laneB.cells().stream()
                    .filter(one -> isSame(one.parameters(), cell.parameters(), sameLane))
                    .findFirst();
            if (other.isEmpty()) {
                leftOut.add(name + ", " + cell.parameters() + ": not in b");
            } else {
                ratios.addAll(compare(name + ", " + cell.parameters(), laneA, cell, laneB, other.get()));
            }
        }
        for (Cell cell : laneB.cells()) {
            if (laneA.cells().stream().noneMatch(one -> isSame(one.parameters(), cell.parameters(), sameLane))) {
                leftOut.add(name + ", " + cell.parameters() + ": not in a");
            }
        }
    }

    private static String linkDifference(LaneResult laneA, LaneResult laneB) {
        if (laneA.emulated() != laneB.emulated()) {
            return "emulated in " + (laneA.emulated() ? "a" : "b") + " only";
        }
        if (!laneA.places().equals(laneB.places())) {
            return "publishers or subscribers are in another place: " + laneA.places() + " against " + laneB.places();
        }
        return Objects.equals(laneA.link(), laneB.link())
                ? null
                : "another link: " + laneA.link() + " against " + laneB.link();
    }

    private static boolean isSame(Parameters one, Parameters other, boolean withMtu) {
        return withMtu ? one.equals(other) : one.isSameLoad(other);
    }

    /**
     * A ratio for each figure that both have; none where no runs fit each other.
     *
     * @param cell what it is called where runs are left out
     */
    private List<Ratio> compare(String cell, LaneResult laneA, Cell cellA, LaneResult laneB, Cell cellB) {
        unfit(cell + ", a", cellA);
        unfit(cell + ", b", cellB);
        Chosen best = choose(cellA, cellB);
        if (best.size() == 0) {
            leftOut.add(cell + ": no two runs that count" + (paired ? " of one round" : ""));
            return List.of();
        }
        others(cell + ", a", cellA, best.a());
        others(cell + ", b", cellB, best.b());
        conditions.add(best.a(), best.b());
        String a = laneA.label();
        String b = laneB.label();
        String title = (a.equals(b) ? a : a + " against " + b) + ", " + cellA.parameters()
                + (paired ? " (paired by round)" : " (unpaired)");
        return Arrays.stream(Metric.values())
                .flatMap(metric -> ratio(title, a, b, metric, best).stream())
                .toList();
    }

    private Chosen choose(Cell cellA, Cell cellB) {
        List<RunRecord> a = cellA.runs().stream().filter(RunRecord::counts).toList();
        List<RunRecord> b = cellB.runs().stream().filter(RunRecord::counts).toList();
        if (!paired) {
            return new Chosen(a, b);
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
        return new Chosen(pairedA, pairedB);
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
        double[] logA = logarithms(inA);
        double[] logB = logarithms(inB);
        Estimate ratio =
                (paired ? HodgesLehmann.paired(differences(logA, logB)) : HodgesLehmann.unpaired(logA, logB)).exp();
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

    /** Their differences are logarithms of ratios. */
    private static double[] logarithms(double[] values) {
        return Arrays.stream(values).map(Math::log).toArray();
    }

    private static double[] differences(double[] a, double[] b) {
        return IntStream.range(0, a.length).mapToDouble(i -> b[i] - a[i]).toArray();
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
        return String.join(", ", run.outcome().environment());
    }

    /** Tells of runs that count but do not fit those that are compared. */
    private void others(String where, Cell cell, List<RunRecord> chosen) {
        for (RunRecord run : cell.runs()) {
            if (run.counts() && !chosen.contains(run)) {
                leftOut.add(where + ", round " + run.moment().round() + ": the other side has no such round");
            }
        }
    }
}
