package dev.msgrelay.loadgen.load;

import java.nio.ByteBuffer;

/** An endless stream of measured messages, handed out a write at a time. The publisher's thread owns it. */
public interface MessageStream {
    /**
     * What to write next, to be written whole before the next call. Messages that begin in it carry {@code timeNanos}.
     */
    ByteBuffer next(long timeNanos);

    /** The rest of the frame that the last write cut, possibly nothing; the stream is at the end of a frame then. */
    ByteBuffer rest();

    /** The number of the message that begins next: so many have begun since number 0. */
    long nextNumber();
}
