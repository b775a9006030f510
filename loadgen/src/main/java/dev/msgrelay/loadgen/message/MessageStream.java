package dev.msgrelay.loadgen.message;

import java.nio.ByteBuffer;

/** An endless stream of one publisher's messages, handed out a write at a time. The publisher's thread owns it. */
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

    /** A number of whole messages to a write, at least one. */
    public static MessageStream ofMessages(int publisher, SizeTable sizes, int messages, long firstNumber) {
        return new MessageStream(publisher, FrameBatch.ofMessages(sizes, messages), 0, firstNumber);
    }

    /**
     * Cut into writes of one size wherever that falls, so that every write is a whole number of the path's segments although
     * no frame divides a segment.
     */
    public static MessageStream ofBytes(int publisher, SizeTable sizes, int writeSize, long firstNumber) {
        return new MessageStream(publisher, FrameBatch.ofWrites(sizes, writeSize), writeSize, firstNumber);
    }

    /** The bytes to write next, to be written whole before the next call. Messages that begin in it carry {@code timeNanos}. */
    public ByteBuffer next(long timeNanos) {
        long stamp = LoadMessage.stamp(publisher, nextNumber);
        if (writeSize == 0) {
            nextNumber += batch.fill(stamp, timeNanos);
            return batch.drain();
        }
        nextNumber += batch.fillUpTo(writeSize, stamp, timeNanos);
        return batch.cut(writeSize);
    }

    /** The rest of the frame that the last write cut, possibly nothing; the stream is at the end of a frame then. */
    public ByteBuffer rest() {
        return batch.drain();
    }

    /** The number of the message that begins next: so many have begun since number 0. */
    public long nextNumber() {
        return nextNumber;
    }
}
