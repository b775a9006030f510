package dev.msgrelay.loadgen.load;

import dev.msgrelay.protocol.FrameLayout;
import java.nio.ByteBuffer;

/**
 * Messages that go out in one write, packed whole. Where all have one size and type the frames lie in memory once and for all,
 * and only stamp and time are patched. Not thread-safe: the publisher's thread owns it, for as many publisher ids as it
 * serves.
 */
public final class FrameBatch {
    private static final int BYTES_PER_WRITE = 256 << 10;

    private final ByteBuffer memory;
    private final ByteBuffer window;
    private final SizeTable sizes;
    private final int maxMessages;
    private final boolean patched;
    private int messages;
    private int end;

    private FrameBatch(SizeTable sizes, int maxMessages, int bytes) {
        this.sizes = sizes;
        this.maxMessages = maxMessages;
        this.patched = sizes.isUniform();
        this.memory = ByteBuffer.allocateDirect(bytes);
        int frameLength = FrameLayout.frameLength(sizes.max());
        for (int at = 0; patched && at + frameLength <= bytes; at += frameLength) {
            sizes.putFrame(memory, at, 0, 0);
        }
        this.window = memory.duplicate();
    }

    /**
     * A batch of up to {@code messages}, whatever their sizes.
     *
     * @throws ArithmeticException the largest messages would take more than 2 GiB
     */
    public static FrameBatch ofMessages(SizeTable sizes, int messages) {
        return new FrameBatch(sizes, messages, Math.multiplyExact(messages, FrameLayout.frameLength(sizes.max())));
    }

    /** A batch of as many messages as go into 256 KiB, at least one. */
    public static FrameBatch ofBytes(SizeTable sizes) {
        int bytes = Math.max(BYTES_PER_WRITE, FrameLayout.frameLength(sizes.max()));
        return new FrameBatch(sizes, Integer.MAX_VALUE, bytes);
    }

    /** Bytes that it has room for. */
    public int capacity() {
        return memory.capacity();
    }

    /** Whether the message with this stamp can be added. */
    public boolean hasRoom(long stamp) {
        return messages < maxMessages && end + FrameLayout.frameLength(sizes.sizeOf(stamp)) <= memory.capacity();
    }

    /** Adds one message; the caller asks {@link #hasRoom} before. */
    public void add(long stamp, long intendedNanos) {
        if (patched) {
            LoadMessage.put(memory, end + FrameLayout.HEADER_LENGTH, stamp, intendedNanos);
            end += FrameLayout.frameLength(sizes.max());
        } else {
            end += sizes.putFrame(memory, end, stamp, intendedNanos);
        }
        messages++;
    }

    /** What has been added, to be written whole before the next call; the batch is empty again. */
    public ByteBuffer take() {
        window.limit(end).position(0);
        end = 0;
        messages = 0;
        return window;
    }
}
