package dev.msgrelay.loadgen.worker;

import dev.msgrelay.loadgen.plan.Still;
import dev.msgrelay.loadgen.plan.Window;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Times in which nothing happened, within the measured part of a run: the longest one, and how many were {@link
 * #LONG_NANOS} or longer. One thread notes them; others may ask when it has ended, or be a moment behind.
 */
public final class Pauses {
    /** Longer than any wait for a core among threads that share it fairly. */
    public static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private long longest;
    private long count;
    private long total;

    /** Nothing happened between these two moments; only what of it lies in the window counts. */
    void note(long from, long to, Window window) {
        long pause = Math.min(to, window.end()) - Math.max(from, window.begin());
        if (pause > longest) {
            longest = pause;
        }
        if (pause >= LONG_NANOS) {
            count++;
            total += pause;
        }
    }

    public Still still() {
        return new Still(longest, count, total);
    }

    /**
     * Whether this process stood still: a thread that only sleeps notes when it overslept. What stops it stops the process:
     * somebody's SIGSTOP, a collection of garbage, or the host that takes the whole machine away. A daemon thread of its own.
     */
    public static final class Standstill {
        private static final long STEP_MILLIS = 20;

        private final Pauses pauses = new Pauses();
        private final Supplier<Window> window;
        private final ScheduledExecutorService timer;
        private long slept = System.nanoTime();

        /** Watches from now on, until the process ends or {@link #stop}. */
        public Standstill(Supplier<Window> window) {
            this.window = window;
            this.timer = Heartbeat.repeat("standstill", STEP_MILLIS, this::step);
        }

        public void stop() {
            timer.shutdownNow();
        }

        private void step() {
            long now = System.nanoTime();
            pauses.note(slept + TimeUnit.MILLISECONDS.toNanos(STEP_MILLIS), now, window.get());
            slept = now;
        }

        public Still still() {
            return pauses.still();
        }
    }
}
