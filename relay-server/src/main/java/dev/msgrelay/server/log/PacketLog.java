package dev.msgrelay.server.log;

import dev.msgrelay.server.memory.ReadWindow;
import io.netty.buffer.ByteBufAllocator;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The live tail of the stream: its last bytes as they go over the wire, without holes, in direct memory. One writer, the
 * batch handler; any number of readers, each with a cursor.
 *
 * <pre>
 *  position  0 ...          tail                                  head
 *                            |  chunk n  | chunk n+1 |  chunk n+2 |
 *            dropped ...     |frame|frame|fra|me|frame| ...       |  next append
 *                                ^ cursor of a reader
 * </pre>
 *
 * The memory is cut into chunks. To go on, the writer drops the chunk at the tail and takes a free one. A dropped chunk
 * that somebody still reads (a write in flight points into it) is put aside until nobody does, and another one is used in
 * its place: no byte is ever overwritten under a reader, and a slow reader holds no more than what its own write needs.
 *
 * <pre>
 *   chunks in all = log (in the slots)  +  aside: held by readers  +  free
 *                   always the same        at most the pins           at least what the longest run needs, or the writer waits
 * </pre>
 *
 * <p>Readers that may hold the writer back do so through the {@link WriteGate}.
 */
public final class PacketLog {
    private final int chunkShift;
    private final int chunkMask;
    private final AtomicReferenceArray<Chunk> slots;
    private final PacketIndex index;
    private final WriteGate gate;
    private final int maxRun;
    private final int inHand;
    private final StreamHead head = new StreamHead();

    // Of the writer alone.
    private final ArrayDeque<Chunk> free = new ArrayDeque<>();
    private final List<Chunk> aside = new ArrayList<>();
    private Chunk current;
    private long end;
    private long nextSequence;
    private long openPacketStart;

    private volatile long tail;
    private volatile int chunksAside;

    /**
     * A log of a stream that begins here, with position 0 and message 1.
     *
     * @see #PacketLog(ByteBufAllocator, int, int, int, int, int, WriteGate, Mark)
     */
    public PacketLog(
            ByteBufAllocator allocator,
            int logBytes,
            int chunkBytes,
            int packetBytes,
            int pinnedChunks,
            int maxRun,
            WriteGate gate) {
        this(allocator, logBytes, chunkBytes, packetBytes, pinnedChunks, maxRun, gate, beginning());
    }

    /**
     * Takes all memory that the log will ever have.
     *
     * @param logBytes how much of the stream is kept: two chunks or more, and a whole number of them
     * @param chunkBytes a power of two
     * @param packetBytes payload of a packet; the index has room for as many as the log can hold
     * @param pinnedChunks that readers may keep from being used anew before the writer has to wait
     * @param maxRun longest run in bytes that is appended
     * @param gate asked before the writer goes on
     * @param start where the stream goes on; nothing before it is held
     */
    public PacketLog(
            ByteBufAllocator allocator,
            int logBytes,
            int chunkBytes,
            int packetBytes,
            int pinnedChunks,
            int maxRun,
            WriteGate gate,
            Mark start) {
        if (Integer.bitCount(chunkBytes) != 1 || logBytes < 2 * chunkBytes || logBytes % chunkBytes != 0) {
            throw new IllegalArgumentException("log of " + logBytes + " bytes is not at least two whole chunks of "
                    + chunkBytes + ", a power of two");
        }
        this.chunkShift = Integer.numberOfTrailingZeros(chunkBytes);
        this.chunkMask = chunkBytes - 1;
        int chunks = logBytes >>> chunkShift;
        this.slots = new AtomicReferenceArray<>(chunks);
        this.index = new PacketIndex(indexCapacity(logBytes, packetBytes));
        this.gate = gate;
        this.maxRun = maxRun;
        this.inHand = chunksInHand(maxRun, chunkBytes);
        try {
            for (int i = 0; i < chunks + pinnedChunks + inHand; i++) {
                free.add(new Chunk(i, allocator.directBuffer(chunkBytes, chunkBytes)));
            }
        } catch (Throwable e) {
            close();
            throw e;
        }
        end = start.position();
        openPacketStart = end;
        tail = end;
        nextSequence = start.sequence();
        index.add(end, nextSequence);
        head.set(end, nextSequence);
        startChunk(end >>> chunkShift);
    }

    private static Mark beginning() {
        Mark beginning = new Mark();
        beginning.set(0, 1);
        return beginning;
    }

    /** Chunks that the longest run may begin: so many are in the writer's hand before it appends anything. */
    public static int chunksInHand(int maxRun, int chunkBytes) {
        return (maxRun + chunkBytes - 1) / chunkBytes + 1;
    }

    /** Packets that the index of a log of this size remembers: two neighbours together are larger than one packet. */
    public static int indexCapacity(int logBytes, int packetBytes) {
        int packets = (int) Math.max(64, 2L * logBytes / packetBytes);
        return Integer.highestOneBit(packets) << 1;
    }

    // ---- the writer -------------------------------------------------------------------------------------------

    /**
     * Gets ready to append one more run: passes the gate, or is held back from now on, and takes the chunks in hand that the
     * longest run needs.
     *
     * @return whether one can be appended
     */
    public boolean makeReady() {
        return gate.tryPass(end) && !starved();
    }

    /** Whether readers hold more chunks than they may: the writer waits until some of them have let go. */
    public boolean starved() {
        return free.size() < inHand && !reclaim();
    }

    /** Where the log ends: the published head, and what has been appended since. */
    public long endPosition() {
        return end;
    }

    /** The sequence of the last message appended; 0: none yet. */
    public long lastSequence() {
        return nextSequence - 1;
    }

    /** Bytes that the packet under construction holds. */
    public int openPacketBytes() {
        return (int) (end - openPacketStart);
    }

    /** A packet will start {@code bytes} bytes and {@code messages} messages behind the present end. */
    public void packetStartsAt(int bytes, int messages) {
        openPacketStart = end + bytes;
        index.add(openPacketStart, nextSequence + messages);
    }

    /**
     * Appends a run; readers see it after {@link #publish}. One that was read to {@link #end} stays where it is.
     *
     * <p>All or nothing: what it needs is in the writer's hand, or not a byte is copied.
     *
     * @param source in the machine's own byte order; may be that of {@link #end}, and its bytes those that are written over
     * @param length bytes, not more than the longest run
     * @param messages frames in the run
     * @throws IllegalStateException it was not {@link #makeReady ready}
     */
    public void append(ByteBuffer source, int offset, int length, int messages) {
        if (length > maxRun || free.size() < inHand) {
            throw new IllegalStateException("run of " + length + " bytes: the longest is " + maxRun
                    + ", chunks in hand " + free.size() + " of " + inHand);
        }
        int from = offset;
        int left = length;
        while (left > 0) {
            int at = (int) end & chunkMask;
            int part = Math.min(left, chunkMask + 1 - at);
            if (source != current.view() || from != at) {
                current.view().put(at, source, from, part);
            }
            end += part;
            from += part;
            left -= part;
            if (((int) end & chunkMask) == 0) {
                startChunk(end >>> chunkShift);
            }
        }
        nextSequence += messages;
    }

    /**
     * The free end of the current chunk, for a channel to read into: the bytes need not be copied if nothing else is
     * appended before they are. Readers do not see them until then.
     *
     * @param atLeast bytes that must be free, else the answer is null
     * @param atMost bytes that it may take
     * @return a view with both its indices at the end of the log; the caller retains it for whoever releases it
     */
    public ReadWindow end(int atLeast, int atMost) {
        int at = (int) end & chunkMask;
        int room = chunkMask + 1 - at;
        return room < atLeast ? null : current.window().open(at, at + Math.min(room, atMost));
    }

    /** Shows readers everything appended so far. */
    public void publish() {
        head.set(end, nextSequence);
    }

    /** Gives the memory back. No reader and no writer may be at work any more. */
    public void close() {
        for (int i = 0; i < slots.length(); i++) {
            Chunk chunk = slots.getAndSet(i, null);
            if (chunk != null) {
                chunk.release();
            }
        }
        free.forEach(Chunk::release);
        free.clear();
        aside.forEach(Chunk::release);
        aside.clear();
    }

    // ---- readers, any thread ----------------------------------------------------------------------------------

    /** The head: where the published stream ends. */
    public StreamHead head() {
        return head;
    }

    /** The lowest position that the log still holds. */
    public long tail() {
        return tail;
    }

    /**
     * Takes hold of the chunk that holds the bytes at {@code position}.
     *
     * @return the chunk, which the caller must release; null where the log has moved on
     */
    public Chunk acquire(long position) {
        long number = position >>> chunkShift;
        Chunk chunk = slots.get((int) (number % slots.length()));
        if (chunk == null || chunk.number() != number) {
            return null;
        }
        chunk.retain();
        // Looked at again once counted: the writer marks a chunk as dropped before it looks at the count.
        VarHandle.fullFence();
        if (chunk.number() != number) {
            chunk.release();
            return null;
        }
        return chunk;
    }

    /** Size of a chunk in bytes. */
    public int chunkBytes() {
        return chunkMask + 1;
    }

    /** Where within its chunk a position lies. */
    public int offsetInChunk(long position) {
        return (int) position & chunkMask;
    }

    /** The number of the chunk that a position lies in. */
    public long chunkNumber(long position) {
        // Signed: before the first byte is no chunk.
        return position >> chunkShift;
    }

    /** Chunks that the log has dropped and a reader still needs. */
    public int chunksAside() {
        return chunksAside;
    }

    /**
     * Finds the frame boundary at or behind a position that the log holds: the start of a packet, or the head.
     *
     * @param at the head as the caller knows it
     * @param into gets the boundary and the number of the message that starts there
     * @return false where the index no longer holds it
     */
    public boolean boundaryAtOrBehind(long position, Mark at, Mark into) {
        long packet = index.firstAtOrBehind(position);
        if (packet > index.newest()) {
            into.set(at.position(), at.sequence());
            return true;
        }
        into.set(index.positionOf(packet), index.sequenceOf(packet));
        if (!index.stillHolds(packet)) {
            return false;
        }
        if (into.position() > at.position()) {
            // A packet that starts behind the caller's head is a boundary, but not one it may send up to.
            into.set(at.position(), at.sequence());
        }
        return true;
    }

    /**
     * Finds the packet that a message lies in.
     *
     * @param sequence the message's number
     * @param into gets the packet's start and the number of its first message
     * @return false where the index does not remember it; the log may hold less than the index
     */
    public boolean packetOf(long sequence, Mark into) {
        long packet = index.lastAtOrBefore(sequence);
        if (packet < 0) {
            return false;
        }
        into.set(index.positionOf(packet), index.sequenceOf(packet));
        return index.stillHolds(packet);
    }

    /** The number of the first message of the packet that a position lies in; -1 where the index no longer holds it. */
    public long sequenceNear(long position) {
        long packet = Math.max(0, index.firstAtOrBehind(position + 1) - 1);
        long sequence = index.sequenceOf(packet);
        return index.stillHolds(packet) ? sequence : -1;
    }

    /** Messages between a position and a head, by the packet; where the log no longer holds the position, all that it holds. */
    public long messagesFrom(long position, Mark at) {
        if (position >= at.position()) {
            return 0;
        }
        long from = sequenceNear(Math.max(position, tail));
        return from < 0 ? index.capacity() : Math.max(0, at.sequence() - from);
    }

    private void startChunk(long number) {
        int slot = (int) (number % slots.length());
        Chunk old = slots.get(slot);
        if (old != null) {
            tail = (number - slots.length() + 1) << chunkShift;
            old.setNumber(Chunk.FREE);
            VarHandle.fullFence();
            if (old.usedByOthers()) {
                aside.add(old);
                chunksAside = aside.size();
            } else {
                free.addFirst(old);
            }
        }
        if (!aside.isEmpty()) {
            reclaim();
        }
        Chunk fresh = free.pollFirst();
        fresh.setNumber(number);
        slots.set(slot, fresh);
        current = fresh;
    }

    /** Takes back what readers have let go of; answers whether the writer's hand is full. */
    private boolean reclaim() {
        for (int i = aside.size() - 1; i >= 0; i--) {
            if (!aside.get(i).usedByOthers()) {
                free.addLast(aside.remove(i));
            }
        }
        chunksAside = aside.size();
        return free.size() >= inHand;
    }
}
