package dev.msgrelay.server.harness;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Frames as bytes, written down independently of the code under test: type, length, body, big-endian. The body follows
 * from the type and nothing else, so that whoever gets a frame can tell whether it is the one that was sent.
 */
public final class Frames {
    /** Types of a numbered message: publisher * this + number. */
    public static final int NUMBERS = 1 << 20;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    /** A frame with the body that belongs to its type. */
    public Frames frame(int type, int bodyLength) {
        byte[] body = new byte[bodyLength];
        for (int i = 0; i < bodyLength; i++) {
            body[i] = bodyByte(type, i);
        }
        return header(type, bodyLength).raw(body);
    }

    public Frames header(int type, int bodyLength) {
        return raw(ByteBuffer.allocate(8).putInt(type).putInt(bodyLength).array());
    }

    public Frames raw(byte... raw) {
        bytes.writeBytes(raw);
        return this;
    }

    public int size() {
        return bytes.size();
    }

    public byte[] bytes() {
        return bytes.toByteArray();
    }

    public ByteBuffer buffer() {
        return ByteBuffer.wrap(bytes());
    }

    /** In direct memory and the machine's own byte order, as the ring and the log want it. */
    public ByteBuffer nativeBuffer() {
        ByteBuffer direct = ByteBuffer.allocateDirect(size()).order(ByteOrder.nativeOrder());
        direct.put(bytes()).flip();
        return direct;
    }

    /** The byte at {@code index} of the body of a frame of this type. */
    public static byte bodyByte(int type, int index) {
        return (byte) (type * 31 + index * 7 + (index >> 8));
    }

    public static int type(int publisher, int number) {
        return publisher * NUMBERS + number;
    }

    /** Direct memory of the relay's kind; the caller releases it. */
    public static ByteBuf direct(int bytes) {
        return UnpooledByteBufAllocator.DEFAULT.directBuffer(bytes, bytes);
    }
}
