package dev.msgrelay.loadgen.shootout;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.experiment.CeilingCells;
import dev.msgrelay.loadgen.experiment.LoadCell;
import dev.msgrelay.loadgen.experiment.Run;
import dev.msgrelay.loadgen.lane.End;
import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.load.Check;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Cell.Ceilings;
import dev.msgrelay.loadgen.result.Cell.Ceilings.Rate;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.LaneResult.Place;
import dev.msgrelay.loadgen.result.LaneResult.Places;
import dev.msgrelay.loadgen.result.Parameters;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.run.Contestant;
import dev.msgrelay.loadgen.run.Contestants;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.Traffic;
import dev.msgrelay.loadgen.shootout.ShootoutSettings.Sides;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The cells of one open lane, and what their runs say of it. The shootout's thread owns it. */
final class LaneSheet {
    private static final double MEGA = 1e6;

    private final Lane lane;
    private final ShootoutSettings settings;
    private final Equipment equipment;
    private final Places places;
    private final Baselines baselines;

    /** The relay's cells, by what is sent. */
    private final Map<Load, LoadCell> relays = new LinkedHashMap<>();

    /** Where there is no line rate, what only copies bytes, by what is sent through it. Loads that differ little share it. */
    private final Map<Load, LoadCell> plains = new LinkedHashMap<>();

    /** Publisher and subscriber with nothing between them, likewise. */
    private final Map<Load, LoadCell> directs = new LinkedHashMap<>();

    LaneSheet(Lane lane, ShootoutSettings settings, Equipment equipment) {
        this.lane = lane;
        this.settings = settings;
        this.equipment = equipment;
        this.places = new Places(publishers(lane, settings.sides()), subscribers(lane, settings.sides()));
        this.baselines = new Baselines(lane, places, settings, equipment);
        settings.loads().forEach(this::cells);
    }

    private static Place publishers(Lane lane, Sides sides) {
        if (lane.spec().kind() == LaneKind.REMOTE) {
            return Place.FAR;
        }
        if (sides.publishOverUnix(lane)) {
            return Place.NEAR_UNIX;
        }
        return lane.isApart() ? place(sides.publishers()) : Place.NEAR;
    }

    private static Place subscribers(Lane lane, Sides sides) {
        if (lane.spec().kind() == LaneKind.REMOTE) {
            return Place.FAR;
        }
        return lane.isApart() ? place(sides.subscribers()) : Place.NEAR;
    }

    private static Place place(End end) {
        return end == End.NEAR ? Place.NEAR : Place.FAR;
    }

    Lane lane() {
        return lane;
    }

    /** Unique within a shootout, and the same in every one: "10gbe", "10gbe-mtu9000". */
    static String nameOf(LaneSpec spec) {
        boolean usual = spec.mtu() == 0 || spec.mtu() == LaneSpec.ETHERNET_MTU;
        return spec.kind() == LaneKind.REMOTE ? spec.name() : spec.kind().title() + (usual ? "" : "-mtu" + spec.mtu());
    }

    String name() {
        return nameOf(lane.spec());
    }

    Baselines baselines() {
        return baselines;
    }

    /** The relay's cell, with this load. */
    LoadCell relay(Load load) {
        return relays.computeIfAbsent(load, key -> cell("", equipment.relay().apply(lane), key));
    }

    /** All cells of a load, its ceilings first; those that an earlier load has, too, are told again. */
    List<LoadCell> cells(Load load) {
        List<LoadCell> cells = new ArrayList<>();
        if (settings.isCalibrated(lane.spec()) && lane.link() == null) {
            cells.add(directs.computeIfAbsent(directLoad(load), this::direct));
            cells.add(plains.computeIfAbsent(plainLoad(load), this::plain));
        }
        cells.add(relay(load));
        return cells;
    }

    private static Load directLoad(Load load) {
        return plainLoad(load).withCounts(1, 1).withCheck(Check.NONE);
    }

    private static Load plainLoad(Load load) {
        return load.withCounts(1, load.subscribers()).withRawClients().withRate(0);
    }

    private LoadCell direct(Load load) {
        return cell(", ceiling: direct", Contestants.direct(CeilingCells.SIZE), load);
    }

    private LoadCell plain(Load load) {
        return cell(", ceiling: plain relay", Contestants.plain(CeilingCells.SIZE), load);
    }

    /** "10gbe (emulated, MTU 1500), 1 -> 8, body 100, full speed". */
    private LoadCell cell(String what, Contestant contestant, Load load) {
        String name = lane.label() + what + ", " + parameters(load, lane).load();
        return new LoadCell(
                name,
                "lane " + name(),
                contestant,
                lane.placement(settings.sides().publishers(), settings.sides().subscribers()),
                lane.unix() ? load.withUnix(true) : load,
                settings.timing(),
                equipment.rig());
    }

    /** Everything about this lane, as results know it. */
    LaneResult result(List<Run<RunResult>> runs) {
        List<Cell> cells = new ArrayList<>();
        relays.forEach((load, cell) -> {
            List<Run<RunResult>> own = of(cell, runs);
            if (!own.isEmpty()) {
                cells.add(cell(load, own, runs));
            }
        });
        return new LaneResult(name(), lane.spec().kind(), lane.spec().isEmulated(), null, lane.link(), places, cells);
    }

    private Cell cell(Load load, List<Run<RunResult>> own, List<Run<RunResult>> all) {
        List<Run<RunResult>> above = of(plains.get(plainLoad(load)), all);
        List<RunRecord> records = own.stream()
                .map(run -> LoadCell.record(run, places, ceiling(load, above, run)))
                .toList();
        return new Cell(parameters(load, lane), ceiling(load, above), records);
    }

    static Parameters parameters(Load load, Lane lane) {
        return Parameters.of(load)
                .withMtu(lane.link() == null ? 0 : lane.link().format().mtu());
    }

    private static List<Run<RunResult>> of(LoadCell cell, List<Run<RunResult>> runs) {
        return runs.stream().filter(run -> run.cell() == cell).toList();
    }

    /** The ceiling of all runs of a load, or null where nothing is known. */
    private Ceilings ceiling(Load load, List<Run<RunResult>> above) {
        return lane.link() == null
                ? median(above.stream().filter(Run::counts).toList())
                : LaneCeilings.of(lane.link(), load.body());
    }

    /** The ceiling of this run: without a line rate the plain relay of its own round; null where that does not count. */
    private Ceilings ceiling(Load load, List<Run<RunResult>> above, Run<RunResult> run) {
        if (lane.link() != null) {
            return ceiling(load, above);
        }
        return median(above.stream()
                .filter(one -> one.counts() && one.round() == run.round())
                .toList());
    }

    private static Ceilings median(List<Run<RunResult>> runs) {
        if (runs.isEmpty()) {
            return null;
        }
        List<Run<RunResult>> sorted =
                runs.stream().sorted(Comparator.comparingDouble(LoadCell::rate)).toList();
        Traffic traffic =
                sorted.get((sorted.size() - 1) / 2).result().throughput().out();
        return new Ceilings(
                Ceilings.PLAIN_RELAY, new Rate(traffic.messagesPerSecond(), traffic.bytesPerSecond()), null);
    }

    /** Notes beside the runs: ceilings that were measured. */
    List<String> notes(List<Run<RunResult>> runs) {
        List<String> notes = new ArrayList<>();
        directs.values().forEach(cell -> notes.addAll(ceilingNote("direct", cell, runs)));
        plains.values().forEach(cell -> notes.addAll(ceilingNote("plain relay", cell, runs)));
        notes.addAll(baselines.lines(runs, relays));
        return notes;
    }

    /** The median, for people: "unix: ceiling measured, direct to 1, ..."; nothing where no run counts. */
    private List<String> ceilingNote(String what, LoadCell cell, List<Run<RunResult>> runs) {
        List<Run<RunResult>> counted =
                of(cell, runs).stream().filter(Run::counts).toList();
        Ceilings median = median(counted);
        return median == null
                ? List.of()
                : List.of(format(
                        "%s: ceiling measured, %s to %d, %s: %,.0f msg/s, %,.1f MB/s (median of %d)",
                        name(),
                        what,
                        cell.load().subscribers(),
                        cell.load().body().describe(),
                        median.batched().messagesPerSecond(),
                        median.batched().bytesPerSecond() / MEGA,
                        counted.size()));
    }
}
