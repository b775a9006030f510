package dev.msgrelay.loadgen.message;

import java.nio.ByteBuffer;

/**
 * The body of a measured message. Big-endian.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-------------------------------+-------------------------------+
 *  |     Publisher id (uint16)     |                               |
 *  +-------------------------------+      Number (uint48)          +
 *  |                                                               |
 *  +---------------------------------------------------------------+
 *  |   Intended time of sending (lowest 40 bits of nanoseconds)    |
 *  +               +-----------------------------------------------+
 *  |               |     Check of all fields above (24 bits)       |
 *  +---------------+-----------------------------------------------+
 *  |         Padding (0.. bytes: the alphabet over and over)      ...
 *  +---------------------------------------------------------------+
 * </pre>
 *
 * Publisher id and number are read and written together as one int64, the <em>stamp</em>. The time is {@link
 * System#nanoTime}, which on Linux is CLOCK_MONOTONIC: one clock for all processes of a host, so that latency needs no
 * synchronised clocks as long as publisher and subscriber share the host. Its lowest 40 bits go round in 18 minutes,
 * and no message is on its way for nine minutes.
 *
 * <p>The check finds every single wrong bit in these 16 bytes, and any other change with a probability of 1 - 2^-24.
 */
public final class LoadMessage {
    /** The type of all messages of a run with one type. */
    public static final int TYPE = 0x4C47;

    public static final int STAMP_OFFSET = 0;

    /** Offset of time and check, which are one int64. */
    public static final int TIME_OFFSET = STAMP_OFFSET + Long.BYTES;

    /** Smallest body, in bytes. */
    public static final int MIN_BODY = TIME_OFFSET + Long.BYTES;

    public static final int MAX_PUBLISHER = 0xFFFF;

    private static final int NUMBER_BITS = 48;
    private static final long NUMBER_MASK = (1L << NUMBER_BITS) - 1;
    private static final int CHECK_BITS = 24;
    private static final int TIME_BITS = Long.SIZE - CHECK_BITS;
    private static final long TIME_MASK = (1L << TIME_BITS) - 1;
    private static final int CHECK_MASK = (1 << CHECK_BITS) - 1;

    /** Odd, and without long runs of equal bits: each bit of a field reaches the uppermost bits of the sum. */
    private static final long STAMP_FACTOR = 0x9E3779B97F4A7C15L;

    private static final long TIME_FACTOR = 0xD6E8FEB86659FD93L;

    /** Not 0, so that a body of zeros is no message. */
    private static final long MIX_START = 0xA5A3564E27F8865BL;

    private LoadMessage() {}

    public static long stamp(int publisher, long number) {
        return ((long) publisher << NUMBER_BITS) | (number & NUMBER_MASK);
    }

    public static int publisher(long stamp) {
        return (int) (stamp >>> NUMBER_BITS);
    }

    public static long number(long stamp) {
        return stamp & NUMBER_MASK;
    }

    public static long stampAt(ByteBuffer buffer, int offset) {
        return buffer.getLong(offset + STAMP_OFFSET);
    }

    /**
     * The intended time of sending of the body that starts at {@code offset}.
     *
     * @param near a time that is less than nine minutes from it
     */
    public static long timeAt(ByteBuffer buffer, int offset, long near) {
        return time(buffer.getLong(offset + TIME_OFFSET), near);
    }

    /** The time in the second int64 of a body, see {@link #timeAt}. */
    static long time(long second, long near) {
        // The difference has the sign of its 40 bits.
        return near - (near - (second >>> CHECK_BITS) << CHECK_BITS >> CHECK_BITS);
    }

    /** The stamp and the lowest bits of the time, mixed to 64 bits. */
    static long mix(long stamp, long second) {
        return MIX_START + stamp * STAMP_FACTOR + (second >>> CHECK_BITS) * TIME_FACTOR;
    }

    /** Whether the second int64 of a body has the check that goes with this mix. */
    static boolean agrees(long mix, long second) {
        return (mix >>> TIME_BITS) == (second & CHECK_MASK);
    }

    /** Writes the fields of the body that starts at {@code offset}; the padding stays as it is. */
    public static void put(ByteBuffer buffer, int offset, long stamp, long timeNanos) {
        long time = (timeNanos & TIME_MASK) << CHECK_BITS;
        buffer.putLong(offset + STAMP_OFFSET, stamp);
        buffer.putLong(offset + TIME_OFFSET, time | mix(stamp, time) >>> TIME_BITS);
    }

    /** The lowest 40 bits of the time, as {@link #put} takes them, of the body that starts at {@code offset}. */
    static long lowTimeAt(ByteBuffer buffer, int offset) {
        return buffer.getLong(offset + TIME_OFFSET) >>> CHECK_BITS;
    }
}
