package dev.msgrelay.lab;

import dev.msgrelay.loadgen.experiment.Listener;
import dev.msgrelay.loadgen.report.ProgressLine;
import dev.msgrelay.loadgen.run.RunObserver;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Shows what the lab does: experiment, table, round, contestant, and for how long already. */
final class LabProgress implements Listener, AutoCloseable {
    private static final int SELDOM = 10;

    private final ProgressLine line;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "progress");
        thread.setDaemon(true);
        return thread;
    });
    private String going = "";
    private String told = "";
    private long begun;

    LabProgress(ProgressLine line) {
        this.line = line;
        clock.scheduleWithFixedDelay(this::tick, 1, 1, TimeUnit.SECONDS);
    }

    /** The table of results tells of failures. */
    @Override
    public void notice(String notice) {}

    @Override
    public synchronized RunObserver begins(String where) {
        begun = System.nanoTime();
        going = where;
        line.phase(going);
        return RunObserver.NONE;
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
        line.end();
    }

    @Override
    public void close() {
        pause();
        clock.shutdownNow();
    }
}
