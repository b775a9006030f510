package dev.msgrelay.server.memory;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Views of direct memory in the machine's byte order, so that one load reads a number. {@link #bigEndian} converts the
 * number if its value is needed.
 */
public final class Bytes {
    private static final boolean LITTLE_ENDIAN = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

    private Bytes() {}

    /** A view of the first {@code length} bytes of a direct buffer, in the machine's byte order. */
    public static ByteBuffer view(ByteBuf memory, int length) {
        return memory.nioBuffer(0, length).order(ByteOrder.nativeOrder());
    }

    /** Converts a number from the machine's byte order to the wire's, or back. */
    public static int bigEndian(int value) {
        return LITTLE_ENDIAN ? Integer.reverseBytes(value) : value;
    }

    /** Converts a number from the machine's byte order to the wire's, or back. */
    public static long bigEndian(long value) {
        return LITTLE_ENDIAN ? Long.reverseBytes(value) : value;
    }
}
