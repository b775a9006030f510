package dev.msgrelay.loadgen.load;

/**
 * When one subscriber got some of the messages: those whose number is a multiple of {@link #sampling}, a power of two.
 * Memory is taken once; when it is full every second message is forgotten and the sampling doubles. Which messages are
 * kept depends on their numbers alone, so that what several subscribers have kept is the same up to the coarser
 * sampling. Not thread-safe: the subscriber's thread owns it.
 */
public final class ArrivalLog {
    /** No coarser: as many messages of one publisher in a run are years of it. */
    private static final long MAX_MASK = (1L << 40) - 1;

    private final long[] stamps;
    private final long[] nanos;
    private int size;
    private long mask;

    /**
     * @param capacity messages that are kept at most; 0 to keep none
     * @param sampling to begin with, a power of two
     */
    public ArrivalLog(int capacity, int sampling) {
        this.stamps = new long[capacity];
        this.nanos = new long[capacity];
        this.mask = sampling - 1L;
    }

    /** One message that has arrived. */
    public void add(long stamp, long arrivalNanos) {
        while (size == stamps.length && size > 0 && (stamp & mask) == 0 && mask < MAX_MASK) {
            thin();
        }
        if (size < stamps.length && (stamp & mask) == 0) {
            stamps[size] = stamp;
            nanos[size++] = arrivalNanos;
        }
    }

    private void thin() {
        mask = mask << 1 | 1;
        int kept = 0;
        for (int i = 0; i < size; i++) {
            if ((stamps[i] & mask) == 0) {
                stamps[kept] = stamps[i];
                nanos[kept++] = nanos[i];
            }
        }
        size = kept;
    }

    /** One message in so many of each publisher is kept by now. */
    public long sampling() {
        return mask + 1;
    }

    public int size() {
        return size;
    }

    /** The {@code i}-th message that is kept, in the order of arrival. */
    public long stamp(int i) {
        return stamps[i];
    }

    /** When it arrived. */
    public long nanos(int i) {
        return nanos[i];
    }
}
