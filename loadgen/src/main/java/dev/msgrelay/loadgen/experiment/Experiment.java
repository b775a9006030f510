package dev.msgrelay.loadgen.experiment;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.result.ResultFileException;
import dev.msgrelay.loadgen.result.RunRecord.Outcome;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunObserver;
import java.io.IOException;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Measures cells in turn, and keeps what they gave. What there is can be asked for at any time, also after an interrupt.
 * One thread owns it.
 *
 * <pre>
 *  round 1   A B C      what will be compared runs within seconds, on the same machine,
 *  round 2   C B A      and nobody always goes first
 *  round 3   A B C
 *
 *  a run:   prepare -&gt; measure -&gt; judge -&gt; keep
 * </pre>
 *
 * @param <R> what one run gives
 */
public final class Experiment<R> {
    /** A signal from a terminal goes to child processes as well: we may hear of their end before we are interrupted. */
    private static final long SIGNAL_MILLIS = 100;

    private final Meter meter;
    private final Listener listener;
    private final Keeper keeper;
    private final int giveUpAfter;
    private final TimeLeft left = new TimeLeft();
    private final List<Run<R>> runs = new ArrayList<>();
    private final Map<String, Integer> endlessInARow = new HashMap<>();

    /**
     * How long rounds go on.
     *
     * @param expected rounds, as far as can be said
     * @param most rounds
     * @param nanos no round begins that would probably end later; the first one does in any case
     * @param isEnough looked at after each run, with all runs of these rounds
     */
    public record Until<R>(int expected, int most, long nanos, Predicate<List<Run<R>>> isEnough) {
        /** So many rounds, however long they take. */
        public static <R> Until<R> rounds(int rounds) {
            return new Until<>(rounds, rounds, Long.MAX_VALUE, runs -> false);
        }
    }

    /**
     * @param keeper told after every run
     * @param giveUpAfter a group of which so many runs in a row did not come to their end is not measured any more
     */
    public Experiment(Meter meter, Listener listener, Keeper keeper, int giveUpAfter) {
        this.meter = meter;
        this.listener = listener;
        this.keeper = keeper;
        this.giveUpAfter = giveUpAfter;
    }

    /** All runs so far, in the order in which they were taken. */
    public List<Run<R>> runs() {
        return Collections.unmodifiableList(runs);
    }

    /** Says what lies ahead, so that it can be shown how much is left. */
    public void expect(List<? extends Cell<R>> cells, int times) {
        cells.forEach(cell -> left.planned(cell.estimate().multipliedBy(times)));
    }

    /**
     * Measures all of them round by round, every other round the other way round.
     *
     * @param title of these rounds, for people; may be empty
     * @return the runs of these rounds
     * @throws InterruptedException somebody asked for the end; {@link #runs} has what there is
     */
    public List<Run<R>> rounds(String title, List<? extends Cell<R>> cells, Until<R> until)
            throws InterruptedException {
        List<Run<R>> taken = new ArrayList<>();
        long begun = meter.nanoTime();
        long longest = 0;
        int number = 0;
        for (int round = 1; round <= until.most(); round++) {
            long roundBegun = meter.nanoTime();
            if (round > 1 && roundBegun - begun + longest > until.nanos()) {
                return taken;
            }
            for (Cell<R> cell : inTurn(cells, round)) {
                number++;
                if (isGivenUp(cell)) {
                    left.dropped(cell.estimate());
                    continue;
                }
                Run<R> run = measure(
                        where(title, round, Math.max(round, until.expected()), number, cells.size()), cell, round);
                taken.add(run);
                if (!run.failures().isEmpty()) {
                    listener.notice(
                            "FAIL " + cell.name() + ": " + run.failures().get(0));
                }
                if (isGivenUp(cell)) {
                    listener.notice(
                            cell.group() + " is given up: " + giveUpAfter + " runs in a row did not come to their end");
                }
                if (until.isEnough().test(taken)) {
                    return taken;
                }
            }
            longest = Math.max(longest, meter.nanoTime() - roundBegun);
        }
        return taken;
    }

    private static <R> List<? extends Cell<R>> inTurn(List<? extends Cell<R>> cells, int round) {
        if (round % 2 == 1) {
            return cells;
        }
        List<Cell<R>> reversed = new ArrayList<>(cells);
        Collections.reverse(reversed);
        return reversed;
    }

    private static String where(String title, int round, int rounds, int number, int cells) {
        String which = rounds == 1
                ? format("run %d/%d, ", number, cells)
                : format("round %d/%d, run %d/%d, ", round, rounds, number, cells * rounds);
        return title.isEmpty() ? which : title + ", " + which;
    }

    /** Whether its group is not measured any more. */
    public boolean isGivenUp(Cell<R> cell) {
        return endlessInARow.getOrDefault(cell.group(), 0) >= giveUpAfter;
    }

    /**
     * One run, whatever becomes of it.
     *
     * @param where which it is, for people, with what separates it from the cell's name
     */
    public Run<R> measure(String where, Cell<R> cell, int round) throws InterruptedException {
        checkEnd();
        RunObserver observer = listener.begins(where + cell.name() + left.text());
        long begun = meter.nanoTime();
        String started = now();
        R result = null;
        List<String> failures;
        try {
            cell.prepare(observer);
            result = cell.measure(observer);
            failures = cell.failures(result);
        } catch (IOException | RunException e) {
            endIfAsked();
            failures = List.of(ResultFileException.told(e));
        }
        checkEnd();
        Outcome outcome = result == null
                ? new Outcome(failures, List.of(), List.of(), true)
                : new Outcome(failures, cell.environment(result), cell.observed(result), false);
        Run<R> run = new Run<>(cell, runs.size(), round, started, result, outcome);
        left.done(cell.estimate(), meter.nanoTime() - begun);
        keep(run);
        return run;
    }

    private void keep(Run<R> run) {
        runs.add(run);
        String group = run.cell().group();
        int inARow = run.isWhole() ? 0 : endlessInARow.getOrDefault(group, 0) + 1;
        endlessInARow.put(group, inARow);
        keeper.keep();
    }

    /** After something failed: a signal from a terminal hits children first, and is no failure of theirs. */
    public void endIfAsked() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(SIGNAL_MILLIS);
        checkEnd();
    }

    /** A cell that was interrupted may have told it as a failure of its own, or not noticed. */
    private void checkEnd() throws InterruptedException {
        if (Thread.interrupted() || meter.isEndAsked()) {
            throw new InterruptedException();
        }
    }

    /** A moment as results name it: ISO 8601, with the zone. */
    public static String now() {
        return DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(ZonedDateTime.now().truncatedTo(ChronoUnit.SECONDS));
    }

    /** About how long the cells take, once each. */
    public static Duration estimate(List<? extends Cell<?>> cells) {
        return cells.stream().map(Cell::estimate).reduce(Duration.ZERO, Duration::plus);
    }
}
