package dev.msgrelay.cluster;

import io.aeron.cluster.service.ClusterClock;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.EpochClock;

/**
 * The time of day, in milliseconds, which does not jump when the machine's clock is set. Aeron's parts measure their
 * time-outs by it: if it jumped, they would take each other for dead. Any thread.
 */
final class SteadyClock implements EpochClock, ClusterClock {
    static final SteadyClock INSTANCE = new SteadyClock();

    private final long startMillis = System.currentTimeMillis();
    private final long startNanos = System.nanoTime();

    private SteadyClock() {}

    @Override
    public long time() {
        return timeMillis();
    }

    @Override
    public long timeMillis() {
        return startMillis + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
    }

    @Override
    public long timeMicros() {
        return TimeUnit.NANOSECONDS.toMicros(timeNanos());
    }

    @Override
    public long timeNanos() {
        return TimeUnit.MILLISECONDS.toNanos(startMillis) + System.nanoTime() - startNanos;
    }

    @Override
    public long convertToNanos(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }
}
