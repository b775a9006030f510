package dev.msgrelay.loadgen.compare;

import dev.msgrelay.loadgen.measure.Machine;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.Parameters;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.result.Results.Origin;
import dev.msgrelay.loadgen.result.Results.Ratio;
import dev.msgrelay.loadgen.result.Results.Site;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** Sets b against a. What cannot be compared is left out, and said to be. */
public final class Comparer {
    private final Origin origin;
    private final Results a;
    private final Results b;
    private final boolean paired;
    private final List<Ratio> ratios = new ArrayList<>();
    private final List<String> leftOut = new ArrayList<>();
    private final Conditions conditions = new Conditions();

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
        if (a.sites().equals(b.sites())) {
            return true;
        }
        leftOut.add((any ? "not left out although the machines differ: " : "everything: the machines differ: ")
                + difference(a.sites(), b.sites()));
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
                ratios.addAll(
                        new CellComparer(name, paired, leftOut, conditions).compare(laneA, cell, laneB, other.get()));
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
}
