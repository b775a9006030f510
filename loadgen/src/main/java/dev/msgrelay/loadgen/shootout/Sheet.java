package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.lane.End;
import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.lane.LaneLink;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.result.Ceilings;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.LinkFacts;
import dev.msgrelay.loadgen.result.Places;
import dev.msgrelay.loadgen.result.Places.Place;
import dev.msgrelay.loadgen.shootout.ShootoutSettings.Door;
import dev.msgrelay.loadgen.shootout.ShootoutSettings.Sides;
import dev.msgrelay.loadgen.shootout.Step.What;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What has been taken on one lane so far. The shootout's thread owns it. */
final class Sheet {
    /** A lane on which so many runs in a row did not come to their end is given up. */
    static final int MAX_FAILURES_IN_A_ROW = 2;

    private final LaneSpec spec;
    private final LaneLink link;
    private final String skipped;
    private final Places places;
    private final Map<LoadPoint, List<Taken>> cells = new LinkedHashMap<>();
    private final MeasuredCeilings measured = new MeasuredCeilings();
    private final Map<Integer, Rig.Baseline> baselines = new TreeMap<>();
    private final String far;
    private long latencyErrorNanos;
    private int failuresInARow;

    private Sheet(LaneSpec spec, LaneLink link, String skipped, Places places, String far) {
        this.spec = spec;
        this.link = link;
        this.skipped = skipped;
        this.places = places;
        this.far = far;
    }

    static Sheet of(Lane lane, Sides sides) {
        Places places = new Places(publishers(lane, sides), lane.isApart() ? place(sides.subscribers()) : Place.NEAR);
        return new Sheet(lane.spec(), lane.link(), null, places, lane.far().name());
    }

    private static Place publishers(Lane lane, Sides sides) {
        if (sides.door() == Door.WITHIN) {
            return Place.WITHIN;
        }
        if (sides.publishOverUnix(lane)) {
            return Place.NEAR_UNIX;
        }
        return lane.isApart() ? place(sides.publishers()) : Place.NEAR;
    }

    static Sheet skipped(LaneSpec spec, String reason) {
        return new Sheet(spec, null, reason, Places.NEAR, "");
    }

    private static Place place(End end) {
        return end == End.NEAR ? Place.NEAR : Place.FAR;
    }

    String name() {
        return OpenLanes.nameOf(spec);
    }

    /** Whether its ceiling has to be measured: it has no line rate. */
    boolean isCalibrated() {
        return link == null;
    }

    /** Whether its ceiling is arithmetic. */
    boolean hasLink() {
        return link != null;
    }

    /** Where the bytes come from that show what the lane gives without a relay. */
    End baselineFrom() {
        return Baselines.from(places);
    }

    /** What the lane gave in this round without a relay. */
    void add(int round, Rig.Baseline baseline) {
        baselines.put(round, baseline);
    }

    void add(Taken taken) {
        failuresInARow = taken.isWhole() ? 0 : failuresInARow + 1;
        if (taken.isWhole()) {
            latencyErrorNanos = Math.max(latencyErrorNanos, taken.outcome().latencyErrorNanos());
        }
        Step step = taken.step();
        if (step.what() == What.RELAY) {
            cells.computeIfAbsent(step.point(), key -> new ArrayList<>()).add(taken);
        } else {
            measured.add(taken);
        }
    }

    /** Whether nothing more is tried on it. */
    boolean isGivenUp() {
        return skipped != null || failuresInARow >= MAX_FAILURES_IN_A_ROW;
    }

    /** Everything about this lane, as results know it. */
    LaneResult result() {
        LaneKind kind = spec.kind();
        if (skipped != null) {
            return LaneResult.skipped(name(), kind, spec.isEmulated(), skipped);
        }
        List<Cell> results = new ArrayList<>();
        cells.forEach((point, runs) -> results.add(cell(point, runs)));
        LinkFacts facts = link == null ? null : new LinkFacts(link.speed(), link.format());
        return new LaneResult(name(), kind, spec.isEmulated(), null, facts, places, results);
    }

    private Cell cell(LoadPoint point, List<Taken> runs) {
        int mtu = link == null ? 0 : link.format().mtu();
        return new Cell(
                Records.parameters(point, mtu),
                link == null ? measured.of(name(), point) : byArithmetic(point),
                runs.stream()
                        .map(run ->
                                Records.of(run, places, far, link == null ? measured.beside(run) : byArithmetic(point)))
                        .toList());
    }

    /** What a reader has to know beside the runs: ceilings that were measured, how exact latencies are. */
    List<String> notes() {
        List<String> notes = new ArrayList<>(measured.lines());
        notes.addAll(Baselines.lines(spec.label(), places, baselines, cells));
        if (latencyErrorNanos > 0) {
            notes.add(String.format(
                    Locale.ROOT,
                    "%s: latencies from one host to the other may be wrong by up to %.0f us: clocks differ",
                    name(),
                    latencyErrorNanos / 1e3));
        }
        return notes;
    }

    private Ceilings byArithmetic(LoadPoint point) {
        return LaneCeilings.of(link.speed(), link.format(), point.body());
    }
}
