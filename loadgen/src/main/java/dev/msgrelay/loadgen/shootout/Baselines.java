package dev.msgrelay.loadgen.shootout;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.experiment.LoadCell;
import dev.msgrelay.loadgen.experiment.LoadRig;
import dev.msgrelay.loadgen.experiment.Run;
import dev.msgrelay.loadgen.lane.End;
import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.lane.LinkBaseline;
import dev.msgrelay.loadgen.result.LaneResult.Place;
import dev.msgrelay.loadgen.result.LaneResult.Places;
import dev.msgrelay.loadgen.result.Spread;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.loadgen.run.Traffic;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The speed of one TCP connection on a lane with a link, without a relay, and the share of it through one, by rounds. */
final class Baselines {
    private static final double MEGA = 1e6;

    private final Lane lane;
    private final Places places;
    private final List<LoadCell> cells;

    Baselines(Lane lane, Places places, ShootoutSettings settings, Equipment equipment) {
        this.lane = lane;
        this.places = places;
        this.cells =
                lane.link() == null || !lane.isApart() || !settings.yardsticks().baseline()
                        ? List.of()
                        : List.of(
                                cell("", LinkBaseline.LOAD.withUnix(lane.unix()), settings.timing(), equipment.rig()),
                                cell(
                                        ", iperf3",
                                        LinkBaseline.LOAD.withCounts(0, 0),
                                        settings.timing(),
                                        (cell, observer) -> iperf3(cell, observer, equipment.iperf3())));
    }

    /** Where a baseline's bytes come from: they go to the subscribers, unless only publishers are across the link. */
    static End from(Places places) {
        return places.subscribers() == Place.FAR ? End.NEAR : End.FAR;
    }

    /** Cells of every round; none on a lane without a link, and where nobody asked for it. */
    List<LoadCell> cells() {
        return cells;
    }

    private LoadCell cell(String what, Load load, Timing timing, LoadRig rig) {
        String name = lane.label() + " without a relay" + what;
        return new LoadCell(
                name, name, LinkBaseline.SENDER, LinkBaseline.placement(lane, from(places)), load, timing, rig);
    }

    /** iperf3 counts bytes alone, of nobody's messages. Where it cannot be had the run is marked with the reason. */
    private RunResult iperf3(LoadCell cell, RunObserver observer, Equipment.Iperf3 iperf3) throws InterruptedException {
        observer.phase("iperf3");
        LinkBaseline.Iperf given = iperf3.run(lane, from(places), cell.timing());
        long nanos = cell.timing().measured().toNanos();
        Traffic bytes = new Traffic(0, Math.round(given.bytesPerSecond() * nanos / 1e9), nanos);
        List<String> marks = given.available() ? List.of() : List.of("no iperf3: " + given.reason());
        return RunResult.told("iperf3", cell.load(), cell.timing(), bytes, List.of(), marks);
    }

    /**
     * For people, one line each.
     *
     * @param relays whose runs are set against a baseline of their round
     */
    List<String> lines(List<Run<RunResult>> runs, Map<Load, LoadCell> relays) {
        List<String> lines = new ArrayList<>();
        if (cells.isEmpty()) {
            return lines;
        }
        List<Run<RunResult>> raws = of(cells.get(0), runs);
        List<Run<RunResult>> iperfs = of(cells.get(1), runs);
        if (raws.isEmpty()) {
            return lines;
        }
        Spread iperf = Spread.of(iperfs, Baselines::bytes);
        lines.add(format(
                "%s without a relay: raw stream %,.1f MB/s, %s (medians of %d)",
                lane.label(),
                Spread.of(raws, Baselines::bytes).median() / MEGA,
                iperf.isKnown() ? format("iperf3 %,.1f MB/s", iperf.median() / MEGA) : reason(iperfs),
                raws.size()));
        relays.forEach((load, cell) -> {
            String of = against(of(cell, runs), raws, iperfs);
            if (!of.isEmpty()) {
                lines.add("  " + LaneSheet.parameters(load, lane).load() + ": " + of);
            }
        });
        return lines;
    }

    private static List<Run<RunResult>> of(LoadCell cell, List<Run<RunResult>> runs) {
        return runs.stream().filter(run -> run.cell() == cell && run.isWhole()).toList();
    }

    /** Bytes a second that arrived; NaN where iperf3 could not be had. */
    private static double bytes(Run<RunResult> baseline) {
        double bytes = baseline.result().throughput().out().bytesPerSecond();
        return bytes > 0 ? bytes : Double.NaN;
    }

    private static String reason(List<Run<RunResult>> iperfs) {
        return iperfs.stream()
                .flatMap(run -> run.outcome().environment().stream())
                .filter(mark -> mark.startsWith("no iperf3"))
                .findFirst()
                .orElse("no iperf3");
    }

    /** "0.993 (0.991 .. 0.994) of the raw stream, 0.992 (0.990 .. 0.993) of iperf3". */
    private String against(List<Run<RunResult>> runs, List<Run<RunResult>> raws, List<Run<RunResult>> iperfs) {
        List<Run<RunResult>> counted = runs.stream().filter(Run::counts).toList();
        Spread raw = Spread.of(counted, ratio(raws));
        Spread iperf = Spread.of(counted, ratio(iperfs));
        if (!raw.isKnown()) {
            return "";
        }
        return text(raw) + " of the raw stream" + (iperf.isKnown() ? ", " + text(iperf) + " of iperf3" : "");
    }

    /** NaN where the run's round has no baseline. */
    private ToDoubleFunction<Run<RunResult>> ratio(List<Run<RunResult>> baselines) {
        return run -> baselines.stream()
                .filter(baseline -> baseline.round() == run.round())
                .mapToDouble(baseline -> crossed(run.result()) / bytes(baseline))
                .findFirst()
                .orElse(Double.NaN);
    }

    /**
     * Bytes a second that crossed the link in the direction of the baseline: all deliveries, which share the link as the
     * baseline's one connection has it alone; where only publishers are across, what they sent.
     */
    private double crossed(RunResult result) {
        return from(places) == End.NEAR
                ? result.throughput().out().bytesPerSecond()
                : result.throughput().in().bytesPerSecond();
    }

    private static String text(Spread spread) {
        return format("%.3f (%.3f .. %.3f)", spread.median(), spread.min(), spread.max());
    }
}
