package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.experiment.Experiment;
import dev.msgrelay.loadgen.experiment.Experiment.Until;
import dev.msgrelay.loadgen.experiment.Keeper;
import dev.msgrelay.loadgen.experiment.Listener;
import dev.msgrelay.loadgen.experiment.LoadCell;
import dev.msgrelay.loadgen.experiment.Meter;
import dev.msgrelay.loadgen.experiment.Run;
import dev.msgrelay.loadgen.experiment.TimeLeft;
import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.result.Results.Origin;
import dev.msgrelay.loadgen.result.Results.Site;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.protocol.text.ShortText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

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

    private final ShootoutSettings settings;
    private final Equipment equipment;
    private final Listener listener;
    private final Keeper keeper;
    private final Experiment<RunResult> experiment;
    private final Origin origin;
    private final List<Site> sites;
    private final List<LaneSheet> sheets = new ArrayList<>();
    private final List<LaneResult> skipped = new ArrayList<>();
    private Ending ending = Ending.running();

    @FunctionalInterface
    public interface Kept {
        /**
         * Writes everything anew, in the place of what was written before; called after every run.
         *
         * @throws IOException it could not be written; what was written before is still there
         */
        void write(Results results) throws IOException;
    }

    /**
     * @param kept gets everything after every run
     * @param sites the machines that take part, the relay's first
     */
    public ShootoutRun(
            ShootoutSettings settings,
            Equipment equipment,
            Meter meter,
            Listener listener,
            Kept kept,
            Origin origin,
            List<Site> sites) {
        this.settings = settings;
        this.equipment = equipment;
        this.listener = listener;
        this.origin = origin;
        this.sites = new ArrayList<>(sites);
        this.keeper = new Keeper(() -> kept.write(results()), listener);
        this.experiment = new Experiment<>(meter, listener, keeper, GIVE_UP_AFTER);
    }

    /** The work ahead, in one line: "4 lanes x 3 loads x 3 rounds: 48 runs with their ceilings, about 6 min". */
    public static String summary(ShootoutSettings settings) {
        String head = count(settings.lanes().size(), "lane") + " x "
                + count(settings.loads().size(), "load");
        Equipment none = new Equipment(null, null, lane -> null, null);
        List<LaneSheet> sheets = settings.lanes().stream()
                .map(spec -> new LaneSheet(onPaper(spec), settings, none))
                .toList();
        List<LoadCell> round = cells(sheets, settings);
        long baselines = sheets.stream()
                .mapToLong(sheet -> sheet.baselines().cells().size())
                .sum();
        return head + " x " + count(settings.rounds(), "round") + ": "
                + settings.rounds() * (round.size() - baselines) + " runs with those for ceilings, about "
                + TimeLeft.text(Experiment.estimate(round).multipliedBy(settings.rounds()));
    }

    private static String count(int number, String what) {
        return number + " " + ShortText.plural(number, what);
    }

    private static Lane onPaper(LaneSpec spec) {
        return Lane.between(
                spec, dev.msgrelay.loadgen.site.Site.HERE, dev.msgrelay.loadgen.site.Site.HERE, spec.emulatedLink());
    }

    /**
     * Does it all.
     *
     * @throws InterruptedException it was asked to end; what there is has been kept, and is marked
     */
    public void run() throws InterruptedException {
        boolean interrupted = false;
        try {
            open();
            keeper.keep();
            rounds();
            end(sheets.isEmpty() ? Ending.failed("no lane could be set up") : Ending.complete());
        } catch (InterruptedException e) {
            // There is little time from here on: what is to be known is kept, and nobody is waited for.
            interrupted = true;
            end(Ending.interrupted("interrupted"));
            throw e;
        } finally {
            close(interrupted);
        }
    }

    /** @param atOnce who closes a lane waits interruptibly, and goes on to force when it is interrupted */
    private void close(boolean atOnce) {
        if (atOnce) {
            Thread.currentThread().interrupt();
        }
        try {
            sheets.forEach(sheet -> sheet.lane().close());
        } finally {
            if (atOnce) {
                Thread.interrupted();
            }
        }
    }

    private void end(Ending how) {
        ending = how;
        keeper.keep();
    }

    private void open() throws InterruptedException {
        for (LaneSpec spec : settings.lanes()) {
            listener.begins("").phase("opening " + spec.label());
            try {
                Lane lane = equipment.opener().open(spec);
                sheets.add(new LaneSheet(lane, settings, equipment));
            } catch (IOException e) {
                experiment.endIfAsked();
                listener.notice("lane " + spec.label() + " is skipped: " + e.getMessage());
                skipped.add(LaneResult.skipped(LaneSheet.nameOf(spec), spec.kind(), spec.isEmulated(), e.getMessage()));
            }
        }
    }

    public Results results() {
        List<Run<RunResult>> runs = experiment.runs();
        List<LaneResult> lanes = new ArrayList<>();
        for (LaneSpec spec : settings.lanes()) {
            String name = LaneSheet.nameOf(spec);
            sheets.stream().filter(one -> one.name().equals(name)).forEach(one -> lanes.add(one.result(runs)));
            skipped.stream().filter(one -> one.name().equals(name)).forEach(lanes::add);
        }
        List<String> notes =
                sheets.stream().flatMap(sheet -> sheet.notes(runs).stream()).toList();
        return Results.of(origin, sites).withLanes(lanes).withNotes(notes).with(ending);
    }

    /** Whether a run failed, those for ceilings included. */
    public boolean hasFailures() {
        return experiment.runs().stream().anyMatch(run -> !run.failures().isEmpty());
    }

    /** Whether the last writing of the results failed. */
    public boolean isUnwritten() {
        return keeper.hasFailed();
    }

    private void rounds() throws InterruptedException {
        experiment.expect(cells(sheets, settings), settings.rounds());
        experiment.rounds("", cells(sheets, settings), Until.rounds(settings.rounds()));
    }

    /** Those of one round: first what links give without a relay, then loads, then lanes, so that what will be compared runs in turn. */
    private static List<LoadCell> cells(List<LaneSheet> sheets, ShootoutSettings settings) {
        Set<LoadCell> cells = new LinkedHashSet<>();
        sheets.forEach(sheet -> cells.addAll(sheet.baselines().cells()));
        for (Load load : settings.loads()) {
            sheets.forEach(sheet -> cells.addAll(sheet.cells(load)));
        }
        return List.copyOf(cells);
    }
}
