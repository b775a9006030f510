package dev.msgrelay.cluster;

import dev.msgrelay.cluster.Batch.Kind;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.server.stream.Orderer.Numbered;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.LockSupport;
import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Entries that a node's core has added and the cluster has not ordered yet. They are kept so that they can be offered
 * again.
 *
 * <pre>
 *        head                   sent          tail
 *   -----|======================|=============|-----   positions only grow; the memory is a ring
 *        offered, not ordered    not offered
 * </pre>
 *
 * The core writes at the tail, and removes ordered entries at the head. The ingress reads between the two. It goes back
 * to the head when it does not know which entries have arrived.
 */
final class Outgoing {
    static final int MOST_ENTRIES = 1 << 16;

    /** An empty name or owner. */
    static final byte[] NOTHING = {};

    private static final Numbered NOBODY = (number, sequence) -> {};
    private static final ByteBuffer NO_FRAMES = ByteBuffer.allocate(0);
    private static final long NOWHERE = Long.MAX_VALUE;

    private final UnsafeBuffer memory;
    private final int mask;
    private final int longest;
    private final long[] ends = new long[MOST_ENTRIES];
    // Publishers to notify when their entry is ordered.
    private final Numbered[] whose = new Numbered[MOST_ENTRIES];
    private volatile long head;
    private volatile long tail;
    // Position from which the ingress reads at present.
    private volatile long reading = NOWHERE;
    // The ingress's thread, while it waits for more; null: it does not wait.
    private volatile Thread waiting;

    // Owned by the core: number of the next entry, from 1, and of the last one that is ordered.
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

    /** Whether there is room for the longest entry, and for padding before it. On the core, as the next methods. */
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
     * @param publisher returned by {@link #ordered} for this entry
     * @return false: there is no room
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

    /** Adds an entry without messages. */
    boolean add(Kind kind, ProducerId producer, byte[] name, byte[] owner) {
        return add(kind, 0, NO_FRAMES, 0, 0, 0, producer, name, owner, NOBODY);
    }

    /** Adds messages of publishers without names. */
    boolean add(int messages, ByteBuffer frames, int offset, int length) {
        return add(Kind.RUN, messages, frames, offset, length, 0, ProducerId.NONE, NOTHING, NOTHING, NOBODY);
    }

    /**
     * Removes an entry that is ordered.
     *
     * @return its publisher, as {@link #add} got it
     * @throws IllegalStateException the entry is not the next one
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

    /** Whether all entries are ordered. Any thread. */
    boolean isEmpty() {
        return head == tail;
    }

    /** Position of the first entry that is not ordered. On the ingress's thread, as the next methods. */
    long head() {
        return head;
    }

    /**
     * Begins to read. The core does not overwrite entries from there on until {@link #endRead}.
     *
     * @param position of an entry
     * @return the position, or the head if that has passed it
     */
    long beginRead(long position) {
        long from;
        long now = Math.max(position, head);
        do {
            from = now;
            reading = from;
            // The head again: the core may have moved it before it could see the change of "reading".
            now = Math.max(from, head);
        } while (now > from);
        return from;
    }

    /** Waits for an entry after a position, for a limited time. Returns false without a wait if there is one. */
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

    /** Returns the position of the next entry, after the padding if there is some. */
    long skipPadding(long position) {
        int at = (int) position & mask;
        boolean padding = position < tail && Batch.kindAt(memory, at) == Kind.PADDING;
        return padding ? position + Batch.lengthAt(memory, at) : position;
    }

    /**
     * Returns the bytes of the whole entries that are adjacent in memory from this position on.
     *
     * @param most limit of the bytes; a longer first entry is returned alone
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

    /** Memory of the ring. An entry begins at the offset {@link #at} of its position. */
    UnsafeBuffer memory() {
        return memory;
    }

    int at(long position) {
        return (int) position & mask;
    }
}
