package dev.msgrelay.server.attack;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Whether a stream keeps to its schedule all the time: how much came in each second, and how far it was ever behind. Somebody
 * looks every few milliseconds; time comes as a parameter. While the one who looks has no core himself, the machine stands
 * still, and not the relay: that much the stream may be behind, until it has caught up.
 */
final class Pace {
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int LEAST_WINDOWS = 3;
    /** Who looks again only so much later had no core. */
    private static final long OVERSLEPT_NANOS = TimeUnit.MILLISECONDS.toNanos(30);
    /** Less than so much behind is on schedule. */
    private static final long ON_SCHEDULE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final int perSecond;
    private double[] windows = new double[64];
    private int count;
    private long windowStart;
    private int windowFirst;
    private long lastLook;
    private long excusedNanos;
    private long mostBehindNanos;

    Pace(int perSecond, long nowNanos, int arrived) {
        this.perSecond = perSecond;
        windowStart = nowNanos;
        windowFirst = arrived;
        lastLook = nowNanos;
    }

    /** So many messages have arrived, and so many should have. */
    void look(long nowNanos, int arrived, int due) {
        long slept = nowNanos - lastLook;
        lastLook = nowNanos;
        long behind = TimeUnit.SECONDS.toNanos(Math.max(0, due - arrived)) / perSecond;
        if (behind < ON_SCHEDULE_NANOS) {
            excusedNanos = 0;
        } else if (slept > OVERSLEPT_NANOS) {
            excusedNanos += slept;
        }
        mostBehindNanos = Math.max(mostBehindNanos, behind - excusedNanos);
        long window = nowNanos - windowStart;
        if (window >= WINDOW_NANOS) {
            if (count == windows.length) {
                windows = Arrays.copyOf(windows, 2 * count);
            }
            windows[count++] = (arrived - windowFirst) * (double) WINDOW_NANOS / window / perSecond;
            windowStart = nowNanos;
            windowFirst = arrived;
        }
    }

    /** The share of the schedule that came in the middle one of all seconds; 1 where there are too few to have a middle one. */
    double median() {
        double[] sorted = Arrays.copyOf(windows, count);
        Arrays.sort(sorted);
        return count < LEAST_WINDOWS ? 1 : sorted[count / 2];
    }

    /** How far it was ever behind. */
    long mostBehindMillis() {
        return TimeUnit.NANOSECONDS.toMillis(mostBehindNanos);
    }
}
