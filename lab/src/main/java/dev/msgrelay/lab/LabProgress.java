package dev.msgrelay.lab;

import dev.msgrelay.loadgen.report.ProgressLine;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Shows what the lab does: experiment, table, round, contestant, for how long already, and about how long the table will
 * take yet. The goes of the warm-up tell how long one takes.
 */
final class LabProgress implements AutoCloseable {
    private static final double NANOS = 1e9;
    private static final int SELDOM = 10;

    private final ProgressLine line;
    private final int experiments;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "progress");
        thread.setDaemon(true);
        return thread;
    });
    private int number;
    private String going = "";
    private String told = "";
    private long begun;
    private long tableBegun;
    private int goes;
    private int done;

    /**
     * @param experiments so many will be run
     */
    LabProgress(ProgressLine line, int experiments) {
        this.line = line;
        this.experiments = experiments;
        clock.scheduleWithFixedDelay(this::tick, 1, 1, TimeUnit.SECONDS);
    }

    synchronized void experiment() {
        number++;
    }

    /** A table begins, with so many goes: the warm-up and all rounds. */
    synchronized void table(int goesOfTable) {
        goes = goesOfTable;
        done = 0;
        tableBegun = System.nanoTime();
    }

    /**
     * A go begins.
     *
     * @param when "round 2/5"
     */
    synchronized void go(String experiment, String table, String when, String label) {
        begun = System.nanoTime();
        String which = experiments == 1 ? experiment : number + "/" + experiments + " " + experiment;
        going = "[" + which + "] " + table + ", " + when + ": " + label + left();
        line.phase(going);
        done++;
    }

    private String left() {
        if (done == 0 || done >= goes) {
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
