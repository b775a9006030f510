package dev.msgrelay.server.stream;

import dev.msgrelay.server.memory.ReadWindow;
import io.netty.buffer.ByteBufAllocator;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The newest bytes of the stream in wire format, without gaps, in direct memory. One writer, the batch handler; any
 * number of {@link LogReader}s.
 *
 * <pre>
 *  position  0 ...          tail                                  head
 *                            |  chunk n  | chunk n+1 |  chunk n+2 |
 *            dropped ...     |frame|frame|fra|me|frame| ...       |  next append
 *                                ^ position of a LogReader
 *
 *  chunks in all = log (in the slots)  +  aside: pinned by readers  +  free: enough for the longest run, or the
 *                                                                      writer waits
 * </pre>
 *
 * For a new chunk the writer drops the one at the tail and takes a free one. A dropped chunk that a reader still pins,
 * for a write in flight, is put aside until it is released, so that no byte is overwritten under a reader. A slow
 * reader pins only the chunks of its own write. Readers that may hold the writer back do so through the {@link Gate}.
 */
public final class PacketLog {
    /** A limit on how far the log's writer may go. */
    public interface Gate {
        /** Returns whether a log that ends at this position may grow by one run; if not, the writer has to wait. */
        boolean tryPass(long position);
    }

    /** Keeps some frames beyond their time in the log. Called on the writer's thread. */
    public interface Keeper {
        /**
         * Notes the frames of a span, which is about to be appended.
         *
         * @param span notes its stretches
         * @param position where the span will start
         * @param sequence number of its first frame
         */
        void packed(RunScan span, long position, long sequence);

        /** Copies what it keeps of the frames that start before {@code position}. The log still has all their bytes. */
        void dropping(long position);
    }

    private final int chunkShift;
    private final int chunkMask;
    private final AtomicReferenceArray<Chunk> slots;
    private final PacketIndex index;
    private final Gate gate;
    private final int maxRun;
    private final int inHand;
    private final StreamHead head = new StreamHead();

    // Owned by the writer.
    private final ArrayDeque<Chunk> free = new ArrayDeque<>();
    private final List<Chunk> aside = new ArrayList<>();
    private Chunk current;
    private long end;
    private long nextSequence;
    private long openPacketStart;
    // Null if nothing is kept beyond its time in the log.
    private Keeper keeper;

    private volatile long tail;
    private volatile int chunksAside;

    /**
     * Takes all memory that the log will ever have.
     *
     * @param logBytes bytes of the stream that the log keeps: a whole number of chunks, at least two
     * @param chunkBytes a power of two
     * @param packetBytes payload of one packet of the network; the index has room for all packets of the log
     * @param pinnedChunks dropped chunks that readers may pin before the writer has to wait
     * @param maxRun longest run that is appended, in bytes
     * @param start where the stream ended before this start of the relay; the log continues from there
     */
    public PacketLog(
            ByteBufAllocator allocator,
            int logBytes,
            int chunkBytes,
            int packetBytes,
            int pinnedChunks,
            int maxRun,
            Gate gate,
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

    /** Returns how many chunks the longest run may begin. The writer appends only if it has as many free chunks. */
    public static int chunksInHand(int maxRun, int chunkBytes) {
        return (maxRun + chunkBytes - 1) / chunkBytes + 1;
    }

    /** Returns a capacity for all packets of a log. Any two neighbours together exceed {@code packetBytes}. */
    public static int indexCapacity(int logBytes, int packetBytes) {
        int packets = (int) Math.max(64, 2L * logBytes / packetBytes);
        return Integer.highestOneBit(packets) << 1;
    }

    /** Returns whether one more run may be appended: the gate allows it, and there are free chunks for it. */
    public boolean hasRoom() {
        return gate.tryPass(end) && !starved();
    }

    /** Returns whether readers pin more chunks than they may, so that the writer waits. */
    public boolean starved() {
        return free.size() < inHand && !reclaim();
    }

    /** Returns the position after all that was appended; readers see up to the head. */
    public long endPosition() {
        return end;
    }

    public long lastSequence() {
        return nextSequence - 1;
    }

    /** Sets the keeper. Called before the first message, or never. */
    public void keptBy(Keeper of) {
        keeper = of;
    }

    /** Shows a span that is about to be appended to the keeper, if there is one. */
    void announce(RunScan span) {
        if (keeper != null) {
            keeper.packed(span, end, nextSequence);
        }
    }

    /** Returns how many bytes are in the open packet, to which more frames may be added. */
    public int openPacketBytes() {
        return (int) (end - openPacketStart);
    }

    /** Starts a packet {@code bytes} and {@code messages} after the present end of the log. */
    public void packetStartsAt(int bytes, int messages) {
        openPacketStart = end + bytes;
        index.add(openPacketStart, nextSequence + messages);
    }

    /**
     * Appends a whole run. Readers see the run after {@link #publish}. If this throws, the relay cannot go on, since
     * the keeper and the index may know the run already.
     *
     * @param source the run's bytes, in the machine's own order; bytes read into {@link #windowAtEnd} are not copied
     * @param length bytes, not more than the longest run
     * @param messages frames in the run
     * @throws IllegalStateException the log has no room: see {@link #hasRoom}
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

    /** Copies bytes that the log has to {@code at} in {@code target}. On the writer's thread. */
    public void copy(long position, int length, ByteBuffer target, int at) {
        long from = position;
        int to = at;
        int left = length;
        while (left > 0) {
            Chunk chunk = slots.getPlain((int) ((from >>> chunkShift) % slots.length()));
            int offset = (int) from & chunkMask;
            int part = Math.min(left, chunkMask + 1 - offset);
            target.put(to, chunk.view(), offset, part);
            from += part;
            to += part;
            left -= part;
        }
    }

    public int roomInChunk() {
        return chunkMask + 1 - ((int) end & chunkMask);
    }

    /**
     * Returns the free end of the current chunk, for a channel to read into. Bytes read there are not copied if nothing
     * else is appended before them. Both window indices are at the log's end. The caller retains the window.
     *
     * @param atMost limit on the window's length, in bytes
     */
    public ReadWindow windowAtEnd(int atMost) {
        int at = (int) end & chunkMask;
        return current.window().open(at, at + Math.min(roomInChunk(), atMost));
    }

    public void publish() {
        head.set(end, nextSequence);
    }

    /** Gives the memory back. No reader and no writer may be active. */
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

    /** Any thread may call this and all public methods below. */
    public StreamHead head() {
        return head;
    }

    public long tail() {
        return tail;
    }

    /** Returns the chunk of a position, retained for the caller to release; null if the log has dropped it. */
    public Chunk acquire(long position) {
        long number = position >>> chunkShift;
        Chunk chunk = slots.get((int) (number % slots.length()));
        if (chunk == null || chunk.number() != number) {
            return null;
        }
        chunk.retain();
        // Looks again after the retain: the writer marks a chunk as dropped, and then reads the reference count.
        VarHandle.fullFence();
        if (chunk.number() != number) {
            chunk.release();
            return null;
        }
        return chunk;
    }

    public int chunkBytes() {
        return chunkMask + 1;
    }

    public int offsetInChunk(long position) {
        return (int) position & chunkMask;
    }

    public long chunkNumber(long position) {
        // The shift is signed, so that a position before the first byte gets a number that no chunk has.
        return position >> chunkShift;
    }

    public int chunksAside() {
        return chunksAside;
    }

    /**
     * Finds a frame boundary at or after a position of the log: the start of a packet, or the head.
     *
     * @param at the head as the caller has read it
     * @param into gets the boundary and the number of the message that starts there
     * @return false if the index no longer has that boundary
     */
    public boolean boundaryAtOrAfter(long position, Mark at, Mark into) {
        long packet = index.firstAtOrAfter(position);
        if (packet > index.newest()) {
            into.set(at.position(), at.sequence());
            return true;
        }
        into.set(index.positionOf(packet), index.sequenceOf(packet));
        if (!index.stillHolds(packet)) {
            return false;
        }
        if (into.position() > at.position()) {
            // The caller may use only bytes before the head that it passed to this method.
            into.set(at.position(), at.sequence());
        }
        return true;
    }

    /**
     * Finds the packet of a message. The log may have dropped a packet that the index still has.
     *
     * @param into gets the packet's start and the number of its first message
     * @return false if the index no longer has that packet
     */
    public boolean packetOf(long sequence, Mark into) {
        long packet = index.lastAtOrBefore(sequence);
        if (packet < 0) {
            return false;
        }
        into.set(index.positionOf(packet), index.sequenceOf(packet));
        return index.stillHolds(packet);
    }

    /** Returns the number of the first message in a position's packet; -1 if the index no longer has the packet. */
    public long sequenceNear(long position) {
        long packet = Math.max(0, index.firstAtOrAfter(position + 1) - 1);
        long sequence = index.sequenceOf(packet);
        return index.stillHolds(packet) ? sequence : -1;
    }

    /** Returns about how many messages the log has between a position and a head. */
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
            long next = (number - slots.length() + 1) << chunkShift;
            if (keeper != null) {
                keeper.dropping(next);
            }
            tail = next;
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

    /** Takes back chunks that readers have released; returns whether the writer has enough free chunks. */
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
