package dev.msgrelay.loadgen.plan;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The length of a run's warm-up and of its measured window. */
public record Timing(Duration warmup, Duration measured) {
    /** Time until the start, in which the window is sent to all workers. */
    private static final long LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    public Window windowFrom(long now) {
        long sendFrom = now + LEAD_NANOS;
        long begin = sendFrom + warmup.toNanos();
        return new Window(sendFrom, begin, begin + measured.toNanos());
    }
}
