package dev.msgrelay.cluster;

import dev.msgrelay.cluster.Batch.Kind;
import dev.msgrelay.protocol.ProducerId;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.LockSupport;
import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What a node's core has handed in and the cluster has not put in order: kept until it is, so that it can be offered again.
 *
 * <pre>
 *        head                 sent               tail
 *   -----|====================|==================|-----   positions only grow; the memory is a ring
 *        offered, not ordered  not offered
 *        '-- moved by the core --'   moved by the core, by what it hands in
 * </pre>
 *
 * The core writes at the tail and lets go at the head. The thread that offers reads between the two, and goes back to the
 * head when nobody knows what of it has arrived.
 */
final class Outgoing {
    /** Entries that may be under way. */
    static final int MOST_ENTRIES = 1 << 16;

    private static final byte[] NOTHING = {};
    private static final long NOWHERE = Long.MAX_VALUE;

    private final UnsafeBuffer memory;
    private final int mask;
    private final int longest;
    private final long[] ends = new long[MOST_ENTRIES];
    private final Object[] whose = new Object[MOST_ENTRIES];
    private volatile long head;
    private volatile long tail;
    // From where on who offers reads at present.
    private volatile long reading = NOWHERE;
    // Who offers, while it waits for more; null: it does not.
    private volatile Thread waiting;

    // Of the core: entries are numbered from 1.
    private long next = 1;
    private long ordered;

    /**
     * @param capacity bytes; a power of two
     * @param longest bytes of the longest entry
     */
    Outgoing(int capacity, int longest) {
        if (!BitUtil.isPowerOfTwo(capacity) || longest > capacity / 4) {
            throw new IllegalArgumentException("capacity " + capacity
                    + " is no power of two, or less than four times the longest entry, " + longest);
        }
        this.memory = new UnsafeBuffer(ByteBuffer.allocateDirect(capacity));
        this.mask = capacity - 1;
        this.longest = longest;
    }

    // ---- the core ----------------------------------------------------------------------------------------------

    /** Whether there is room for the longest entry, wherever the ring's end is. */
    boolean hasRoom() {
        return tail + 2L * longest <= Math.min(head, reading) + mask + 1 && next - 1 - ordered < MOST_ENTRIES;
    }

    /** Whether half of it is free. */
    boolean isHalfEmpty() {
        return tail - head <= (mask + 1) / 2 && next - 1 - ordered <= MOST_ENTRIES / 2;
    }

    /**
     * Takes an entry.
     *
     * @param frames in any byte order; null: there are none
     * @param who is handed back when it is in order; null: nobody asks
     * @return false where there is no room
     */
    boolean add(
            Kind kind,
            int messages,
            ByteBuffer frames,
            int offset,
            int length,
            long first,
            ProducerId producer,
            byte[] name,
            byte[] owner,
            Object who) {
        if (!hasRoom()) {
            return false;
        }
        int bytes = Batch.length(name.length, owner.length, length);
        if (bytes > longest) {
            throw new IllegalArgumentException("entry of " + bytes + " bytes: the longest is " + longest);
        }
        long from = tail;
        int at = (int) from & mask;
        int toEnd = mask + 1 - at;
        if (toEnd < bytes) {
            memory.putInt(at, toEnd);
            memory.putInt(at + Integer.BYTES, Kind.PADDING.ordinal());
            from += toEnd;
            at = 0;
        }
        int framesAt = Batch.put(memory, at, kind, next, messages, length, first, producer, name, owner);
        if (length > 0) {
            memory.putBytes(framesAt, frames, offset, length);
        }
        int slot = (int) next & MOST_ENTRIES - 1;
        ends[slot] = from + bytes;
        whose[slot] = who;
        next++;
        tail = from + bytes;
        Thread sleeper = waiting;
        if (sleeper != null) {
            LockSupport.unpark(sleeper);
        }
        return true;
    }

    /** As above, of a run without numbers. */
    boolean add(int messages, ByteBuffer frames, int offset, int length) {
        return add(Kind.RUN, messages, frames, offset, length, 0, ProducerId.NONE, NOTHING, NOTHING, null);
    }

    /**
     * An entry is in order, so it is let go of; answers who handed it in.
     *
     * @throws IllegalStateException it is not the next one: the order is in doubt
     */
    Object ordered(long number) {
        if (number != ordered + 1 || number >= next) {
            throw new IllegalStateException(
                    "entry " + number + " is in order behind " + ordered + ", of " + (next - 1));
        }
        ordered = number;
        int slot = (int) number & MOST_ENTRIES - 1;
        Object who = whose[slot];
        whose[slot] = null;
        head = ends[slot];
        return who;
    }

    // ---- any thread --------------------------------------------------------------------------------------------

    boolean isEmpty() {
        return head == tail;
    }

    /** Bytes under way. */
    long used() {
        return tail - head;
    }

    // ---- who offers --------------------------------------------------------------------------------------------

    /** From here on nothing is in order. */
    long head() {
        return head;
    }

    /**
     * Begins to read; what lies from there on stays until {@link #done}.
     *
     * @param position of an entry
     * @return that, or the head where it has passed it
     */
    long begin(long position) {
        long from;
        long now = Math.max(position, head);
        do {
            from = now;
            reading = from;
            // Once more: the core lets go of memory before it looks who reads.
            now = Math.max(from, head);
        } while (now > from);
        return from;
    }

    /** Waits until something lies behind a position, for a while at most; answers false where that is so already. */
    boolean awaitBeyond(long position, long nanos) {
        waiting = Thread.currentThread();
        boolean waits = tail <= position;
        if (waits) {
            LockSupport.parkNanos(nanos);
        }
        waiting = null;
        return waits;
    }

    /** Ends reading. */
    void done() {
        reading = NOWHERE;
    }

    /** Passes over the rest of the ring's memory, where there is nothing; answers where the next entry begins. */
    long skipPadding(long position) {
        int at = (int) position & mask;
        boolean padding = position < tail && Batch.kindAt(memory, at) == Kind.PADDING;
        return padding ? position + Batch.lengthAt(memory, at) : position;
    }

    /**
     * How many bytes of whole entries lie there one behind the other.
     *
     * @param most bytes, but for a first entry that is longer
     */
    int wholeEntries(long position, int most) {
        long end = tail;
        int bytes = 0;
        while (position + bytes < end) {
            int at = (int) (position + bytes) & mask;
            if (bytes > 0 && at == 0 || Batch.kindAt(memory, at) == Kind.PADDING) {
                break;
            }
            int length = Batch.lengthAt(memory, at);
            if (bytes > 0 && bytes + length > most) {
                break;
            }
            bytes += length;
        }
        return bytes;
    }

    /** The memory; an entry begins at {@link #at} of its position. */
    UnsafeBuffer memory() {
        return memory;
    }

    int at(long position) {
        return (int) position & mask;
    }
}
