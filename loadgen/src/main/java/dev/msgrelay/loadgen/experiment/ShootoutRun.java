package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.experiment.Experiment.Until;
import dev.msgrelay.loadgen.lane.Iperf3;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.rig.Plan;
import dev.msgrelay.loadgen.rig.Rig;
import dev.msgrelay.loadgen.rig.RunObserver;
import dev.msgrelay.protocol.text.ShortText;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * One shootout from the first lane to the last result. What has been taken is kept and written after every run, however
 * the shootout ends. One thread owns it.
 *
 * <pre>
 *  open lanes -&gt; rounds: every cell on every lane in turn -&gt; close lanes
 * </pre>
 */
public final class ShootoutRun {
    /** A lane on which so many runs in a row did not come to their end is given up. */
    private static final int GIVE_UP_AFTER = 2;

    private final Shootout shootout;
    private final Equipment equipment;
    private final RunObserver observer;
    private final Kept kept;
    private final Experiment experiment;
    private final Results empty;
    private final List<LaneSheet> sheets = new ArrayList<>();
    private final List<LaneResult> skipped = new ArrayList<>();
    private Ending ending = Ending.running();
    private boolean unwritten;

    /**
     * The tasks of a shootout.
     *
     * @param loads over TCP; each lane has its own transports
     * @param baseline whether one connection without a relay is measured, too, on lanes with a link
     * @param countDisturbed whether runs count although the machine was disturbed
     */
    public record Shootout(
            List<LaneSpec> lanes,
            List<Load> loads,
            int rounds,
            Timing timing,
            boolean baseline,
            boolean countDisturbed) {
        /** More cells (loads times lanes) than this are refused: somebody mistyped a list. */
        public static final int MAX_CELLS = 500;
    }

    /** Everything that touches the machine: tests put another one in its place. */
    public record Equipment(Rig rig, Opener opener, LaneSheet.Iperf iperf3) {
        public Equipment(Opener opener) {
            this(Rig.OWN, opener, Iperf3::run);
        }
    }

    @FunctionalInterface
    public interface Opener {
        /** Opens one; where it cannot be had, nothing of it is left. */
        Way open(LaneSpec spec) throws IOException, InterruptedException;
    }

    @FunctionalInterface
    public interface Kept {
        /** Writes everything anew; where that fails, what was written before is still there. */
        void write(Results results) throws IOException;
    }

    public ShootoutRun(
            Shootout shootout,
            Equipment equipment,
            LongSupplier clock,
            BooleanSupplier endAsked,
            RunObserver observer,
            Kept kept,
            Results empty) {
        this.shootout = shootout;
        this.equipment = equipment;
        this.observer = observer;
        this.empty = empty;
        this.kept = kept;
        this.experiment = new Experiment(clock, endAsked, observer, this::writeResults, GIVE_UP_AFTER);
    }

    /** The work ahead, in one line: "4 lanes x 3 loads x 3 rounds: 48 runs with those for ceilings, about 6 min". */
    public static String summary(Shootout shootout) {
        List<Plan> round = plans(
                shootout.lanes().stream()
                        .map(spec -> new LaneSheet(Way.onPaper(spec), shootout, Rig.OWN, Iperf3::run))
                        .toList(),
                shootout);
        Duration once = round.stream().map(Plan::estimate).reduce(Duration.ZERO, Duration::plus);
        return ShortText.counted(shootout.lanes().size(), "lane") + " x "
                + ShortText.counted(shootout.loads().size(), "load") + " x "
                + ShortText.counted(shootout.rounds(), "round") + ": " + shootout.rounds() * round.size()
                + " runs with those for ceilings, about "
                + TimeLeft.text(once.multipliedBy(shootout.rounds()));
    }

    /** Does it all; where it was asked to end, the runs so far have been kept, and are marked. */
    public void run() throws InterruptedException {
        boolean interrupted = false;
        try {
            open();
            writeResults();
            List<Plan> plans = plans(sheets, shootout);
            experiment.expect(plans, shootout.rounds());
            experiment.rounds(plans, Until.rounds(shootout.rounds()));
            finish(sheets.isEmpty() ? new Ending(Ending.How.FAILED, "no lane could be set up") : Ending.complete());
        } catch (InterruptedException e) {
            // There is little time from here on: what is to be known is kept, and nobody is waited for.
            interrupted = true;
            finish(new Ending(Ending.How.INTERRUPTED, "Ctrl-C"));
            throw e;
        } finally {
            close(interrupted);
        }
    }

    /** @param atOnce a lane's end is awaited interruptibly, and forced after an interrupt */
    private void close(boolean atOnce) {
        if (atOnce) {
            Thread.currentThread().interrupt();
        }
        try {
            sheets.forEach(sheet -> sheet.openLane().close());
        } finally {
            if (atOnce) {
                Thread.interrupted();
            }
        }
    }

    private Rig rig() {
        Rig rig = equipment.rig();
        return shootout.countDisturbed()
                ? (plan, round, told) -> rig.run(plan, round, told).accepted()
                : rig;
    }

    private void finish(Ending how) {
        ending = how;
        writeResults();
    }

    /**
     * Writes all results. A disk without room ends nothing: it is told once, and tried again with every run. A file that is
     * written by an interrupted thread is closed under it: the interrupt is left for the one who goes on.
     */
    private void writeResults() {
        boolean interrupted = Thread.interrupted();
        IOException failure = write();
        if (failure != null && Thread.interrupted()) {
            interrupted = true;
            failure = write();
        }
        if (failure != null && !unwritten) {
            observer.notice("results cannot be written: " + failure.getMessage() + "; the runs go on");
        } else if (failure == null && unwritten) {
            observer.notice("results are written again");
        }
        unwritten = failure != null;
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Null where all is written. */
    private IOException write() {
        try {
            kept.write(results());
            return null;
        } catch (IOException e) {
            return e;
        }
    }

    private void open() throws InterruptedException {
        for (LaneSpec spec : shootout.lanes()) {
            observer.begins("");
            observer.phase("opening " + spec.label());
            try {
                sheets.add(new LaneSheet(equipment.opener().open(spec), shootout, rig(), equipment.iperf3()));
            } catch (IOException e) {
                experiment.endIfAsked();
                observer.notice("lane " + spec.label() + " is skipped: " + e.getMessage());
                skipped.add(LaneResult.skipped(spec.id(), spec.kind(), spec.isEmulated(), e.getMessage()));
            }
        }
    }

    public Results results() {
        List<Run> runs = experiment.runs();
        List<LaneResult> lanes = new ArrayList<>();
        for (LaneSpec spec : shootout.lanes()) {
            sheets.stream()
                    .filter(one -> one.openLane().name().equals(spec.id()))
                    .forEach(one -> lanes.add(one.result(runs)));
            skipped.stream().filter(one -> one.name().equals(spec.id())).forEach(lanes::add);
        }
        return empty.withLanes(lanes)
                .withNotes(sheets.stream()
                        .flatMap(sheet -> sheet.notes(runs).stream())
                        .toList())
                .with(ending);
    }

    public boolean hasFailures() {
        return experiment.runs().stream().anyMatch(run -> !run.failures().isEmpty());
    }

    public boolean isUnwritten() {
        return unwritten;
    }

    /** Those of one round: first what links give without a relay, then loads, then lanes, so that what will be compared runs in turn. */
    private static List<Plan> plans(List<LaneSheet> sheets, Shootout shootout) {
        Set<Plan> plans = new LinkedHashSet<>();
        sheets.forEach(sheet -> plans.addAll(sheet.baselines()));
        for (Load load : shootout.loads()) {
            sheets.forEach(sheet -> plans.addAll(sheet.plans(load)));
        }
        return List.copyOf(plans);
    }
}
