package dev.msgrelay.server.stream;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The end of the published stream: a position and the number of the next message. One writer; readers on any thread see
 * a pair that was set together. This is a sequence lock: the version is odd while the writer changes the pair.
 */
@SuppressWarnings("unused") // fields, through handles
public final class StreamHead {
    private static final VarHandle VERSION;
    private static final VarHandle POSITION;
    private static final VarHandle SEQUENCE;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            VERSION = lookup.findVarHandle(StreamHead.class, "version", long.class);
            POSITION = lookup.findVarHandle(StreamHead.class, "position", long.class);
            SEQUENCE = lookup.findVarHandle(StreamHead.class, "sequence", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private long version;
    private long position;
    private long sequence;

    /** Moves the head. On the writer's thread only. */
    public void set(long newPosition, long newSequence) {
        long v = (long) VERSION.getOpaque(this);
        VERSION.setOpaque(this, v + 1);
        VarHandle.storeStoreFence();
        POSITION.setOpaque(this, newPosition);
        SEQUENCE.setOpaque(this, newSequence);
        VERSION.setRelease(this, v + 2);
    }

    public void read(Mark into) {
        while (true) {
            long before = (long) VERSION.getAcquire(this);
            long p = (long) POSITION.getOpaque(this);
            long s = (long) SEQUENCE.getOpaque(this);
            VarHandle.loadLoadFence();
            if ((before & 1) == 0 && before == (long) VERSION.getOpaque(this)) {
                into.set(p, s);
                return;
            }
            Thread.onSpinWait();
        }
    }

    public Mark mark() {
        Mark now = new Mark();
        read(now);
        return now;
    }

    /** Returns only the position. The bytes before this position may be read. */
    public long position() {
        return (long) POSITION.getAcquire(this);
    }
}
