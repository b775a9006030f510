package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.lab.Contestant;
import dev.msgrelay.loadgen.lab.Experiment;
import dev.msgrelay.loadgen.lab.LabObserver;
import dev.msgrelay.loadgen.lab.LabTable;
import dev.msgrelay.loadgen.report.ProgressLine;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Shows on stderr what the lab does: experiment, table, round, contestant, for how long already, and about how long the
 * table will take yet. The goes of the warm-up tell how long one takes.
 */
final class LabProgress implements LabObserver, AutoCloseable {
    private static final double NANOS = 1e9;
    private static final int SELDOM = 10;

    private final ProgressLine line = ProgressLine.onStderr("");
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "progress");
        thread.setDaemon(true);
        return thread;
    });
    private String experimentName = "";
    private String going = "";
    private String told = "";
    private long begun;
    private long tableBegun;
    private int goes;
    private int done;

    LabProgress() {
        clock.scheduleWithFixedDelay(this::tick, 1, 1, TimeUnit.SECONDS);
    }

    @Override
    public synchronized void experiment(Experiment experiment, int number, int of) {
        experimentName = of == 1 ? experiment.name() : number + "/" + of + " " + experiment.name();
    }

    @Override
    public synchronized void table(LabTable table, int number, int of, int goesOfTable) {
        goes = goesOfTable;
        done = 0;
        tableBegun = System.nanoTime();
    }

    @Override
    public synchronized void starting(LabTable table, Contestant contestant, int round, int rounds) {
        begun = System.nanoTime();
        String when = round == 0 ? "warm-up" : "round " + round + "/" + rounds;
        going = "[" + experimentName + "] " + table.id() + ", " + when + ": " + contestant.label() + left();
        line.phase(going);
    }

    @Override
    public synchronized void ended() {
        done++;
    }

    private String left() {
        if (done == 0) {
            return "";
        }
        double seconds = (System.nanoTime() - tableBegun) / NANOS / done * (goes - done);
        return String.format(Locale.ROOT, " (%d of %d, about %.0f s left of this table)", done + 1, goes, seconds);
    }

    private synchronized void tick() {
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun);
        if (going.isEmpty()) {
            return;
        }
        // On a terminal a line is overwritten; elsewhere a long go is told now and then.
        String now = seconds == 0 ? going : going + ", for " + seconds + " s";
        if (!going.equals(told) || seconds > 0 && seconds % SELDOM == 0) {
            line.step(now);
        } else {
            line.phase(now);
        }
        told = going;
    }

    /** Ends the line, so that something else can be printed. */
    synchronized void pause() {
        going = "";
        line.close();
    }

    @Override
    public void close() {
        pause();
        clock.shutdownNow();
    }
}
