package dev.msgrelay.loadgen.load;

import dev.msgrelay.protocol.FrameLayout;
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
 *  |        Intended time of sending (int64, nanoseconds)          |
 *  |                                                               |
 *  +---------------------------------------------------------------+
 *  |         Padding (0.. bytes: the alphabet over and over)      ...
 *  +---------------------------------------------------------------+
 * </pre>
 *
 * Publisher id and number are read and written together as one int64, the <em>stamp</em>. The time is {@link
 * System#nanoTime}, which on Linux is CLOCK_MONOTONIC: one clock for all processes of a host, so that latency needs no
 * synchronised clocks as long as publisher and subscriber share the host.
 */
public final class LoadMessage {
    /** The type of every measured message; others are counted as foreign and not checked. */
    public static final int TYPE = 0x4C47;

    public static final int STAMP_OFFSET = 0;
    public static final int TIME_OFFSET = STAMP_OFFSET + Long.BYTES;

    /** Smallest body, in bytes. */
    public static final int MIN_BODY = TIME_OFFSET + Long.BYTES;

    public static final int MAX_PUBLISHER = 0xFFFF;

    private static final int NUMBER_BITS = 48;
    private static final long NUMBER_MASK = (1L << NUMBER_BITS) - 1;

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

    /** The stamp of the body that starts at {@code offset}. */
    public static long stampAt(ByteBuffer buffer, int offset) {
        return buffer.getLong(offset + STAMP_OFFSET);
    }

    /** The intended time of sending of the body that starts at {@code offset}. */
    public static long timeAt(ByteBuffer buffer, int offset) {
        return buffer.getLong(offset + TIME_OFFSET);
    }

    /** Writes the two fields of the body that starts at {@code offset}; the padding stays as it is. */
    public static void put(ByteBuffer buffer, int offset, long stamp, long timeNanos) {
        buffer.putLong(offset + STAMP_OFFSET, stamp);
        buffer.putLong(offset + TIME_OFFSET, timeNanos);
    }

    /**
     * Writes a whole frame at {@code offset}, its body as large as {@code sizes} says.
     *
     * @return its length on the wire
     */
    static int putFrame(ByteBuffer buffer, int offset, long stamp, long timeNanos, SizeTable sizes) {
        int bodyLength = sizes.sizeOf(stamp);
        int body = offset + FrameLayout.HEADER_LENGTH;
        FrameLayout.putHeader(buffer, offset, TYPE, bodyLength);
        put(buffer, body, stamp, timeNanos);
        Padding.fill(buffer, body, bodyLength);
        return FrameLayout.frameLength(bodyLength);
    }
}
