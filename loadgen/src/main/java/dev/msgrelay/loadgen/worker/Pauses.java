package dev.msgrelay.loadgen.worker;

import dev.msgrelay.loadgen.plan.Still;
import dev.msgrelay.loadgen.plan.Window;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Times without an event within the window: the longest, and the long ones. Other threads may read it later. */
public final class Pauses {
    /** Longer than any wait for a core that threads share fairly. */
    public static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private long longest;
    private long count;
    private long total;

    /** Notes a time without an event; its part within the window counts. */
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
     * The stand-stills of this process: a daemon thread that only sleeps notes when it wakes late. A SIGSTOP, a
     * collection of garbage, or the host of a virtual machine stops this thread with the process.
     */
    public static final class Standstill {
        private static final long STEP_MILLIS = 20;

        private final Pauses pauses = new Pauses();
        private final Supplier<Window> window;
        private final ScheduledExecutorService timer;
        private long slept = System.nanoTime();

        /** Begins to watch, until the process ends or {@link #stop}. */
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
