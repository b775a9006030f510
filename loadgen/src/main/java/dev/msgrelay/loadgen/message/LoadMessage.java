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
 * Publisher id and number are read and written as one int64, the <em>stamp</em>. The time is that of {@link
 * System#nanoTime}, which on Linux is CLOCK_MONOTONIC. All processes of a host share this clock, so a latency can be
 * measured if publisher and subscriber are on one host. The lowest 40 bits of the time repeat after 18 minutes. They
 * are enough because no message is under way for nine minutes.
 *
 * <p>The check detects every change of a single bit in these 16 bytes, and any other change with a probability of 1 -
 * 2^-24.
 */
public final class LoadMessage {
    public static final int TYPE = 0x4C47;

    public static final int STAMP_OFFSET = 0;

    /** Offset of the int64 that contains time and check. */
    public static final int TIME_OFFSET = STAMP_OFFSET + Long.BYTES;

    public static final int MIN_BODY = TIME_OFFSET + Long.BYTES;

    public static final int MAX_PUBLISHER = 0xFFFF;

    private static final int NUMBER_BITS = 48;
    private static final long NUMBER_MASK = (1L << NUMBER_BITS) - 1;
    private static final int CHECK_BITS = 24;
    private static final int TIME_BITS = Long.SIZE - CHECK_BITS;
    private static final long TIME_MASK = (1L << TIME_BITS) - 1;
    private static final int CHECK_MASK = (1 << CHECK_BITS) - 1;

    /**
     * A factor of the check. It is odd and has no long runs of equal bits, so that each bit of a field affects the
     * uppermost bits of the sum.
     */
    private static final long STAMP_FACTOR = 0x9E3779B97F4A7C15L;

    private static final long TIME_FACTOR = 0xD6E8FEB86659FD93L;

    /** The initial value of the check. It is not 0, so that a body of zeros is not a valid message. */
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
     * Returns the intended time of sending that is in the body at {@code offset}.
     *
     * @param near any time less than nine minutes from the result
     */
    public static long timeAt(ByteBuffer buffer, int offset, long near) {
        return time(buffer.getLong(offset + TIME_OFFSET), near);
    }

    /** Returns the time in the second int64 of a body, see {@link #timeAt}. */
    static long time(long second, long near) {
        // The shifts extend the sign of the difference, which has 40 bits.
        return near - (near - (second >>> CHECK_BITS) << CHECK_BITS >> CHECK_BITS);
    }

    /** Mixes stamp and time to 64 bits, of which the uppermost are the check. */
    static long mix(long stamp, long second) {
        return MIX_START + stamp * STAMP_FACTOR + (second >>> CHECK_BITS) * TIME_FACTOR;
    }

    static boolean agrees(long mix, long second) {
        return (mix >>> TIME_BITS) == (second & CHECK_MASK);
    }

    /** Writes the fields of the body at {@code offset}, without its padding. */
    public static void put(ByteBuffer buffer, int offset, long stamp, long timeNanos) {
        long time = (timeNanos & TIME_MASK) << CHECK_BITS;
        buffer.putLong(offset + STAMP_OFFSET, stamp);
        buffer.putLong(offset + TIME_OFFSET, time | mix(stamp, time) >>> TIME_BITS);
    }

    /** Returns the lowest 40 bits of the time in the body at {@code offset}; {@link #put} accepts them as a time. */
    static long lowTimeAt(ByteBuffer buffer, int offset) {
        return buffer.getLong(offset + TIME_OFFSET) >>> CHECK_BITS;
    }
}
