package dev.msgrelay.loadgen.experiment;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.rig.LoadRun;
import dev.msgrelay.loadgen.rig.Plan;
import dev.msgrelay.loadgen.rig.RunException;
import dev.msgrelay.loadgen.rig.RunObserver;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Measures cells in turn, and keeps their runs, also when it is interrupted. One thread owns it.
 *
 * <pre>
 *  round 1   A B C      what will be compared runs within seconds, on the same machine,
 *  round 2   C B A      and nobody always goes first
 *  round 3   A B C
 * </pre>
 */
public final class Experiment {
    /** A terminal's signal reaches child processes, too: their end may be seen before this thread's interrupt. */
    private static final long SIGNAL_MILLIS = 100;

    private final LongSupplier clock;
    private final BooleanSupplier endAsked;
    private final RunObserver observer;
    private final Runnable keeper;
    private final int giveUpAfter;
    private final TimeLeft left = new TimeLeft();
    private final List<Run> runs = new ArrayList<>();
    private final Map<String, Integer> endlessInARow = new HashMap<>();

    /**
     * The end of the rounds.
     *
     * @param most rounds
     * @param nanos no round begins that would probably end later; the first one does in any case
     * @param isEnough whether to end, asked after each run with all runs of these rounds
     */
    public record Until(int most, long nanos, Predicate<List<Run>> isEnough) {
        public static Until rounds(int rounds) {
            return new Until(rounds, Long.MAX_VALUE, runs -> false);
        }
    }

    /**
     * @param clock as {@link System#nanoTime}
     * @param endAsked whether the process has been asked to end
     * @param keeper runs after every run
     * @param giveUpAfter runs in a row that did not come to their end, after which a group is not measured any more
     */
    public Experiment(
            LongSupplier clock, BooleanSupplier endAsked, RunObserver observer, Runnable keeper, int giveUpAfter) {
        this.clock = clock;
        this.endAsked = endAsked;
        this.observer = observer;
        this.keeper = keeper;
        this.giveUpAfter = giveUpAfter;
    }

    public List<Run> runs() {
        return Collections.unmodifiableList(runs);
    }

    /** Adds cells to the work ahead, from which the time left is shown. */
    public void expect(List<Plan> cells, int times) {
        cells.forEach(plan -> left.planned(plan.estimate().multipliedBy(times)));
    }

    /**
     * Measures all cells round by round; every second round goes backwards.
     *
     * @throws InterruptedException the end was asked for; {@link #runs} has the runs before
     */
    public List<Run> rounds(List<Plan> cells, Until until) throws InterruptedException {
        List<Run> taken = new ArrayList<>();
        long begun = clock.getAsLong();
        long longest = 0;
        int number = 0;
        for (int round = 1; round <= until.most(); round++) {
            long roundBegun = clock.getAsLong();
            if (round > 1 && roundBegun - begun + longest > until.nanos()) {
                return taken;
            }
            for (Plan plan : inTurn(cells, round)) {
                number++;
                if (isGivenUp(plan)) {
                    left.planned(plan.estimate().negated());
                    continue;
                }
                Run run = measure(where(round, until.most(), number, cells.size()), plan, round);
                taken.add(run);
                if (!run.failures().isEmpty()) {
                    observer.notice(
                            "FAIL " + plan.name() + ": " + run.failures().get(0));
                }
                if (isGivenUp(plan)) {
                    observer.notice(
                            plan.group() + " is given up: " + giveUpAfter + " runs in a row did not come to their end");
                }
                if (until.isEnough().test(taken)) {
                    return taken;
                }
            }
            longest = Math.max(longest, clock.getAsLong() - roundBegun);
        }
        return taken;
    }

    private static List<Plan> inTurn(List<Plan> cells, int round) {
        if (round % 2 == 1) {
            return cells;
        }
        List<Plan> reversed = new ArrayList<>(cells);
        Collections.reverse(reversed);
        return reversed;
    }

    private static String where(int round, int rounds, int number, int cells) {
        return rounds == 1
                ? format("run %d/%d, ", number, cells)
                : format("round %d/%d, run %d/%d, ", round, rounds, number, cells * rounds);
    }

    private boolean isGivenUp(Plan plan) {
        return endlessInARow.getOrDefault(plan.group(), 0) >= giveUpAfter;
    }

    /** Makes one run, which may fail; {@code where} is shown before the plan's name. */
    public Run measure(String where, Plan plan, int round) throws InterruptedException {
        checkEnd();
        observer.begins(where + plan.name() + left.text());
        long begun = clock.getAsLong();
        String started = LoadRun.now();
        RunRecord record;
        try {
            record = plan.rig().run(plan, round, observer);
        } catch (IOException | RunException e) {
            endIfAsked();
            record = RunRecord.partial(round, started, List.of(RunException.oneLine(e)));
        }
        checkEnd();
        Run run = new Run(plan, runs.size(), record);
        left.completed(plan.estimate(), clock.getAsLong() - begun);
        add(run);
        return run;
    }

    private void add(Run run) {
        runs.add(run);
        String group = run.plan().group();
        int inARow = run.isWhole() ? 0 : endlessInARow.getOrDefault(group, 0) + 1;
        endlessInARow.put(group, inARow);
        keeper.run();
    }

    /** Ends after a failure that a signal caused: a terminal's signal reaches children first. */
    public void endIfAsked() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(SIGNAL_MILLIS);
        checkEnd();
    }

    /** Throws after an interrupt, which a cell may have reported as its own failure, or overlooked. */
    private void checkEnd() throws InterruptedException {
        if (Thread.interrupted() || endAsked.getAsBoolean()) {
            throw new InterruptedException();
        }
    }
}
