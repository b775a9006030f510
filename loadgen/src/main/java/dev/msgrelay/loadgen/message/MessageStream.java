package dev.msgrelay.loadgen.message;

import java.nio.ByteBuffer;

/**
 * An endless stream of one publisher's messages. It is returned in pieces, each for one write. The publisher's thread
 * owns it.
 */
public final class MessageStream {
    private final int publisher;
    private final FrameBatch batch;
    private final int writeSize;
    private long nextNumber;

    private MessageStream(int publisher, FrameBatch batch, int writeSize, long firstNumber) {
        this.publisher = publisher;
        this.batch = batch;
        this.writeSize = writeSize;
        this.nextNumber = firstNumber;
    }

    /** Creates a stream with a fixed number of whole messages in each write. */
    public static MessageStream ofMessages(int publisher, SizeTable sizes, int messages, long firstNumber) {
        return new MessageStream(publisher, FrameBatch.ofMessages(sizes, messages), 0, firstNumber);
    }

    /** Creates a stream that is cut into writes of one size, so that every write fills whole TCP segments. */
    public static MessageStream ofBytes(int publisher, SizeTable sizes, int writeSize, long firstNumber) {
        return new MessageStream(publisher, FrameBatch.ofWrites(sizes, writeSize), writeSize, firstNumber);
    }

    /**
     * Returns the next bytes, which must be written before the next call. Messages that begin in them carry {@code
     * timeNanos}.
     */
    public ByteBuffer next(long timeNanos) {
        long stamp = LoadMessage.stamp(publisher, nextNumber);
        if (writeSize == 0) {
            nextNumber += batch.fill(stamp, timeNanos);
            return batch.drain();
        }
        nextNumber += batch.fillUpTo(writeSize, stamp, timeNanos);
        return batch.cut(writeSize);
    }

    /** Returns the rest of the frame within which the last write ended; empty if it ended with a whole frame. */
    public ByteBuffer rest() {
        return batch.drain();
    }

    public long nextNumber() {
        return nextNumber;
    }
}
