package dev.msgrelay.loadgen.load;

import java.nio.ByteBuffer;

/** An endless stream of measured messages, so many whole ones to a write. */
public final class BatchStream implements MessageStream {
    private final int publisher;
    private final FrameBatch batch;
    private long nextNumber;

    /**
     * @param publisher id, 0..{@link LoadMessage#MAX_PUBLISHER}
     * @param messages of every write, at least 1
     * @param firstNumber the first message's number
     */
    public BatchStream(int publisher, SizeTable sizes, int messages, long firstNumber) {
        this.publisher = publisher;
        this.batch = FrameBatch.ofMessages(sizes, messages);
        this.nextNumber = firstNumber;
    }

    @Override
    public ByteBuffer next(long timeNanos) {
        long stamp = LoadMessage.stamp(publisher, nextNumber);
        while (batch.hasRoom(stamp)) {
            batch.add(stamp, timeNanos);
            stamp++;
            nextNumber++;
        }
        return batch.take();
    }

    /** Nothing: no frame is ever cut. */
    @Override
    public ByteBuffer rest() {
        return batch.take();
    }

    @Override
    public long nextNumber() {
        return nextNumber;
    }
}
