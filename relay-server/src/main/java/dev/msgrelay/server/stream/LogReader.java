package dev.msgrelay.server.stream;

import dev.msgrelay.protocol.FrameLayout;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Reads the stream from the log. Nothing else reads the log. A reader has a position, and pins chunks of the log.
 *
 * <pre>
 *   | frame | frame | fra~me | frame |
 *                        ^   ^
 *                 position   boundary: the end of the packet in which the last write ended. Bytes before it are pinned
 * </pre>
 *
 * Pinned bytes are not overwritten until they are released, so a socket or a file may be written straight from them. A
 * caller pins the next bytes, hands them on, and then advances over them. {@link #pinNext} returns false if the log has
 * dropped the next bytes. Then the caller may give the reader a page, see {@link #enterPage}: other memory with that
 * part of the stream, such as bytes read from a journal. At the end of a page the log may have the next bytes again.
 *
 * <p>Owned by one thread; {@link #position} and {@link #pinnedFrom} may be read by any thread.
 */
public final class LogReader {
    /** A sequence before all messages, for which {@link #seek} moves to the oldest message of the log. */
    public static final long EARLIEST = 0;

    public static final long NOTHING = Long.MAX_VALUE;

    /** Number of attempts of {@link #seek}. An attempt fails if the log drops the message that was just found. */
    private static final int TRIES = 8;

    private final PacketLog log;
    private final Mark boundary = new Mark();
    private final Mark next = new Mark();
    private final Mark found = new Mark();
    // The pinned chunks, which are consecutive; firstChunk is the number of the first one.
    private final ArrayDeque<Chunk> chunks = new ArrayDeque<>(4);
    private long firstChunk;

    // Used only while onPage is true: memory outside of the log, with the stream from pageStart to pageEnd.
    private boolean onPage;
    private Chunk page;
    private long pageStart;
    private final Mark pageEnd = new Mark();

    private volatile long position;
    private final AtomicLong pinnedFrom = new AtomicLong(NOTHING);

    public LogReader(PacketLog log) {
        this.log = log;
        log.head().read(boundary);
        position = boundary.position();
    }

    /** Returns the position before which everything has been handed on. Any thread. */
    public long position() {
        return position;
    }

    public Mark boundary() {
        return boundary;
    }

    public boolean atBoundary() {
        return position == boundary.position();
    }

    public int restToBoundary() {
        return (int) (boundary.position() - position);
    }

    /** Returns whether the log has dropped the next bytes. */
    public boolean overtaken() {
        return !onPage && position < log.tail();
    }

    /**
     * Returns the number of the next message, exact only at the boundary. Before the boundary returns the number of the
     * packet's first message, or -1 if the index no longer has the packet. On a page returns the boundary's number - 1.
     */
    public long sequence() {
        if (atBoundary()) {
            return boundary.sequence();
        }
        return onPage ? boundary.sequence() - 1 : log.sequenceNear(position);
    }

    /**
     * Continues in memory outside of the log, which the caller keeps until {@link #leavePage}.
     *
     * @param memory has whole frames of the stream, the first one at offset 0
     * @param start position of the first frame, which is not after this reader's position
     * @param end the end of the last frame, and the number of the next message
     */
    public void enterPage(Chunk memory, long start, Mark end) {
        release();
        onPage = true;
        page = memory;
        pageStart = start;
        pageEnd.copy(end);
    }

    public void leavePage() {
        onPage = false;
    }

    public boolean onPage() {
        return onPage;
    }

    public Mark pageEnd() {
        return pageEnd;
    }

    /** Moves to a message of the page, or to the end of the page. */
    public void skipInPage(long sequence) {
        walk(pageEnd.position(), sequence);
        position = boundary.position();
    }

    /** Moves the boundary, frame by frame, up to a position or a message, whichever comes first. */
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

    /** Pins this amount of bytes and the rest of their packet; returns false if the log has dropped some of them. */
    public boolean pinNext(int amount, Mark head) {
        long from = position;
        if (onPage) {
            walk(from + amount, Long.MAX_VALUE);
            return true;
        }
        if (from < log.tail() || !log.boundaryAtOrAfter(from + amount, head, next) || !pin(from, next.position())) {
            return false;
        }
        boundary.copy(next);
        return true;
    }

    /**
     * Pins about {@code most} bytes, up to the end of a packet. This reader must be between two frames. The caller
     * looks at the pinned frames and calls {@link #moveBoundary}.
     *
     * @return the end of the pinned bytes, or this reader's position if there are none; -1 if the log has dropped some
     */
    public long pinAhead(int most, Mark head) {
        if (onPage) {
            return Math.min(pageEnd.position(), head.position());
        }
        long from = position;
        if (from < log.tail()
                || !log.boundaryAtOrAfter(Math.min(from + most, head.position()), head, next)
                || !pin(from, next.position())) {
            return -1;
        }
        return next.position();
    }

    public void moveBoundary(long to, long sequence) {
        boundary.set(to, sequence);
    }

    /** Moves over bytes that have been handed on, and releases memory that is no longer needed. */
    public void advance(long bytes) {
        long to = position + bytes;
        position = to;
        if (to == boundary.position()) {
            release();
        }
    }

    /** Releases all chunks, and moves to the first frame boundary at or after {@code keep}, or to the head. */
    public void skipTo(long keep, Mark head) {
        if (!log.boundaryAtOrAfter(keep, head, found)) {
            found.copy(head);
        }
        moveTo(found);
    }

    public void moveTo(Mark to) {
        release();
        leavePage();
        boundary.copy(to);
        position = to.position();
    }

    /**
     * Moves to a message, or to the oldest one of the log if that is later, and pins it. At the head nothing is pinned.
     *
     * @param sequence the message's number; any number above the head's moves to the head
     */
    public void seek(long sequence, Mark head) {
        for (int i = 0; i < TRIES; i++) {
            if (findAndPin(sequence, head)) {
                boundary.copy(found);
                position = found.position();
                return;
            }
        }
        // The log drops its oldest messages faster than they are found here. Only the head is never dropped.
        moveTo(head);
    }

    private boolean findAndPin(long sequence, Mark head) {
        release();
        leavePage();
        long tail = log.tail();
        boolean held = log.packetOf(sequence, found) && found.position() >= tail;
        if (!held && !log.boundaryAtOrAfter(tail, head, found)) {
            return false;
        }
        if (found.position() >= head.position()) {
            found.copy(head);
            return true;
        }
        if (!log.boundaryAtOrAfter(found.position() + 1, head, next) || !pin(found.position(), next.position())) {
            return false;
        }
        // The index has only the starts of packets. A walk over the packet's frames finds the message.
        while (found.sequence() < sequence && found.position() < next.position()) {
            found.set(found.position() + frameLength(found.position()), found.sequence() + 1);
        }
        return true;
    }

    /** Returns the position of the first pinned chunk; {@link #NOTHING} if nothing is pinned. Any thread. */
    public long pinnedFrom() {
        return pinnedFrom.getOpaque();
    }

    public void release() {
        if (!chunks.isEmpty()) {
            do {
                chunks.pollFirst().release();
            } while (!chunks.isEmpty());
            pinnedFrom.setOpaque(NOTHING);
        }
    }

    /**
     * Pins the chunks with the bytes from {@code from} to {@code to}, and releases earlier chunks.
     *
     * @return false if the log has dropped some of the bytes; chunks that were pinned before stay pinned
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
                pinnedFrom.setOpaque(chunks.isEmpty() ? NOTHING : firstChunk * log.chunkBytes());
                return false;
            }
            chunks.addLast(chunk);
        }
        pinnedFrom.setOpaque(firstChunk * log.chunkBytes());
        return true;
    }

    public Chunk chunkAt(long at) {
        if (onPage) {
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
        throw new IllegalStateException("position " + at + " is not pinned");
    }

    public int offsetInChunk(long at) {
        return onPage ? (int) (at - pageStart) : log.offsetInChunk(at);
    }

    public int leftInChunk(long at) {
        return onPage ? (int) (pageEnd.position() - at) : log.chunkBytes() - log.offsetInChunk(at);
    }

    public int frameType(long frame) {
        return getInt(frame + FrameLayout.TYPE_OFFSET);
    }

    public int frameLength(long frame) {
        return FrameLayout.frameLength(getInt(frame + FrameLayout.LENGTH_OFFSET));
    }

    /** Copies pinned bytes to the target's position, and moves that position. */
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
