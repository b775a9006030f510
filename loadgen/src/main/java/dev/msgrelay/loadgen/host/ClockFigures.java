package dev.msgrelay.loadgen.host;

import java.util.function.LongSupplier;

/**
 * How good the clock is that messages are stamped with.
 *
 * @param resolutionNanos the least difference seen between two readings; {@link Long#MAX_VALUE} if the clock stands still
 * @param costNanos of one reading, in the best of several rounds
 */
public record ClockFigures(long resolutionNanos, double costNanos) {
    private static final int ROUNDS = 11;
    private static final int READINGS = 20_000;

    /** A clock that does not move for so many readings is as good as none. */
    private static final int MAX_SPINS = 10_000_000;

    /** So many that the loop is compiled long before the last: what is measured is the clock. */
    private static final int STEPS = 50_000;

    /** Of {@link System#nanoTime}; takes some milliseconds. */
    public static ClockFigures measure() {
        return measure(System::nanoTime);
    }

    static ClockFigures measure(LongSupplier clock) {
        double best = Double.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            long start = clock.getAsLong();
            long last = start;
            for (int i = 0; i < READINGS; i++) {
                last = clock.getAsLong();
            }
            // The best one: it is compiled by then, and nobody else wanted the core.
            best = Math.min(best, (double) (last - start) / READINGS);
        }
        return new ClockFigures(resolution(clock), best);
    }

    private static long resolution(LongSupplier clock) {
        long least = Long.MAX_VALUE;
        long last = clock.getAsLong();
        int steps = 0;
        for (int i = 0; i < MAX_SPINS && steps < STEPS; i++) {
            long now = clock.getAsLong();
            if (now != last) {
                least = Math.min(least, Math.abs(now - last));
                last = now;
                steps++;
            }
        }
        return least;
    }
}
