package dev.msgrelay.server.core;

import java.nio.ByteBuffer;

/**
 * One or more whole frames lying one after the other: what the ring hands to its consumer. A flyweight: one object for
 * all runs, valid during the call that it is given to. Owned by the consumer's thread.
 */
public final class Run {
    private ByteBuffer buffer;
    private int offset;
    private int length;
    private int frameLength;

    Run wrap(ByteBuffer source, int at, int bytes, int lengthOfEach) {
        buffer = source;
        offset = at;
        length = bytes;
        frameLength = lengthOfEach;
        return this;
    }

    /** The memory, in the machine's own byte order, that the run lies in. */
    public ByteBuffer buffer() {
        return buffer;
    }

    /** Where in {@link #buffer} the run starts. */
    public int offset() {
        return offset;
    }

    /** Bytes of the run; 0: a claim that was given back. */
    public int length() {
        return length;
    }

    /** The length of each of its frames in bytes where the producer found them valid and all alike, otherwise 0. */
    public int frameLength() {
        return frameLength;
    }
}
