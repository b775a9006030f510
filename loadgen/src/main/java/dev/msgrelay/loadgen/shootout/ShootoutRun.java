package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.agent.AgentSite;
import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.lane.LaneUnavailableException;
import dev.msgrelay.loadgen.measure.Machine;
import dev.msgrelay.loadgen.result.Ending;
import dev.msgrelay.loadgen.result.MaxRate;
import dev.msgrelay.loadgen.result.Shootout;
import dev.msgrelay.loadgen.result.Site;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.shootout.Plan.PlannedLane;
import dev.msgrelay.loadgen.shootout.ShootoutSettings.Calibrate;
import dev.msgrelay.loadgen.shootout.Step.What;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * One shootout from the first lane to the last result. What has been taken is kept and written after every run, however
 * the shootout ends. One thread owns it.
 *
 * <pre>
 *  open lanes -&gt; [ best sizes for ceilings ] -&gt; rounds: every cell on every lane in turn -&gt; close lanes
 *                                             or: a search for the highest rate, for every cell on every lane
 * </pre>
 */
public final class ShootoutRun {
    private final ShootoutSettings settings;
    private final Equipment equipment;
    private final ShootoutListener listener;
    private final Keeper keeper;
    private final Book book;
    private final Taker taker;
    private final CeilingSizes sizes = new CeilingSizes();
    private Pace pace = new Pace(0);
    private boolean failed;

    /**
     * @param files where everything goes after every run
     * @param version of the tool
     * @param command the command line
     * @param sites the machines that take part, the relay's first
     */
    public ShootoutRun(
            ShootoutSettings settings,
            Equipment equipment,
            ShootoutListener listener,
            ResultFile files,
            String version,
            List<String> command,
            List<Site> sites) {
        this.settings = settings;
        this.equipment = equipment;
        this.listener = listener;
        this.book = new Book(new Shootout.Origin(version, Taker.now(), command), sites);
        this.keeper = new Keeper(files, listener);
        this.taker = new Taker(equipment, settings.sides(), settings.timing(), settings.search() != null);
    }

    /**
     * Does it all.
     *
     * @throws InterruptedException it was asked to end; what there is has been kept, and is marked
     */
    public void run() throws InterruptedException {
        try (OpenLanes lanes = new OpenLanes()) {
            try {
                lanes.open(settings.lanes(), this::open);
                measure(lanes);
                end(lanes.lanes().isEmpty() ? Ending.failed("no lane could be set up") : Ending.complete());
            } catch (InterruptedException e) {
                // There is little time from here on: what is to be known is kept, and nobody is waited for.
                end(Ending.interrupted("interrupted"));
                lanes.closeAtOnce();
                throw e;
            }
        }
    }

    private void measure(OpenLanes lanes) throws InterruptedException {
        Plan plan = begin(lanes);
        keeper.keep(book.shootout());
        if (settings.search() == null) {
            rounds(lanes, plan);
        } else {
            searches(lanes, plan);
        }
    }

    private void end(Ending how) {
        book.end(how);
        keeper.keep(book.shootout());
    }

    /** Everything so far; any time after the begin. */
    public Shootout shootout() {
        return book.shootout();
    }

    /** Whether a run failed, those for ceilings included; those of a search may, but not the search itself. */
    public boolean hasFailures() {
        return failed;
    }

    /** Whether the last writing of the results failed. */
    public boolean isUnwritten() {
        return keeper.hasFailed();
    }

    private Lane open(LaneSpec spec) throws LaneUnavailableException, InterruptedException {
        begins("").phase("opening " + spec.label());
        return equipment.opener().open(spec);
    }

    /** Tells that a step begins; an interrupt that came while results were written is noticed here. */
    private RunObserver begins(String where) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return listener.begins(where);
    }

    private Plan begin(OpenLanes lanes) {
        List<PlannedLane> planned = new ArrayList<>();
        for (LaneSpec spec : settings.lanes()) {
            String name = OpenLanes.nameOf(spec);
            String reason = lanes.whySkipped(name);
            if (reason != null) {
                book.add(Sheet.skipped(spec, reason));
                listener.notice("lane " + spec.label() + " is skipped: " + reason);
                continue;
            }
            Lane lane = lanes.lanes().get(name);
            Sheet sheet = Sheet.of(lane, settings.sides());
            book.add(sheet);
            if (lane.far() instanceof AgentSite agent) {
                book.add(new Site(
                        agent.name(), Machine.of(agent.connection().facts().machine())));
            }
            planned.add(new PlannedLane(name, sheet.isCalibrated() && isCalibrating()));
        }
        return new Plan(planned, settings.points(), settings.rounds(), settings.timing());
    }

    private boolean isCalibrating() {
        return settings.yardsticks().calibrate() != Calibrate.NEVER && settings.search() == null;
    }

    private void rounds(OpenLanes lanes, Plan plan) throws InterruptedException {
        List<Step> tried = settings.yardsticks().calibrate() == Calibrate.BEST_SIZE ? ceilingsOf(plan) : List.of();
        pace = new Pace(settings.estimateMillis(plan)
                + tried.stream().mapToLong(plan::estimateMillis).sum() * CeilingSizes.TRIED);
        for (Step step : tried) {
            trySizes(lanes.lanes().get(step.lane()), step, plan);
        }
        int all = plan.runs();
        int number = 0;
        for (int round = 1; round <= plan.rounds(); round++) {
            // As the steps, the other way round every other time.
            boolean first = round % 2 == 1;
            if (first) {
                baselines(lanes, round);
            }
            for (Step step : plan.round(round)) {
                number++;
                String which = text("round %d/%d, run %d/%d, ", round, plan.rounds(), number, all);
                oneOfRound(lanes.lanes().get(step.lane()), step, round, which, plan);
            }
            if (!first) {
                baselines(lanes, round);
            }
        }
    }

    /** What every lane with a link gives without a relay. */
    private void baselines(OpenLanes lanes, int round) throws InterruptedException {
        if (!settings.yardsticks().baseline()) {
            return;
        }
        for (Map.Entry<String, Lane> open : lanes.lanes().entrySet()) {
            Sheet sheet = book.sheet(open.getKey());
            if (sheet.hasLink() && !sheet.isGivenUp()) {
                baseline(sheet, open.getValue(), round);
            }
        }
    }

    private void baseline(Sheet sheet, Lane lane, int round) throws InterruptedException {
        RunObserver observer = begins(text("round %d, %s without a relay, %s", round, lane.label(), pace.text()));
        long begun = System.nanoTime();
        try {
            sheet.add(round, equipment.rig().baseline(lane, sheet.baselineFrom(), settings.timing(), observer));
        } catch (IOException | RunException e) {
            failed = true;
            listener.notice("FAIL " + lane.label() + " without a relay: " + e.getMessage());
        }
        pace.done(ShootoutSettings.baselineMillis(settings.timing()), System.nanoTime() - begun);
        keeper.keep(book.shootout());
    }

    private void oneOfRound(Lane lane, Step step, int round, String which, Plan plan) throws InterruptedException {
        if (book.sheet(step.lane()).isGivenUp()) {
            pace.dropped(plan.estimateMillis(step));
            return;
        }
        int size = step.what() == What.RELAY ? 0 : sizes.of(step);
        keep(timed(lane, step, round, size, which, plan));
    }

    private static List<Step> ceilingsOf(Plan plan) {
        return plan.round(1).stream().filter(step -> step.what() != What.RELAY).toList();
    }

    private void trySizes(Lane lane, Step step, Plan plan) throws InterruptedException {
        for (int size : CeilingSizes.all()) {
            Taken taken = timed(lane, step, 0, size, text("trying %,d bytes a write, ", size), plan);
            sizes.tried(step, size, taken.rate());
        }
    }

    private Taken timed(Lane lane, Step step, int round, int size, String which, Plan plan)
            throws InterruptedException {
        String left = settings.search() == null ? ", " + pace.text() : "";
        RunObserver observer = begins(which + Names.of(lane, step) + left);
        long begun = System.nanoTime();
        Taken taken = taker.take(lane, step, round, size, observer);
        pace.done(plan.estimateMillis(step), System.nanoTime() - begun);
        if (!taken.failures().isEmpty() && settings.search() == null) {
            failed = true;
            listener.notice(
                    "FAIL " + Names.of(lane, step) + ": " + taken.failures().get(0));
        }
        return taken;
    }

    private void keep(Taken taken) {
        Sheet sheet = book.sheet(taken.step().lane());
        sheet.add(taken);
        if (sheet.isGivenUp()) {
            listener.notice("lane " + sheet.name() + " is given up: " + Sheet.MAX_FAILURES_IN_A_ROW
                    + " runs in a row did not come to their end");
        }
        keeper.keep(book.shootout());
    }

    private void searches(OpenLanes lanes, Plan plan) throws InterruptedException {
        int all = plan.cells();
        int number = 0;
        for (LoadPoint point : settings.points()) {
            for (PlannedLane planned : plan.lanes()) {
                number++;
                Step step = new Step(planned.name(), point, What.RELAY);
                String which = text("search %d/%d, ", number, all);
                search(lanes.lanes().get(planned.name()), step, which, plan);
            }
        }
    }

    private void search(Lane lane, Step cell, String which, Plan plan) throws InterruptedException {
        RateProbe probe = new RateProbe(lane, cell, settings.search());
        MaxRateSearch search = new MaxRateSearch(
                probe.bounds(), rate -> probed(lane, cell, rate, probe, which, plan), System::nanoTime);
        try {
            MaxRate found = probe.found(search.run());
            book.add(found);
            listener.notice("highest rate, " + found);
        } catch (IOException | RunException e) {
            failed = true;
            MaxRate soFar = probe.cutShort(search.soFar(), e.getMessage());
            book.add(soFar);
            listener.notice("FAIL highest rate so far, " + soFar);
        } catch (InterruptedException e) {
            book.add(probe.cutShort(search.soFar(), "interrupted"));
            throw e;
        }
    }

    /** One run of a search; why it did not pass, or nothing. */
    private String probed(Lane lane, Step cell, long rate, RateProbe probe, String which, Plan plan)
            throws RunException, InterruptedException {
        if (book.sheet(cell.lane()).isGivenUp()) {
            throw new RunException("lane " + cell.lane() + " is given up");
        }
        Step step = new Step(cell.lane(), cell.point().withRate((int) rate), What.RELAY);
        int number = probe.next();
        String run = text(
                "%srun %d of at most %d, ", which, number, settings.search().probes());
        Taken taken = timed(lane, step, number, 0, run, plan);
        keep(taken);
        String failure = probe.failure(taken);
        listener.notice(text("%s: %s", Names.of(lane, step), failure.isEmpty() ? "passed" : failure));
        return failure;
    }

    private static String text(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }
}
