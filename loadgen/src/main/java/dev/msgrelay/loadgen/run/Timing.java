package dev.msgrelay.loadgen.run;

import dev.msgrelay.loadgen.worker.Window;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * How long a run is.
 *
 * @param warmup before the measured part, under the same load
 * @param measured the part that counts
 */
public record Timing(Duration warmup, Duration measured) {
    /**
     * The usual warm-up at full speed: a relay that finds itself busy takes a second loop after a second, and compiles a part
     * of its code anew.
     */
    public static final Duration FULL_SPEED_WARMUP = Duration.ofSeconds(8);

    /** Between saying when and the moment itself: for the line to reach all workers. */
    private static final long LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    Window windowFrom(long now) {
        return Window.from(now, LEAD_NANOS, warmup.toNanos(), measured.toNanos());
    }
}
