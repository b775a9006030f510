package dev.msgrelay.loadgen.load;

import dev.msgrelay.protocol.FrameLayout;
import java.nio.ByteBuffer;

/**
 * The messages of one connection that are due at one wake-up, packed whole, to go out in one write. Not thread-safe:
 * the publisher's thread owns it.
 */
public final class FrameBatch {
    private final ByteBuffer memory;
    private final ByteBuffer window;
    private final int publisher;
    private final int frameLength;
    private final int capacity;
    private int size;

    /**
     * @param capacity most messages in one write, at least 1
     */
    public FrameBatch(int publisher, int bodyLength, int capacity) {
        this.publisher = publisher;
        this.frameLength = FrameLayout.frameLength(bodyLength);
        this.capacity = capacity;
        this.memory = ByteBuffer.allocateDirect(Math.multiplyExact(capacity, frameLength));
        for (int i = 0; i < capacity; i++) {
            FrameLayout.putHeader(memory, i * frameLength, LoadMessage.TYPE, bodyLength);
            Padding.fill(memory, i * frameLength + FrameLayout.HEADER_LENGTH, bodyLength);
        }
        this.window = memory.duplicate();
    }

    /** Most messages in one write for this size of body: about 256 KiB, at least one. */
    public static int capacityFor(int bodyLength) {
        return Math.max(1, (256 << 10) / FrameLayout.frameLength(bodyLength));
    }

    /** Adds one message; the caller asks {@link #isFull} before. */
    public void add(long number, long intendedNanos) {
        int body = size * frameLength + FrameLayout.HEADER_LENGTH;
        LoadMessage.put(memory, body, LoadMessage.stamp(publisher, number), intendedNanos);
        size++;
    }

    public boolean isFull() {
        return size == capacity;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    /** What has been added, to be written whole before the next call; the batch is empty again. */
    public ByteBuffer take() {
        window.limit(size * frameLength).position(0);
        size = 0;
        return window;
    }
}
