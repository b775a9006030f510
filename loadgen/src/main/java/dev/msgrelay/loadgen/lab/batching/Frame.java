package dev.msgrelay.loadgen.lab.batching;

import dev.msgrelay.loadgen.load.FrameBatch;
import dev.msgrelay.loadgen.load.LoadMessage;
import dev.msgrelay.loadgen.load.SizeTable;
import java.nio.ByteBuffer;

/** The message that a producer thread fills in and sends, over and over; that thread owns it. */
final class Frame {
    private final int producer;
    private final FrameBatch one;

    Frame(int producer, int body) {
        this.producer = producer;
        this.one = FrameBatch.ofMessages(SizeTable.fixed(body), 1);
    }

    /** The whole frame. */
    ByteBuffer of(long number, long timeNanos) {
        one.add(LoadMessage.stamp(producer, number), timeNanos);
        return one.take();
    }
}
