package dev.msgrelay.server.log;

import dev.msgrelay.protocol.FrameLayout;
import io.netty.buffer.ByteBuf;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * The one way to read the stream: where a reader stands, and what of the log it holds there.
 *
 * <pre>
 *   | frame | frame | fra~me | frame |
 *                        ^   ^
 *                 position   boundary: the end of the packet that the last write cut; up to here the bytes are held
 * </pre>
 *
 * What is held is neither overwritten nor given back until it is released: it may be written to a socket, a file or another
 * process from where it lies. A reader holds what it is about to hand on, moves over it once that is done, and is told
 * where the log has moved on without it. Then it may {@link #enter} memory that somebody has read the stream into from
 * elsewhere, such as a journal, and be used as before; behind the end of that the log may have what comes next.
 *
 * <p>Owned by one thread; {@link #position} and {@link #heldFrom} may be read by any.
 */
public final class LogReader {
    /** Goes before all messages, so to the oldest one that is held. */
    public static final long EARLIEST = 0;

    /** What {@link #heldFrom} answers where nothing is held. */
    public static final long NOTHING = Long.MAX_VALUE;

    /** The log may drop what has just been looked up; then the next look finds something newer. */
    private static final int TRIES = 8;

    private static final VarHandle HELD_FROM;

    static {
        try {
            HELD_FROM = MethodHandles.lookup().findVarHandle(LogReader.class, "heldFrom", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final PacketLog log;
    private final Mark boundary = new Mark();
    private final Mark next = new Mark();
    private final Mark found = new Mark();
    // Neighbours in the stream; the first one's number is firstChunk.
    private final ArrayDeque<Chunk> chunks = new ArrayDeque<>(4);
    private long firstChunk;

    // Where it stands if that is not in the log; otherwise null.
    private Chunk page;
    private long pageStart;
    private final Mark pageEnd = new Mark();

    private volatile long position;
    private long heldFrom = NOTHING;

    /** Stands at the head. */
    public LogReader(PacketLog log) {
        this.log = log;
        log.head().read(boundary);
        position = boundary.position();
    }

    // ---- where it stands --------------------------------------------------------------------------------------

    /** Everything before has been handed on. Any thread. */
    public long position() {
        return position;
    }

    /** The frame boundary at or behind the position. */
    public Mark boundary() {
        return boundary;
    }

    /** Whether it stands between two frames. */
    public boolean atBoundary() {
        return position == boundary.position();
    }

    /** Bytes from here to the boundary. They are held. */
    public int restToBoundary() {
        return (int) (boundary.position() - position);
    }

    /** Whether the log has dropped what comes next. */
    public boolean overtaken() {
        return page == null && position < log.tail();
    }

    /**
     * The number of the next message: exact between two frames, otherwise that of the first one of its packet; -1 where the
     * log has moved on so far that nobody knows.
     */
    public long sequence() {
        if (atBoundary()) {
            return boundary.sequence();
        }
        return page == null ? log.sequenceNear(position) : boundary.sequence() - 1;
    }

    // ---- not in the log ----------------------------------------------------------------------------------------

    /**
     * Goes on in memory that is not the log's. Whoever gave it keeps it until {@link #leave}.
     *
     * @param memory whole frames of the stream, from its beginning on
     * @param start position of the first of them; not behind where the reader stands, between two frames
     * @param end behind the last of them
     */
    public void enter(Chunk memory, long start, Mark end) {
        release();
        page = memory;
        pageStart = start;
        pageEnd.copy(end);
    }

    /** What it reads next is looked for in the log again. */
    public void leave() {
        page = null;
    }

    /** Where the memory ends that it has entered; null: it reads the log. */
    public Mark pageEnd() {
        return page == null ? null : pageEnd;
    }

    /** Goes on to a message of the memory that it has entered, or to the end of that. */
    public void goOnTo(long sequence) {
        walk(pageEnd.position(), sequence);
        position = boundary.position();
    }

    /** Moves the boundary on, frame by frame, to a position or a message, whichever comes first. */
    private void walk(long to, long sequence) {
        long at = boundary.position();
        long number = boundary.sequence();
        ByteBuf memory = page.memory();
        while (at < to && number < sequence) {
            at += FrameLayout.frameLength(memory.getInt((int) (at - pageStart) + FrameLayout.LENGTH_OFFSET));
            number++;
        }
        if (at > pageEnd.position()) {
            throw new IllegalStateException("position " + pageEnd.position() + " is not behind a whole frame");
        }
        boundary.set(at, number);
    }

    // ---- going on ---------------------------------------------------------------------------------------------

    /**
     * Takes hold of the next {@code amount} bytes, and on to the end of the packet that they cut.
     *
     * @return false where the log no longer has them
     */
    public boolean hold(int amount, Mark head) {
        long from = position;
        if (page != null) {
            walk(from + amount, Long.MAX_VALUE);
            return true;
        }
        if (from < log.tail() || !log.boundaryAtOrBehind(from + amount, head, next) || !pin(from, next.position())) {
            return false;
        }
        boundary.copy(next);
        return true;
    }

    /**
     * Takes hold of about {@code most} bytes from a frame boundary on, up to the end of a packet, to be looked at frame by
     * frame. The boundary stays: {@link #chose} moves it.
     *
     * @return where what is held ends, which may be where it stands; -1 where the log no longer has what comes next
     */
    public long holdAhead(int most, Mark head) {
        if (page != null) {
            return Math.min(pageEnd.position(), head.position());
        }
        long from = position;
        if (from < log.tail()
                || !log.boundaryAtOrBehind(Math.min(from + most, head.position()), head, next)
                || !pin(from, next.position())) {
            return -1;
        }
        return next.position();
    }

    /** Single frames up to here were looked at, and some of them chosen. */
    public void chose(long to, long sequence) {
        boundary.set(to, sequence);
    }

    /** Moves on over so many bytes, which have been handed on, and lets go of memory that is no longer needed. */
    public void advance(long bytes) {
        long to = position + bytes;
        position = to;
        if (to == boundary.position()) {
            release();
        }
    }

    /** Lets go of what it holds, and stands at the first frame boundary at or behind a position, or at the head. */
    public void skipTo(long keep, Mark head) {
        if (!log.boundaryAtOrBehind(keep, head, found)) {
            found.copy(head);
        }
        leaveFor(found);
    }

    /** Lets go of what it holds, and stands at another frame boundary. */
    public void leaveFor(Mark to) {
        release();
        leave();
        boundary.copy(to);
        position = to.position();
    }

    /**
     * Goes to a message, or to the oldest one that the log still holds where that one is gone, and takes hold of it.
     *
     * @param sequence its number; at most the head's, or {@link #EARLIEST}
     */
    public void seek(long sequence, Mark head) {
        for (int i = 0; i < TRIES; i++) {
            if (find(sequence, head)) {
                boundary.copy(found);
                position = found.position();
                return;
            }
        }
        // The log runs away from its tail faster than one can look: what is newest is all that can be had.
        leaveFor(head);
    }

    private boolean find(long sequence, Mark head) {
        release();
        leave();
        long tail = log.tail();
        boolean held = log.packetOf(sequence, found) && found.position() >= tail;
        if (!held && !log.boundaryAtOrBehind(tail, head, found)) {
            return false;
        }
        if (found.position() >= head.position()) {
            found.copy(head);
            return true;
        }
        if (!log.boundaryAtOrBehind(found.position() + 1, head, next) || !pin(found.position(), next.position())) {
            return false;
        }
        // Within the packet from frame to frame: the index knows packets only.
        while (found.sequence() < sequence && found.position() < next.position()) {
            found.set(found.position() + frameLength(found.position()), found.sequence() + 1);
        }
        return true;
    }

    // ---- what it holds ----------------------------------------------------------------------------------------

    /** The position of the first byte that it holds, rounded down to the chunk; {@link #NOTHING} otherwise. Any thread. */
    public long heldFrom() {
        return (long) HELD_FROM.getOpaque(this);
    }

    /** Lets go of all. */
    public void release() {
        if (!chunks.isEmpty()) {
            do {
                chunks.pollFirst().release();
            } while (!chunks.isEmpty());
            HELD_FROM.setOpaque(this, NOTHING);
        }
    }

    /**
     * Holds the chunks from the one at {@code from} to the one that the byte before {@code to} lies in, and lets go of
     * earlier ones.
     *
     * @return false where the log no longer has them; what was held before, from {@code from} on, still is
     */
    private boolean pin(long from, long to) {
        long a = log.chunkNumber(from);
        long b = log.chunkNumber(to - 1);
        while (!chunks.isEmpty() && firstChunk < a) {
            chunks.pollFirst().release();
            firstChunk++;
        }
        if (chunks.isEmpty()) {
            firstChunk = a;
        }
        for (long number = firstChunk + chunks.size(); number <= b; number++) {
            Chunk chunk = log.acquire(number * log.chunkBytes());
            if (chunk == null) {
                HELD_FROM.setOpaque(this, chunks.isEmpty() ? NOTHING : firstChunk * log.chunkBytes());
                return false;
            }
            chunks.addLast(chunk);
        }
        HELD_FROM.setOpaque(this, firstChunk * log.chunkBytes());
        return true;
    }

    /** The held chunk that a position lies in. */
    public Chunk chunkAt(long at) {
        if (page != null) {
            return page;
        }
        long steps = log.chunkNumber(at) - firstChunk;
        if (steps == 0) {
            return chunks.peekFirst();
        }
        for (Chunk chunk : chunks) {
            if (steps-- == 0) {
                return chunk;
            }
        }
        throw new IllegalStateException("position " + at + " is not held");
    }

    /** Where within its chunk a position lies. */
    public int offsetInChunk(long at) {
        return page == null ? log.offsetInChunk(at) : (int) (at - pageStart);
    }

    /** Bytes from a position to the end of its chunk. */
    public int leftInChunk(long at) {
        return page == null ? log.chunkBytes() - log.offsetInChunk(at) : (int) (pageEnd.position() - at);
    }

    // ---- frames where they lie: what is asked for is held ------------------------------------------------------

    /** The type of the frame that starts at a position. */
    public int frameType(long frame) {
        return getInt(frame + FrameLayout.TYPE_OFFSET);
    }

    /** Bytes of the frame that starts at a position, header included. */
    public int frameLength(long frame) {
        return FrameLayout.frameLength(getInt(frame + FrameLayout.LENGTH_OFFSET));
    }

    /** Copies bytes of the log to the target's position, which moves on. */
    public void copy(long from, int length, ByteBuffer target) {
        long at = from;
        int left = length;
        while (left > 0) {
            int part = Math.min(left, leftInChunk(at));
            target.put(target.position(), chunkAt(at).view(), offsetInChunk(at), part);
            target.position(target.position() + part);
            at += part;
            left -= part;
        }
    }

    private int getInt(long at) {
        if (leftInChunk(at) >= Integer.BYTES) {
            return chunkAt(at).memory().getInt(offsetInChunk(at));
        }
        int value = 0;
        for (int i = 0; i < Integer.BYTES; i++) {
            ByteBuf memory = chunkAt(at + i).memory();
            value = value << Byte.SIZE | memory.getUnsignedByte(log.offsetInChunk(at + i));
        }
        return value;
    }
}
