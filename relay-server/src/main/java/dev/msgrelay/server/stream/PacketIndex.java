package dev.msgrelay.server.stream;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The starts of the newest {@code capacity} packets of the log, in a ring: position in the stream, and number of the
 * first message. One writer. A reader on another thread copies an entry. Then it checks with {@link #stillHolds} that
 * the writer has not overwritten the slot meanwhile.
 */
final class PacketIndex {
    private final long[] position;
    private final long[] sequence;
    private final int mask;
    private final AtomicLong count = new AtomicLong();

    /** @param capacity packets that the index remembers, a power of two */
    PacketIndex(int capacity) {
        position = new long[capacity];
        sequence = new long[capacity];
        mask = capacity - 1;
    }

    void add(long startPosition, long firstSequence) {
        long n = count.getPlain();
        int slot = (int) n & mask;
        // A reader that sees the new values also sees a count of n, so stillHolds is false for the slot's old packet.
        VarHandle.storeStoreFence();
        position[slot] = startPosition;
        sequence[slot] = firstSequence;
        count.setRelease(n + 1);
    }

    long newest() {
        return count.getAcquire() - 1;
    }

    /** Returns the first packet that starts at or after a position; the newest packet's number + 1 if none does. */
    long firstAtOrAfter(long where) {
        return firstAbove(where - 1, position, count.getAcquire());
    }

    /** Returns the last packet whose first message is not after {@code wanted}; -1 if the index has none. */
    long lastAtOrBefore(long wanted) {
        long n = count.getAcquire();
        long above = firstAbove(wanted, sequence, n);
        return above == Math.max(0, n - sequence.length) ? -1 : above - 1;
    }

    /** Returns the first remembered packet whose value is above a bound; the count {@code n} if there is none. */
    private long firstAbove(long bound, long[] values, long n) {
        long low = Math.max(0, n - values.length);
        long high = n;
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (values[(int) middle & mask] <= bound) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    long positionOf(long packet) {
        return position[(int) packet & mask];
    }

    long sequenceOf(long packet) {
        return sequence[(int) packet & mask];
    }

    /** Returns whether the slot still held this packet when the caller read it. */
    boolean stillHolds(long packet) {
        // The writer fills a slot before it raises the count, so the oldest packet may be overwritten already.
        VarHandle.loadLoadFence();
        return count.getAcquire() - packet < position.length;
    }

    int capacity() {
        return position.length;
    }
}
