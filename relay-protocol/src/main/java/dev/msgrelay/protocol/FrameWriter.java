package dev.msgrelay.protocol;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.Objects;

/**
 * Packs frames one behind the other into one direct buffer, to be written in one go. Not thread-safe.
 *
 * <p>The buffer has whole frames only: {@link #put} returns false if a frame does not fit, and the caller flushes and
 * tries again.
 */
public final class FrameWriter {
    private final ByteBuffer buffer;
    private final int maxBody;

    /**
     * @param capacity size of the buffer in bytes, at least a frame's header
     * @param maxBody longest body, in bytes
     */
    public FrameWriter(int capacity, int maxBody) {
        if (capacity < FrameLayout.HEADER_LENGTH) {
            throw new IllegalArgumentException(
                    "capacity " + capacity + " is under a frame's header of " + FrameLayout.HEADER_LENGTH);
        }
        FrameLayout.checkMaxBody(maxBody);
        this.buffer = ByteBuffer.allocateDirect(capacity);
        this.maxBody = maxBody;
    }

    /**
     * Packs one message.
     *
     * @param body the bytes between position and limit, both of which stay as they are
     * @return false if the frame does not fit the rest of the buffer; nothing has been packed then
     * @throws IllegalArgumentException the type is reserved, the body is over the limit, or the frame is larger than
     *     the whole buffer
     */
    public boolean put(int type, ByteBuffer body) {
        int length = body.remaining();
        if (!putHeader(type, length)) {
            return false;
        }
        int at = buffer.position();
        buffer.put(at, body, body.position(), length).position(at + length);
        return true;
    }

    /**
     * Packs one message whose body is a part of an array; otherwise as {@link #put(int, ByteBuffer)}.
     *
     * @throws IndexOutOfBoundsException offset and length are not within the array; nothing has been packed then
     */
    public boolean put(int type, byte[] body, int offset, int length) {
        // Checked before the header is packed: a wrong range must not leave a header without its body.
        Objects.checkFromIndexSize(offset, length, body.length);
        if (!putHeader(type, length)) {
            return false;
        }
        buffer.put(body, offset, length);
        return true;
    }

    /** Bytes packed and not yet written. */
    public int pending() {
        return buffer.position();
    }

    /**
     * Writes the packed bytes; on a non-blocking channel, as many as it takes now. Returns the number of bytes that
     * remain.
     */
    public int flush(WritableByteChannel channel) throws IOException {
        buffer.flip();
        try {
            while (buffer.hasRemaining() && channel.write(buffer) > 0) {
                // Again: a blocking channel may take a part only.
            }
        } finally {
            buffer.compact();
        }
        return buffer.position();
    }

    private boolean putHeader(int type, int length) {
        if (ControlFrames.isControl(type)) {
            throw new IllegalArgumentException("type " + ControlFrames.typeName(type) + " is reserved");
        }
        if (length > maxBody) {
            throw new IllegalArgumentException("body of " + length + " bytes is over the limit of " + maxBody);
        }
        int frameLength = FrameLayout.frameLength(length);
        if (frameLength > buffer.capacity()) {
            throw new IllegalArgumentException(
                    "frame of " + frameLength + " bytes is larger than the buffer of " + buffer.capacity());
        }
        if (frameLength > buffer.remaining()) {
            return false;
        }
        buffer.putInt(type).putInt(length);
        return true;
    }
}
