package dev.msgrelay.server.ring;

import dev.msgrelay.server.batch.RunScan;
import java.nio.ByteBuffer;

/**
 * One or more whole frames lying one after the other: what the ring hands to its consumer. A flyweight: one object for
 * all runs, valid during the call that it is given to. Owned by the consumer's thread.
 */
public final class Run {
    private ByteBuffer buffer;
    private int offset;
    private int length;
    private RunScan scan;
    private int frameLength;
    private int owner;

    Run wrap(ByteBuffer source, int at, int bytes, RunScan scanned, int lengthOfEach) {
        buffer = source;
        offset = at;
        length = bytes;
        scan = scanned;
        frameLength = lengthOfEach;
        owner = 0;
        return this;
    }

    Run ownedBy(int whom) {
        owner = whom;
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

    /** Bytes of the run. */
    public int length() {
        return length;
    }

    /** Where its packets end, if the producer has found out already, else null. */
    public RunScan scan() {
        return scan;
    }

    /** The length of each of its frames in bytes where the producer found them valid and all alike, otherwise 0. */
    public int frameLength() {
        return frameLength;
    }

    /** Who is to be told when it is packed, from 1; 0: nobody. */
    public int owner() {
        return owner;
    }
}
