package dev.msgrelay.server.journal.format;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * Finds steps of the machine's clock, as when someone sets it, by comparison with the clock that only goes forward.
 *
 * <pre>
 *   clock       12:00  12:01 | 12:02+2d  12:03+2d | 12:04  12:05
 *   steps                    ^ + 2 days           ^ - 2 days
 *   skew        0      0       2 d       2 d        0      0          sum of the steps so far
 *   time - skew 12:00  12:01   12:02     12:03      12:04  12:05      never goes back
 * </pre>
 *
 * Between two steps {@link #time} never goes back. Owned by one thread.
 */
public final class JournalClock {
    /** If the two clocks differ by more than this, the machine's clock has stepped. */
    public static final long STEP_MILLIS = TimeUnit.MINUTES.toMillis(1);

    /** Greater ages of records are replaced by this one, because in ns they might overflow. */
    private static final long OLDEST_MILLIS = TimeUnit.DAYS.toMillis(100 * 365);

    /** A step of the clock before message {@code sequence}, by {@code millis}, to the time {@code timeMillis}. */
    public record Step(long sequence, long millis, long timeMillis) {}

    /** For other threads: the newest segment's base or -1, the skew since its header, the newest record's time. */
    public record Present(long base, long skew, long time) {}

    private boolean begun;
    private boolean known;
    // Both clocks at the last update.
    private long nanos;
    private long wall;
    private long time;
    private long skew;

    /** The clock of a journal in which nothing was ever written. */
    public JournalClock() {}

    /** Continues the clock of an earlier process, from the time and the skew of its newest record. */
    public JournalClock(long time, long skew) {
        this.known = true;
        this.time = time;
        this.skew = skew;
    }

    /**
     * Takes the times of both clocks.
     *
     * @return the step of the machine's clock since the last update, in ms; 0 if there was none. The first update finds
     *     only a step back, if the newest record is in the future
     */
    public long update(long nowNanos, long millis) {
        if (!begun) {
            begun = true;
            nanos = nowNanos;
            wall = millis;
            time = known ? time : millis;
        }
        long passed = TimeUnit.NANOSECONDS.toMillis(nowNanos - nanos);
        long jump = minus(millis, wall) - passed;
        boolean stepped = jump > STEP_MILLIS || jump < -STEP_MILLIS || minus(time, millis) > STEP_MILLIS;
        long step = stepped ? minus(millis, time) - passed : 0;
        time = stepped ? millis : Math.max(time, millis);
        skew += step;
        nanos = nowNanos;
        wall = millis;
        return step;
    }

    /** The time for a record that is written now, in ms since 1970. */
    public long time() {
        return time;
    }

    public long skew() {
        return skew;
    }

    public long nanos() {
        return nanos;
    }

    /** The machine's clock at the last update. */
    public long wall() {
        return wall;
    }

    /**
     * Converts the time of an earlier process's record to the clock that only goes forward. There are two estimates:
     * the record's time, and that time corrected by the steps since. The later one of those that are not in the future
     * counts. So no record seems older than it is, unless the machine's clock was ahead when this process began.
     */
    public long nanosOf(long at, long skewThen) {
        long corrected = minus(at, skewThen - skew);
        long latest = Math.max(at <= wall ? at : Long.MIN_VALUE, corrected <= wall ? corrected : Long.MIN_VALUE);
        long age = latest == Long.MIN_VALUE ? 0 : minus(wall, latest);
        return nanos - TimeUnit.MILLISECONDS.toNanos(Math.min(age, OLDEST_MILLIS));
    }

    /** Formats a time as text; as a number if it is outside of the range of {@link Instant}. */
    public static String timeText(long millis) {
        try {
            return Instant.ofEpochMilli(millis).toString();
        } catch (DateTimeException e) {
            return millis + " ms after 1970";
        }
    }

    /** Returns {@code a - b}, or the nearest long instead of an overflow. */
    public static long minus(long a, long b) {
        long difference = a - b;
        return ((a ^ b) & (a ^ difference)) < 0 ? (a < 0 ? Long.MIN_VALUE : Long.MAX_VALUE) : difference;
    }
}
