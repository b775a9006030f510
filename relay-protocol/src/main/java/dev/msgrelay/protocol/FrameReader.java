package dev.msgrelay.protocol;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ReadableByteChannel;

/**
 * Decodes a framed stream from a channel over one direct buffer, without copying a body and without allocating.
 *
 * <p>After each read the leftover (part of one frame) is moved to the front, and the next read goes behind it. That is
 * the simpler of the two schemes of the article this project grew out of, and the faster: the same few hundred
 * kilobytes are used again and again, and stay in the cache.
 *
 * <pre>
 *  before read   |leftover|            free                     |
 *  after read    |leftover| frame | frame | frame | part of one |
 *                ^ consumed one by one ---------->^ becomes the leftover
 * </pre>
 *
 * A frame larger than the buffer makes the buffer grow, once, to the frame's length; the length is checked before that,
 * against the limit for messages or the one for control frames. Not thread-safe: one thread owns a reader.
 */
public final class FrameReader {
    /** Default size of the buffer: 256 KiB, four segments of loopback, which fits a core's own cache. */
    public static final int DEFAULT_BUFFER = 256 << 10;

    private final int maxBody;
    // Longest body that is allowed for any type, so that most frames cost only one comparison.
    private final int goodForAll;
    private ByteBuffer buffer;
    private ByteBuffer view;
    private long frames;
    private long bytes;
    private long reads;

    /**
     * @param bufferSize initial size of the buffer in bytes, at least a frame's header
     * @param maxBody longest body of a message, in bytes
     */
    public FrameReader(int bufferSize, int maxBody) {
        if (bufferSize < FrameLayout.HEADER_LENGTH) {
            throw new IllegalArgumentException(
                    "bufferSize " + bufferSize + " is under a frame's header of " + FrameLayout.HEADER_LENGTH);
        }
        FrameLayout.checkMaxBody(maxBody);
        this.maxBody = maxBody;
        this.goodForAll = Math.min(maxBody, ControlFrames.MAX_CONTROL_BODY);
        use(ByteBuffer.allocateDirect(bufferSize));
    }

    /** A reader with the default buffer and the default limit. */
    public FrameReader() {
        this(DEFAULT_BUFFER, FrameLayout.DEFAULT_MAX_BODY);
    }

    /**
     * Reads the channel once, and hands every whole frame to the consumer; to a {@link BulkFrameConsumer} as many at
     * once as it takes.
     *
     * @return the bytes read; 0: a non-blocking channel has none; -1: the end of the stream
     * @throws FrameException a length is negative or above the limit; frames before it have been handed over
     * @throws EOFException the stream ended within a frame
     */
    public int read(ReadableByteChannel channel, FrameConsumer consumer) throws IOException {
        int n = channel.read(buffer);
        if (n < 0) {
            if (buffer.position() > 0) {
                throw new EOFException("stream ended in the middle of a frame: " + leftover());
            }
            return n;
        }
        reads++;
        bytes += n;
        if (n > 0) {
            consumeWholeFrames(consumer);
        }
        return n;
    }

    /** Number of frames handed over by {@link FrameConsumer#onFrame} so far. */
    public long frames() {
        return frames;
    }

    /** Number of bytes read so far. */
    public long bytes() {
        return bytes;
    }

    /** Number of reads of the channel so far. */
    public long reads() {
        return reads;
    }

    /** Bytes of an incomplete frame in the buffer. */
    public int pending() {
        return buffer.position();
    }

    /** Present size of the buffer, in bytes. */
    public int capacity() {
        return buffer.capacity();
    }

    private void consumeWholeFrames(FrameConsumer consumer) throws FrameException {
        final ByteBuffer source = buffer;
        final ByteBuffer body = view;
        final BulkFrameConsumer bulk = consumer instanceof BulkFrameConsumer taker ? taker : null;
        final int end = source.position();
        int offset = 0;
        int missing = 0;
        long count = 0;
        try {
            while (end - offset >= FrameLayout.HEADER_LENGTH) {
                int taken = bulk == null ? 0 : bulk.onFrames(source, offset, end);
                if (taken > 0) {
                    offset += taken;
                    continue;
                }
                int type = FrameLayout.type(source, offset);
                int length = FrameLayout.bodyLength(source, offset);
                // A negative length is a large unsigned number.
                if (Integer.compareUnsigned(length, goodForAll) > 0) {
                    FrameLayout.checkBodyLength(type, length, maxBody);
                }
                int bodyStart = offset + FrameLayout.HEADER_LENGTH;
                int next = bodyStart + length;
                // next may be beyond the buffer, but does not overflow, see MAX_MAX_BODY.
                if (next > end) {
                    missing = next - offset;
                    break;
                }
                // The order is set again: a consumer may have changed it for the body before.
                body.limit(next).position(bodyStart).order(ByteOrder.BIG_ENDIAN);
                offset = next;
                count++;
                consumer.onFrame(type, body);
            }
        } finally {
            frames += count;
            keepLeftover(offset, end, missing);
        }
    }

    private void keepLeftover(int offset, int end, int frameLength) {
        ByteBuffer from = buffer;
        if (frameLength > from.capacity()) {
            use(ByteBuffer.allocateDirect(frameLength));
            buffer.put(0, from, offset, end - offset).position(end - offset);
        } else if (offset > 0) {
            from.limit(end).position(offset);
            from.compact();
        }
    }

    private void use(ByteBuffer fresh) {
        buffer = fresh;
        view = fresh.duplicate();
    }

    private String leftover() {
        int have = buffer.position();
        if (have < FrameLayout.HEADER_LENGTH) {
            return have + " of the " + FrameLayout.HEADER_LENGTH + " bytes of a header";
        }
        return have + " of " + FrameLayout.frameLength(FrameLayout.bodyLength(buffer, 0)) + " bytes";
    }
}
