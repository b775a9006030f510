package dev.msgrelay.loadgen.lab.batching;

import dev.msgrelay.loadgen.load.FrameBatch;
import java.nio.ByteBuffer;

/** The message that a producer thread fills in and sends, over and over; that thread owns it. */
final class Frame {
    private final FrameBatch one;

    Frame(int producer, int body) {
        one = new FrameBatch(producer, body, 1);
    }

    /** The whole frame. */
    ByteBuffer of(long number, long timeNanos) {
        one.add(number, timeNanos);
        return one.take();
    }
}
