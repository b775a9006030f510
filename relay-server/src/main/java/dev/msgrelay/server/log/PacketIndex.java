package dev.msgrelay.server.log;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Where packets of the log start: position in the stream and number of the first message. A ring of the newest
 * {@code capacity} packets.
 *
 * <p>One writer. Readers on other threads look up, then ask {@link #stillHolds}: a slot that was written anew in the
 * meantime is noticed there.
 */
final class PacketIndex {
    private static final VarHandle COUNT;

    static {
        try {
            COUNT = MethodHandles.lookup().findVarHandle(PacketIndex.class, "count", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final long[] position;
    private final long[] sequence;
    private final int mask;

    @SuppressWarnings("unused") // through COUNT
    private long count;

    /** @param capacity packets that are remembered, a power of two */
    PacketIndex(int capacity) {
        position = new long[capacity];
        sequence = new long[capacity];
        mask = capacity - 1;
    }

    /** Adds a packet; {@code firstSequence} is the number of its first message. Writer only. */
    void add(long startPosition, long firstSequence) {
        long n = (long) COUNT.get(this);
        int slot = (int) n & mask;
        // Not before the count that says this slot's old packet is gone.
        VarHandle.storeStoreFence();
        position[slot] = startPosition;
        sequence[slot] = firstSequence;
        COUNT.setRelease(this, n + 1);
    }

    /** The number of the newest packet. */
    long newest() {
        return (long) COUNT.getAcquire(this) - 1;
    }

    /** The number of the first packet that starts at or behind {@code where}; one past the newest where none does. */
    long firstAtOrBehind(long where) {
        long n = (long) COUNT.getAcquire(this);
        long low = Math.max(0, n - position.length);
        long high = n;
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (position[(int) middle & mask] < where) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The number of the last packet that starts with message {@code wanted} or before; -1 where none is remembered. */
    long lastAtOrBefore(long wanted) {
        long n = (long) COUNT.getAcquire(this);
        long low = Math.max(0, n - sequence.length);
        long oldest = low;
        long high = n;
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (sequence[(int) middle & mask] <= wanted) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low == oldest ? -1 : low - 1;
    }

    long positionOf(long packet) {
        return position[(int) packet & mask];
    }

    long sequenceOf(long packet) {
        return sequence[(int) packet & mask];
    }

    /** Whether what was read of this packet was still its own. */
    boolean stillHolds(long packet) {
        // The slot is written before the count moves on, so it may be under way for one packet more than counted.
        VarHandle.loadLoadFence();
        return (long) COUNT.getAcquire(this) - packet < position.length;
    }

    int capacity() {
        return position.length;
    }
}
