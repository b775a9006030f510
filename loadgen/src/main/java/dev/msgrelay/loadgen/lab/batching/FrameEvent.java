package dev.msgrelay.loadgen.lab.batching;

import java.nio.ByteBuffer;

/** A slot of the Disruptor: made once, written by whoever claimed it, read by the handler. */
final class FrameEvent {
    private final byte[] bytes;
    private int size;

    /**
     * @param capacity the longest frame
     */
    FrameEvent(int capacity) {
        this.bytes = new byte[capacity];
    }

    void set(ByteBuffer frame) {
        size = frame.remaining();
        frame.get(frame.position(), bytes, 0, size);
    }

    int size() {
        return size;
    }

    void putTo(ByteBuffer buffer) {
        buffer.put(bytes, 0, size);
    }
}
