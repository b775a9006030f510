package dev.msgrelay.loadgen.worker;

import dev.msgrelay.loadgen.plan.Still;
import dev.msgrelay.loadgen.plan.Window;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Records the times within the window in which nothing happened. After that, other threads may read them. */
public final class Pauses {
    /** A thread that shares a core fairly with others waits for a shorter time than this. */
    public static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private long longest;
    private long count;
    private long total;

    /** Records a time without an event. Only its part within the window counts. */
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
     * Detects when this whole process stood still. A daemon thread that only sleeps notes when it wakes late. SIGSTOP,
     * garbage collection, or the host of a virtual machine stop this thread together with the process.
     */
    public static final class Standstill {
        private static final long STEP_MILLIS = 20;

        private final Pauses pauses = new Pauses();
        private final Supplier<Window> window;
        private final ScheduledExecutorService timer;
        private long slept = System.nanoTime();

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
