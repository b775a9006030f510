package dev.msgrelay.loadgen.plan;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The length of a run. */
public record Timing(Duration warmup, Duration measured) {
    /** Time in which the window reaches all workers. */
    private static final long LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    public Window windowFrom(long now) {
        long sendFrom = now + LEAD_NANOS;
        long begin = sendFrom + warmup.toNanos();
        return new Window(sendFrom, begin, begin + measured.toNanos());
    }
}
