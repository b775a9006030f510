package dev.msgrelay.loadgen.worker;

import dev.msgrelay.loadgen.plan.Progress;
import dev.msgrelay.loadgen.plan.Progress.Count;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Counts a worker's messages four times a second, and sends the counts once a second, since a report costs CPU time at
 * both ends. A report also has the standstills of the process. All runs on a daemon thread.
 */
public final class Heartbeat {
    private static final int COUNTS_A_LINE = 4;
    private static final long SECOND_MILLIS = 1_000;

    private final Control control;
    private final List<? extends Counted> all;
    private final Pauses.Standstill standstill;
    private final List<Count> counts = new ArrayList<>();
    private boolean ended;
    private final ScheduledExecutorService timer;

    interface Counted {
        long messages();

        long bytes();
    }

    /** Sends a first report, so that there is a count before the window, and then further ones until {@link #last}. */
    Heartbeat(Control control, List<? extends Counted> all) {
        this.control = control;
        this.all = all;
        this.standstill = new Pauses.Standstill(control::window);
        count(1, false);
        this.timer = repeat("progress", SECOND_MILLIS / COUNTS_A_LINE, () -> count(COUNTS_A_LINE, false));
    }

    synchronized void last() {
        count(1, true);
        ended = true;
        timer.shutdownNow();
        standstill.stop();
    }

    private synchronized void count(int aLine, boolean last) {
        if (ended) {
            return;
        }
        // The time is taken here, with the counts, since the report may have to wait for stdout.
        counts.add(new Count(
                System.nanoTime(),
                all.stream().mapToLong(Counted::messages).sum(),
                all.stream().mapToLong(Counted::bytes).sum()));
        if (counts.size() >= aLine) {
            control.say("progress", new Progress(List.copyOf(counts), standstill.still(), last));
            counts.clear();
        }
    }

    /** Repeats a task on a daemon thread, until the process ends or the returned timer is shut down. */
    static ScheduledExecutorService repeat(String name, long millis, Runnable task) {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(work -> {
            Thread thread = new Thread(work, name);
            thread.setDaemon(true);
            return thread;
        });
        timer.scheduleWithFixedDelay(task, millis, millis, TimeUnit.MILLISECONDS);
        return timer;
    }
}
