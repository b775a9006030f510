package dev.msgrelay.server.session;

import java.util.concurrent.TimeUnit;

/** The age of one connection, and its messages a second, for reports. One caller at a time. */
final class RateMeter {
    /** A rate is over at least this, however many ask and however often: a second, less what timers are early. */
    private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

    private final long openedNanos;
    private long sinceMessages;
    private long sinceNanos;
    private double rate;

    RateMeter(long nowNanos) {
        openedNanos = nowNanos;
        sinceNanos = nowNanos;
    }

    long ageMillis(long nowNanos) {
        return TimeUnit.NANOSECONDS.toMillis(nowNanos - openedNanos);
    }

    /** Returns the rate over the time since the last look that is long enough ago. */
    double look(long messages, long nowNanos) {
        if (nowNanos - sinceNanos >= LEAST_NANOS) {
            rate = Math.max(0, (messages - sinceMessages) / ((nowNanos - sinceNanos) / 1e9));
            sinceMessages = messages;
            sinceNanos = nowNanos;
        }
        return rate;
    }
}
