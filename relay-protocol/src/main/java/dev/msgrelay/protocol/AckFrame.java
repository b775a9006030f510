package dev.msgrelay.protocol;

import java.nio.ByteBuffer;

/**
 * ACK, a control frame: this message of the publisher, and all before it, are in the stream.
 *
 * <p>{@code docs/protocol.md} has the layout. The last two fields are present with {@link Features#LEVELS} only. A
 * later version appends fields behind them. The getters need a body that {@link #check} has accepted.
 */
public final class AckFrame {
    private static final int TYPE = ControlFrames.ACK;

    private static final int NUMBER_OFFSET = 0;
    private static final int SEQUENCE_OFFSET = NUMBER_OFFSET + Long.BYTES;

    private static final int WRITTEN_OFFSET = SEQUENCE_OFFSET + Long.BYTES;
    private static final int FORCED_OFFSET = WRITTEN_OFFSET + Long.BYTES;
    private static final int LEVELS_LENGTH = FORCED_OFFSET + Long.BYTES;

    /** Bytes of the body without fields that were appended later. */
    public static final int MIN_LENGTH = WRITTEN_OFFSET;

    /** Bytes that {@link #put(ByteBuffer, long, long)} puts. */
    public static final int FRAME_LENGTH = FrameLayout.HEADER_LENGTH + MIN_LENGTH;

    /** Bytes that {@link #put(ByteBuffer, long, long, long, long)} puts. */
    public static final int LEVELS_FRAME_LENGTH = FrameLayout.HEADER_LENGTH + LEVELS_LENGTH;

    private AckFrame() {}

    /**
     * Puts a whole ACK frame at the position of a big-endian buffer. Allocates nothing, checks no value.
     *
     * @param number the publisher's own number of its last message in the stream, from 1
     * @param sequence sequence of this message in the stream, from 1
     * @throws java.nio.BufferOverflowException the frame does not fit; nothing has been put
     */
    public static void put(ByteBuffer target, long number, long sequence) {
        int body = Fields.putHeader(target, TYPE, MIN_LENGTH);
        target.putLong(body + NUMBER_OFFSET, number);
        target.putLong(body + SEQUENCE_OFFSET, sequence);
    }

    /**
     * Puts a frame as {@link #put(ByteBuffer, long, long)}, with {@link Features#LEVELS}.
     *
     * @param written the publisher's own number of its last message that is written, up to {@code number}; 0: none
     * @param forced the publisher's own number of its last message that is forced, up to {@code written}; 0: none
     */
    public static void put(ByteBuffer target, long number, long sequence, long written, long forced) {
        int body = Fields.putHeader(target, TYPE, LEVELS_LENGTH);
        target.putLong(body + NUMBER_OFFSET, number);
        target.putLong(body + SEQUENCE_OFFSET, sequence);
        target.putLong(body + WRITTEN_OFFSET, written);
        target.putLong(body + FORCED_OFFSET, forced);
    }

    /**
     * Checks every field of an ACK's body, between position and limit.
     *
     * @throws FrameException a field is missing or out of range
     */
    public static void check(ByteBuffer body) throws FrameException {
        try {
            Fields.length(TYPE, body, MIN_LENGTH);
            Fields.within(TYPE, "number", number(body), 1, Long.MAX_VALUE);
            Fields.within(TYPE, "sequence", sequence(body), 1, Long.MAX_VALUE);
            if (body.remaining() > MIN_LENGTH) {
                Fields.room(TYPE, "written and forced", body, WRITTEN_OFFSET, LEVELS_LENGTH - WRITTEN_OFFSET);
                Fields.within(TYPE, "written", Fields.int64(body, WRITTEN_OFFSET), 0, number(body));
                Fields.within(TYPE, "forced", Fields.int64(body, FORCED_OFFSET), 0, Fields.int64(body, WRITTEN_OFFSET));
            }
        } catch (Fields.Invalid e) {
            throw e.malformed();
        }
    }

    /** The publisher's own number of its last message that is in the stream. */
    public static long number(ByteBuffer body) {
        return Fields.int64(body, NUMBER_OFFSET);
    }

    /** The sequence of that message. */
    public static long sequence(ByteBuffer body) {
        return Fields.int64(body, SEQUENCE_OFFSET);
    }

    /** The publisher's own number of its last message at this level; 0: none, or the relay does not tell. */
    public static long number(ByteBuffer body, Level level) {
        if (level == Level.STREAM) {
            return number(body);
        }
        return body.remaining() < LEVELS_LENGTH
                ? 0
                : Fields.int64(body, level == Level.WRITTEN ? WRITTEN_OFFSET : FORCED_OFFSET);
    }
}
