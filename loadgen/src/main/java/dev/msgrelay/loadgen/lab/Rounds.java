package dev.msgrelay.loadgen.lab;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs one table: every contestant once to warm up, then all of them in turn, A B C A B C, so that a machine that drifts
 * hurts all alike; with the core-to-core hop between the rounds. What has been measured can be asked for at any time.
 * The command's thread owns it.
 */
final class Rounds {
    private static final long SIGNAL_MILLIS = 100;

    private final LabTable table;
    private final int wanted;
    private final Path scratch;
    private final HopMeter hops;
    private final LabObserver observer;
    private final List<List<Measurement>> measured = new ArrayList<>();
    private final String[] failures;
    private final List<RoundResult> rounds = new ArrayList<>();

    Rounds(LabTable table, int wanted, Path scratch, HopMeter hops, LabObserver observer) {
        this.table = table;
        this.wanted = wanted;
        this.scratch = scratch;
        this.hops = hops;
        this.observer = observer;
        this.failures = new String[table.contestants().size()];
        table.contestants().forEach(contestant -> measured.add(new ArrayList<>()));
    }

    /** Runs all rounds, or until interrupted. */
    void run() throws InterruptedException {
        for (int i = 0; i < failures.length; i++) {
            Contestant contestant = table.contestants().get(i);
            Go go = new Go(scratch, 0);
            observer.starting(table, contestant, 0, wanted);
            attempt(i, () -> {
                contestant.warmUp(go);
                return null;
            });
            observer.ended();
        }
        double before = hops.measureNanos();
        for (int round = 1; round <= wanted; round++) {
            rounds.add(new RoundResult(before, Double.NaN));
            round(round);
            double after = hops.measureNanos();
            rounds.set(round - 1, new RoundResult(before, after));
            before = after;
        }
    }

    private void round(int round) throws InterruptedException {
        for (int i = 0; i < failures.length; i++) {
            Contestant contestant = table.contestants().get(i);
            observer.starting(table, contestant, round, wanted);
            if (failures[i] == null) {
                Measurement measurement = attempt(i, () -> contestant.go(new Go(scratch, round)));
                if (measurement != null) {
                    measured.get(i).add(measurement);
                }
            }
            observer.ended();
        }
    }

    private interface Attempt {
        Measurement make() throws IOException, InterruptedException, WrongResultException;
    }

    /** Null where it failed, or measures nothing. One failure is enough: no time is told of such a contestant. */
    private Measurement attempt(int contestant, Attempt attempt) throws InterruptedException {
        try {
            Measurement measurement = attempt.make();
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            return measurement;
        } catch (ClosedByInterruptException e) {
            throw interrupted();
        } catch (WrongResultException | IOException | RuntimeException e) {
            // What is interrupted may fail in any way. And a signal from a terminal goes to child processes as well: we
            // may
            // hear of their end before we are interrupted ourselves. Then this sleep ends it.
            Thread.sleep(SIGNAL_MILLIS);
            boolean told = e.getMessage() != null && !(e instanceof RuntimeException);
            failures[contestant] = told ? e.getMessage() : e.toString();
            measured.get(contestant).clear();
            return null;
        }
    }

    private static InterruptedException interrupted() {
        Thread.interrupted();
        return new InterruptedException();
    }

    /** What there is so far. */
    TableResult result() {
        List<RowResult> rows = new ArrayList<>();
        for (int i = 0; i < failures.length; i++) {
            Contestant contestant = table.contestants().get(i);
            rows.add(new RowResult(
                    contestant.name(), contestant.setting(), contestant.label(), measured.get(i), failures[i]));
        }
        return new TableResult(table, rows, rounds, wanted);
    }
}
