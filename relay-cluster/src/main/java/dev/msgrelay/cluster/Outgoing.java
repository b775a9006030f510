package dev.msgrelay.cluster;

import dev.msgrelay.cluster.Batch.Kind;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.server.stream.Orderer.Numbered;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.LockSupport;
import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Entries that a node's core has handed in and the cluster has not put in order: kept until it has, so that they can be
 * offered again.
 *
 * <pre>
 *        head                 sent               tail
 *   -----|====================|==================|-----   positions only grow; the memory is a ring
 *        offered, not ordered  not offered
 *        '-- moved by the core --'   moved by the core, by what it hands in
 * </pre>
 *
 * The core writes at the tail and lets go at the head. The thread that offers reads between the two, and goes back to
 * the head when nobody knows how much of it has arrived.
 */
final class Outgoing {
    /** Entries that may be under way. */
    static final int MOST_ENTRIES = 1 << 16;

    /** The publisher of an entry that nobody is told of. */
    static final Numbered NOBODY = (number, sequence) -> {};

    /** Frames of an entry without any. */
    static final ByteBuffer NO_FRAMES = ByteBuffer.allocate(0);

    private static final byte[] NOTHING = {};
    private static final long NOWHERE = Long.MAX_VALUE;

    private final UnsafeBuffer memory;
    private final int mask;
    private final int longest;
    private final long[] ends = new long[MOST_ENTRIES];
    // Publishers that are told when their entry is in order.
    private final Numbered[] whose = new Numbered[MOST_ENTRIES];
    private volatile long head;
    private volatile long tail;
    // Position from which the thread that offers reads at present.
    private volatile long reading = NOWHERE;
    // The thread that offers, while it waits for more; null: it does not wait.
    private volatile Thread waiting;

    // Fields of the core: entries are numbered from 1.
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

    boolean isHalfEmpty() {
        return tail - head <= (mask + 1) / 2 && next - 1 - ordered <= MOST_ENTRIES / 2;
    }

    /**
     * Adds an entry.
     *
     * @param frames in any byte order
     * @param publisher returned by {@link #ordered} for this entry, such as {@link #NOBODY}
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
            Numbered publisher) {
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
        whose[slot] = publisher;
        next++;
        tail = from + bytes;
        Thread sleeper = waiting;
        if (sleeper != null) {
            LockSupport.unpark(sleeper);
        }
        return true;
    }

    boolean add(int messages, ByteBuffer frames, int offset, int length) {
        return add(Kind.RUN, messages, frames, offset, length, 0, ProducerId.NONE, NOTHING, NOTHING, NOBODY);
    }

    /**
     * Lets go of an entry, which is in order.
     *
     * @return its publisher, as {@link #add} got it
     * @throws IllegalStateException the entry is not the next one: the order is in doubt
     */
    Numbered ordered(long number) {
        if (number != ordered + 1 || number >= next) {
            throw new IllegalStateException(
                    "entry " + number + " is in order behind " + ordered + ", of " + (next - 1));
        }
        ordered = number;
        int slot = (int) number & MOST_ENTRIES - 1;
        Numbered publisher = whose[slot];
        whose[slot] = NOBODY;
        head = ends[slot];
        return publisher;
    }

    // ---- any thread --------------------------------------------------------------------------------------------

    boolean isEmpty() {
        return head == tail;
    }

    long used() {
        return tail - head;
    }

    // ---- the thread that offers ----------------------------------------------------------------------------------

    /** Position from which on nothing is in order. */
    long head() {
        return head;
    }

    /**
     * Begins to read; the entries from there on stay until {@link #endRead}.
     *
     * @param position of an entry
     * @return the position, or the head where that has passed it
     */
    long beginRead(long position) {
        long from;
        long now = Math.max(position, head);
        do {
            from = now;
            reading = from;
            // The head once more: the core lets go of memory before it looks at what is read.
            now = Math.max(from, head);
        } while (now > from);
        return from;
    }

    /** Waits until an entry lies behind a position, for a while at most; returns false where there is one already. */
    boolean awaitBeyond(long position, long nanos) {
        waiting = Thread.currentThread();
        boolean waits = tail <= position;
        if (waits) {
            LockSupport.parkNanos(nanos);
        }
        waiting = null;
        return waits;
    }

    void endRead() {
        reading = NOWHERE;
    }

    /** Returns the position of the next entry, behind the rest of the ring's memory where that is unused. */
    long skipPadding(long position) {
        int at = (int) position & mask;
        boolean padding = position < tail && Batch.kindAt(memory, at) == Kind.PADDING;
        return padding ? position + Batch.lengthAt(memory, at) : position;
    }

    /**
     * Returns the bytes of the whole entries that lie there one behind the other.
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

    /** Memory of the ring; an entry begins at {@link #at} of its position. */
    UnsafeBuffer memory() {
        return memory;
    }

    int at(long position) {
        return (int) position & mask;
    }
}
