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
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Runs a shootout. Writes the results after every run, so that an early end loses none. Used by one thread.
 *
 * <pre>
 *  open lanes -&gt; rounds: each load on each lane -&gt; close lanes
 * </pre>
 */
public final class ShootoutRun {
    /** A lane is given up after this many failed runs in a row. */
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
     * The parameters of a shootout. Each lane derives the loads of its own transports from {@code loads}, which are
     * over TCP.
     */
    public record Shootout(
            List<LaneSpec> lanes,
            List<Load> loads,
            int rounds,
            Timing timing,
            boolean baseline,
            boolean countDisturbed) {
        /** The most combinations of load and lane that are accepted. A larger number is regarded as a typing error. */
        public static final int MAX_CELLS = 500;
    }

    /** The parts that use processes and the network. Tests replace them. */
    public record Equipment(Rig rig, Opener opener, LaneSheet.Iperf iperf3) {
        public Equipment(Opener opener) {
            this(Rig.OWN, opener, Iperf3::run);
        }
    }

    @FunctionalInterface
    public interface Opener {
        Way open(LaneSpec spec) throws IOException, InterruptedException;
    }

    @FunctionalInterface
    public interface Kept {
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

    /** Describes the work in one line: "4 lanes x 3 loads x 3 rounds: 48 runs with those for ceilings, about 6 min". */
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

    /** Runs the shootout. After an interrupt it writes the results so far, marked as interrupted. */
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
            // The JVM ends soon. So the results are written now, and close() then kills the processes without a wait.
            interrupted = true;
            finish(new Ending(Ending.How.INTERRUPTED, "Ctrl-C"));
            throw e;
        } finally {
            close(interrupted);
        }
    }

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
     * Writes all results. Of several failures in a row, only the first is reported. An interrupt would make the write
     * fail, so it is cleared before the write and set again afterwards.
     */
    private void writeResults() {
        boolean interrupted = Thread.interrupted();
        Optional<String> failure = write();
        if (failure.isPresent() && Thread.interrupted()) {
            interrupted = true;
            failure = write();
        }
        if (failure.isPresent() && !unwritten) {
            observer.notice("results cannot be written: " + failure.get() + "; the runs go on");
        } else if (failure.isEmpty() && unwritten) {
            observer.notice("results are written again");
        }
        unwritten = failure.isPresent();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private Optional<String> write() {
        try {
            kept.write(results());
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of("" + e.getMessage());
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

    /** Returns the exit code after the runs. */
    public int exitCode() {
        return Run.exitCode(experiment.runs());
    }

    public boolean isUnwritten() {
        return unwritten;
    }

    /**
     * Returns the plans of one round: first the baselines, then each load on all lanes, so that runs which are compared
     * follow each other.
     */
    private static List<Plan> plans(List<LaneSheet> sheets, Shootout shootout) {
        Set<Plan> plans = new LinkedHashSet<>();
        sheets.forEach(sheet -> plans.addAll(sheet.baselines()));
        for (Load load : shootout.loads()) {
            sheets.forEach(sheet -> plans.addAll(sheet.plans(load)));
        }
        return List.copyOf(plans);
    }
}
