package dev.msgrelay.loadgen.experiment;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.experiment.ShootoutRun.Shootout;
import dev.msgrelay.loadgen.lane.Iperf3;
import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.loadgen.plan.Traffic;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Cell.Ceilings;
import dev.msgrelay.loadgen.result.Cell.Share;
import dev.msgrelay.loadgen.result.Counted.Spread;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.RunRecord.Moment;
import dev.msgrelay.loadgen.rig.LoadRun;
import dev.msgrelay.loadgen.rig.Plan;
import dev.msgrelay.loadgen.rig.Rig;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The plans of one open lane, and the lane's result from their runs. Used only by the thread of the shootout. */
final class LaneSheet {

    private final Way way;
    private final Shootout shootout;
    private final Map<Load, Plan> relays = new LinkedHashMap<>();
    /**
     * Plans for the plain relay. Only local lanes without an emulated link have such plans. Loads that become equal by
     * {@link Load#ofPlainRelay} share a plan.
     */
    private final Map<Load, Plan> plains = new LinkedHashMap<>();
    /** Plans for {@code --baseline}, which measure one connection without a relay: a simple sender, and iperf3. */
    private final List<Plan> baselines = new ArrayList<>();

    private final Set<String> warnings = new LinkedHashSet<>();

    @FunctionalInterface
    interface Iperf {
        Iperf3.Result run(Lane lane, Timing timing) throws InterruptedException;
    }

    LaneSheet(Way way, Shootout shootout, Rig rig, Iperf iperf) {
        this.way = way;
        this.shootout = shootout;
        Timing timing = shootout.timing();
        for (Load load : shootout.loads()) {
            for (Load over : way.transported(load)) {
                relays.put(over, way.plan(over, timing, rig));
                if (way.isLocal() && !load.isPaced()) {
                    plains.computeIfAbsent(over.ofPlainRelay(), plain -> way.plain(plain, timing, rig));
                }
            }
        }
        if (shootout.baseline() && way.lane().spec().isEmulated()) {
            Plan sender = way.sender(timing);
            Load none = sender.load().withCounts(0, 0);
            baselines.add(way.plan(" without a relay", sender.contestant(), sender.load(), timing, rig));
            baselines.add(way.plan(
                    " without a relay: iperf3",
                    sender.contestant(),
                    none,
                    timing,
                    (plan, round, observer) -> iperf3(plan, round, iperf)));
        }
    }

    /** Measures with iperf3, which counts bytes but no messages. If iperf3 fails, the run counts as disturbed. */
    private RunRecord iperf3(Plan plan, int round, Iperf iperf) throws InterruptedException {
        String started = LoadRun.now();
        Iperf3.Result given = iperf.run(way.lane(), plan.timing());
        if (!given.warning().isEmpty()) {
            warnings.add("iperf3 says: " + given.warning());
        }
        long nanos = plan.timing().measured().toNanos();
        return RunRecord.reported(
                new Moment(round, started, plan.timing().warmup().toNanos(), nanos),
                new Traffic(0, Math.round(given.bytesPerSecond() * nanos / 1e9), nanos),
                given.reason().isEmpty() ? List.of() : List.of("no iperf3: " + given.reason()));
    }

    Way openLane() {
        return way;
    }

    List<Plan> baselines() {
        return baselines;
    }

    /** Returns all plans of a load; the plan that measures the ceiling comes first. */
    List<Plan> plans(Load load) {
        return way.transported(load).stream()
                .flatMap(over -> Stream.of(load.isPaced() ? null : plains.get(over.ofPlainRelay()), relays.get(over)))
                .filter(Objects::nonNull)
                .toList();
    }

    LaneResult result(List<Run> runs) {
        List<Cell> cells = new ArrayList<>();
        relays.forEach((load, plan) -> {
            List<RunRecord> own = Run.of(plan, runs);
            if (!own.isEmpty()) {
                List<RunRecord> above = load.isPaced() ? List.of() : Run.of(plains.get(load.ofPlainRelay()), runs);
                cells.add(cell(plan, own, above));
            }
        });
        return way.result(cells);
    }

    private Cell cell(Plan plan, List<RunRecord> own, List<RunRecord> above) {
        List<Share> shares = new ArrayList<>();
        for (RunRecord run : own) {
            int round = run.moment().round();
            Optional<Ceilings> ceilings = ceilings(
                    plan,
                    above.stream().filter(one -> one.moment().round() == round).toList());
            if (!run.outcome().partial()) {
                ceilings.filter(known -> known.unlike(run).isEmpty())
                        .ifPresent(known -> shares.add(Share.of(
                                round,
                                run.throughput(),
                                known,
                                way.places(),
                                plan.load().subscribers())));
            }
        }
        return new Cell(Cell.RELAY, plan.load(), ceilings(plan, above).orElse(null), shares, own);
    }

    /** Returns the link's ceilings. Without a link, returns those that the plain relay's median run measured. */
    private static Optional<Ceilings> ceilings(Plan plan, List<RunRecord> plainRelay) {
        List<RunRecord> sorted = plainRelay.stream()
                .filter(RunRecord::counts)
                .sorted(Comparator.comparingDouble(RunRecord::out))
                .toList();
        return Optional.ofNullable(plan.linkCeilings()).or(() -> sorted.stream()
                .skip(Math.max(0, sorted.size() - 1) / 2)
                .findFirst()
                .map(Ceilings::measured));
    }

    List<String> notes(List<Run> runs) {
        List<String> notes = new ArrayList<>(way.notes());
        if (!baselines.isEmpty()) {
            baselineNotes(runs, notes);
        }
        return notes;
    }

    private void baselineNotes(List<Run> runs, List<String> notes) {
        List<RunRecord> raws = Run.of(baselines.get(0), runs);
        List<RunRecord> iperfs = Run.of(baselines.get(1), runs);
        Spread raw = Spread.of(raws, LaneSheet::bytes);
        Spread iperf = Spread.of(iperfs, LaneSheet::bytes);
        if (!raw.isKnown()) {
            return;
        }
        String said = iperf.isKnown()
                ? format("iperf3 %,.1f MB/s", iperf.median() / 1e6)
                : iperfs.stream()
                        .flatMap(run -> run.outcome().environment().stream())
                        .findFirst()
                        .orElse("no iperf3");
        notes.add(format(
                "%s without a relay: raw stream %,.1f MB/s, %s (medians of %d)",
                way.lane().label(), raw.median() / 1e6, said, raws.size()));
        warnings.forEach(warning -> notes.add("  " + warning));
        relays.forEach((load, plan) -> {
            List<RunRecord> counted =
                    Run.of(plan, runs).stream().filter(RunRecord::counts).toList();
            String ofRaw = ratio(counted, raws);
            String ofIperf = ratio(counted, iperfs);
            if (!ofRaw.isEmpty()) {
                notes.add("  " + load + ": " + ofRaw + " of the raw stream"
                        + (ofIperf.isEmpty() ? "" : ", " + ofIperf + " of iperf3"));
            }
        });
    }

    private static double bytes(RunRecord baseline) {
        double bytes = baseline.bytesOut();
        return bytes > 0 ? bytes : Double.NaN;
    }

    /** Returns the ratios to baseline runs of the same rounds, "median (lowest .. highest)"; empty without any. */
    private static String ratio(List<RunRecord> runs, List<RunRecord> baselines) {
        Spread spread = Spread.ofRounds(runs, baselines, LaneSheet::bytes);
        return spread.isKnown() ? format("%.3f (%.3f .. %.3f)", spread.median(), spread.min(), spread.max()) : "";
    }
}
