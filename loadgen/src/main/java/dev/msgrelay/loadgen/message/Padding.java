package dev.msgrelay.loadgen.message;

import java.nio.ByteBuffer;

/**
 * The bytes of a body after its fields: byte {@code i} of the body is letter {@code i} of the alphabet, repeated. There
 * is no zero, which could hide a hole in the stream, and neighbouring bytes differ, which reveals a shift.
 */
final class Padding {
    private static final int LETTERS = 26;

    /** The alphabet, repeated. Bodies are copied from these bytes, and compared with them. */
    private static final ByteBuffer PATTERN = pattern(LETTERS * 2_500);

    private Padding() {}

    private static ByteBuffer pattern(int length) {
        ByteBuffer pattern = ByteBuffer.allocateDirect(length);
        for (int i = 0; i < length; i++) {
            pattern.put(i, (byte) ('a' + i % LETTERS));
        }
        return pattern;
    }

    static void fill(ByteBuffer buffer, int offset, int bodyLength) {
        int at = LoadMessage.MIN_BODY;
        while (at < bodyLength) {
            int from = at % PATTERN.capacity();
            int length = Math.min(bodyLength - at, PATTERN.capacity() - from);
            buffer.put(offset + at, PATTERN, from, length);
            at += length;
        }
    }

    static ByteBuffer view() {
        return PATTERN.duplicate();
    }

    /** Whether the body between position and limit has the right padding. Position and limit change. */
    static boolean matches(ByteBuffer body, ByteBuffer view) {
        int start = body.position();
        int end = body.limit();
        int at = LoadMessage.MIN_BODY;
        while (start + at < end) {
            int from = at % view.capacity();
            int length = Math.min(end - start - at, view.capacity() - from);
            body.limit(start + at + length).position(start + at);
            view.limit(from + length).position(from);
            if (body.mismatch(view) >= 0) {
                return false;
            }
            at += length;
        }
        return true;
    }
}
