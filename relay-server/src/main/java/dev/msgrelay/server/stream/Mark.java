package dev.msgrelay.server.stream;

/** A frame boundary of the stream: its position, and the number of the next message. Owned by one thread. */
public final class Mark {
    private long position;
    private long sequence;

    public static Mark of(long position, long sequence) {
        Mark mark = new Mark();
        mark.set(position, sequence);
        return mark;
    }

    public void set(long atPosition, long nextSequence) {
        position = atPosition;
        sequence = nextSequence;
    }

    public void copy(Mark other) {
        set(other.position, other.sequence);
    }

    /** Bytes of the stream before this boundary. */
    public long position() {
        return position;
    }

    public long sequence() {
        return sequence;
    }
}
