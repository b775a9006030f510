package dev.msgrelay.client;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Time-outs that publisher and subscriber share. */
final class Timeouts {
    /** Five seconds: longer than two lost SYNs on Linux (1 s + 2 s), short enough for a person to wait. */
    static final Duration DEFAULT_CONNECT = Duration.ofSeconds(5);

    /** Five seconds: enough for a full default buffer over 10 Mbit/s. */
    static final Duration DEFAULT_CLOSE = Duration.ofSeconds(5);

    private static final Duration LONGEST = Duration.ofDays(1);

    private Timeouts() {}

    static void check(String name, Duration timeout) {
        if (timeout.isNegative() || timeout.isZero() || timeout.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + " " + timeout + " is not above zero and at most " + LONGEST);
        }
    }

    /** The end of a wait that begins now, by {@link System#nanoTime}. */
    static long deadline(Duration atMost) {
        // Negative times count as zero: one far back would overflow into the future.
        return System.nanoTime() + Math.max(0, TimeUnit.NANOSECONDS.convert(atMost));
    }
}
