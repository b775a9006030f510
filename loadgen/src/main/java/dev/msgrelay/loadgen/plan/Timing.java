package dev.msgrelay.loadgen.plan;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * How long a run is.
 *
 * @param untilSteady whether that is the least, and it goes on as long as the speed grows; a load with a rate has none that
 *     could
 */
public record Timing(Duration warmup, boolean untilSteady, Duration measured) {
    /**
     * The usual warm-up at full speed: a relay that finds itself busy takes a second loop after a second, and compiles a part
     * of its code anew.
     */
    public static final Duration FULL_SPEED_WARMUP = Duration.ofSeconds(8);

    /** A speed that grows for longer is measured as it is then. */
    private static final Duration LONGEST_WARMUP = Duration.ofSeconds(10);

    /** Between saying when and the moment itself: for the line to reach all workers. */
    private static final long LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** The warm-up is exactly as long as this. */
    public Timing(Duration warmup, Duration measured) {
        this(warmup, false, measured);
    }

    /** The same with a warm-up that is as long at least, and goes on while the speed grows. */
    public Timing orUntilSteady() {
        return new Timing(warmup, true, measured);
    }

    public Timing exactly() {
        return new Timing(warmup, measured);
    }

    /** For this load: at a rate there is no speed to wait for. */
    public Timing of(Load load) {
        return load.rate() > 0 ? exactly() : this;
    }

    public Window windowFrom(long now) {
        boolean mayGoOn = untilSteady && warmup.compareTo(LONGEST_WARMUP) < 0;
        long sendFrom = now + LEAD_NANOS;
        long begin = sendFrom + (mayGoOn ? LONGEST_WARMUP : warmup).toNanos();
        return new Window(sendFrom, begin, begin + measured.toNanos());
    }
}
