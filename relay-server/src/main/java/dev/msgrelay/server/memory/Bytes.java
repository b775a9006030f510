package dev.msgrelay.server.memory;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Copies and views of direct memory. All views here are in the machine's own byte order, so that eight bytes move as
 * one plain load and store; what is a number on the wire is turned with {@link #bigEndian}.
 */
public final class Bytes {
    /**
     * Up to this length a copy is a loop of eight-byte moves: a call of the copy stub costs more than it saves. Found by
     * trying; between 64 and 256 it makes little difference.
     */
    private static final int SHORT_COPY = 160;

    private static final boolean LITTLE_ENDIAN = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

    private Bytes() {}

    /** A view of the first {@code length} bytes of a direct buffer, in the machine's own byte order. */
    public static ByteBuffer view(ByteBuf memory, int length) {
        return memory.nioBuffer(0, length).order(ByteOrder.nativeOrder());
    }

    /** Between the machine's own byte order and the wire's. */
    public static int bigEndian(int value) {
        return LITTLE_ENDIAN ? Integer.reverseBytes(value) : value;
    }

    /** As {@link #copy}, from a buffer of whatever kind and byte order. */
    public static void copyFromAny(ByteBuffer source, int from, ByteBuffer target, int to, int length) {
        if (source.order() == target.order()) {
            copy(source, from, target, to, length);
        } else {
            copySwapped(source, from, target, to, length);
        }
    }

    private static void copySwapped(ByteBuffer source, int from, ByteBuffer target, int to, int length) {
        if (length > SHORT_COPY) {
            target.put(to, source, from, length);
            return;
        }
        int i = 0;
        for (; i <= length - Long.BYTES; i += Long.BYTES) {
            target.putLong(to + i, Long.reverseBytes(source.getLong(from + i)));
        }
        for (; i < length; i++) {
            target.put(to + i, source.get(from + i));
        }
    }

    /** Copies {@code length} bytes between two views of the machine's own byte order, positions untouched. */
    public static void copy(ByteBuffer source, int from, ByteBuffer target, int to, int length) {
        if (length > SHORT_COPY) {
            target.put(to, source, from, length);
            return;
        }
        int i = 0;
        for (; i <= length - Long.BYTES; i += Long.BYTES) {
            target.putLong(to + i, source.getLong(from + i));
        }
        for (; i < length; i++) {
            target.put(to + i, source.get(from + i));
        }
    }
}
