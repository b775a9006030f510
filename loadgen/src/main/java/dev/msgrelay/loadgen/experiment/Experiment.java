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
 * Measures plans alternately and keeps the records of their runs, even after an interrupt. Used by one thread.
 *
 * <pre>
 *  round 1   A B C      plans that will be compared run within seconds of each other,
 *  round 2   C B A      and none is always the first
 *  round 3   A B C
 * </pre>
 */
public final class Experiment {
    /** Time to wait for a signal after a failed run. Ctrl-C may end a child process before this JVM gets the signal. */
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
     * The conditions that end the rounds.
     *
     * @param most largest number of rounds
     * @param nanos time limit. After the first round, a round starts only if it will probably end in time.
     * @param isEnough whether the runs of these rounds are enough; called after each run
     */
    public record Until(int most, long nanos, Predicate<List<Run>> isEnough) {
        public static Until rounds(int rounds) {
            return new Until(rounds, Long.MAX_VALUE, runs -> false);
        }
    }

    /**
     * @param clock source of times, such as {@link System#nanoTime}
     * @param endAsked whether a signal has asked the process to end
     * @param giveUpAfter number of failed runs in a row after which a group of plans is not measured again
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

    public void expect(List<Plan> cells, int times) {
        cells.forEach(plan -> left.planned(plan.estimate().multipliedBy(times)));
    }

    /**
     * Measures all plans in each round. Every second round runs them in reverse order.
     *
     * @throws InterruptedException if the process was asked to end; {@link #runs} returns the runs made before
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

    /** Makes one run. If it fails, the record contains the reason. Progress shows {@code where} before the name. */
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
        runs.add(run);
        endlessInARow.put(plan.group(), run.isWhole() ? 0 : endlessInARow.getOrDefault(plan.group(), 0) + 1);
        keeper.run();
        return run;
    }

    /** Throws if a signal caused a failure. Waits first, since the child processes may get the signal earlier. */
    public void endIfAsked() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(SIGNAL_MILLIS);
        checkEnd();
    }

    /** Throws if the process was asked to end, since a run may report the interrupt as its own failure, or miss it. */
    private void checkEnd() throws InterruptedException {
        if (Thread.interrupted() || endAsked.getAsBoolean()) {
            throw new InterruptedException();
        }
    }
}
