package dev.msgrelay.server.session;

import dev.msgrelay.server.batch.RunScan;
import dev.msgrelay.server.log.PacketLog;
import dev.msgrelay.server.ring.FrameRing;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * Where publisher sessions hand in what they have read: the read buffers, the scan, and the way into the ring. Sessions
 * live on the loop that polls the ring, so that what they have read can be lent to the ring rather than copied, and best of
 * all lies where the log ends already.
 *
 * <p>Owned by the loop's thread.
 */
public final class Intake {
    /** A read is at most about this long, one segment of loopback: what is read is still in the cache when it is sent. */
    public static final int READ_BYTES = 64 << 10;

    /** A shorter run is copied into the ring, so that what several sockets brought is packed in one batch. */
    private static final int LEND_BYTES = 4096;

    /** With less room than this at the end of a chunk, a read goes to the loop's buffer, and is copied. */
    private static final int LEAST_IN_PLACE = 8 << 10;

    /** A read, and what was left of a frame in front of it. */
    public static final int MAX_READ = READ_BYTES + FrameRest.MOVE_BYTES;

    private static final int MAX_FREE_BUFFERS = 2;

    private final FrameRing ring;
    private final PacketLog log;
    private final RingDrain drain;
    private final HeldPublishers held;
    private final ByteBufAllocator allocator;
    private final RunScan scan;
    private final boolean sharesBuffers;
    private final ArrayDeque<ReadBuffer> free = new ArrayDeque<>();

    /**
     * @param drain polls the ring, on the same loop
     * @param sharesBuffers whether a read is over when the channel hands it on, so that all sessions can use one buffer
     */
    public Intake(
            FrameRing ring,
            PacketLog log,
            RingDrain drain,
            HeldPublishers held,
            ByteBufAllocator allocator,
            RunScan scan,
            boolean sharesBuffers) {
        this.ring = ring;
        this.log = log;
        this.drain = drain;
        this.held = held;
        this.allocator = allocator;
        this.scan = scan;
        this.sharesBuffers = sharesBuffers;
    }

    boolean sharesBuffers() {
        return sharesBuffers;
    }

    /** A read buffer that now belongs to the caller, until {@link #giveBack}. */
    ReadBuffer take() {
        ReadBuffer buffer = free.pollFirst();
        return buffer == null ? new ReadBuffer(allocator, MAX_READ) : buffer;
    }

    void giveBack(ReadBuffer buffer) {
        if (free.size() < MAX_FREE_BUFFERS) {
            free.addFirst(buffer);
        } else {
            buffer.release();
        }
    }

    /**
     * Where the log ends, to be read into, so that what is read need not be copied; null where it cannot be so now. What
     * waits in the ring goes before.
     *
     * @param kept bytes of an incomplete frame that will be put in front
     * @param room bytes that the read may take, those included
     */
    ByteBuf inPlace(int kept, int room) {
        if (!sharesBuffers) {
            return null;
        }
        if (!ring.isEmpty()) {
            drain.poll();
        }
        // Where the log may not grow, what is read has to wait elsewhere.
        return drain.canTake() ? log.end(Math.min(room, kept + LEAST_IN_PLACE), room) : null;
    }

    /**
     * Bytes that a read to the loop's own buffer may take. On the ring's loop that is the exception, at the end of a chunk,
     * and short: what is read is copied.
     */
    int copiedRead() {
        return sharesBuffers ? 2 * LEAST_IN_PLACE : READ_BYTES;
    }

    /** The memory that {@link #inPlace} looks into. */
    ByteBuffer inPlaceView() {
        return log.endView();
    }

    /** Walks what was read. What waits in the ring goes first, so that the packets found are those of the log. */
    RunScan scan(ByteBuffer view, int offset, int length, boolean inPlace) {
        if (!inPlace && length >= LEND_BYTES && !ring.isEmpty()) {
            drain.poll();
        }
        scan.scan(view, offset, length, log.openPacketBytes());
        return scan;
    }

    /**
     * Hands in the whole frames of a scan.
     *
     * @param owner who is told when they are in the stream, from 1; 0: nobody
     * @return false where the ring has no room for them now
     */
    boolean offer(ByteBuffer view, int offset, RunScan found, boolean inPlace, int owner) {
        int length = found.end();
        boolean large = length >= LEND_BYTES;
        if ((large || inPlace) && drain.canTake() && ring.tryLend(view, offset, length, found, owner)) {
            drain.poll();
            if (large) {
                // What fills whole segments goes out while it is in the cache; the rest when nothing more comes.
                drain.pump(false);
            }
            return true;
        }
        long claim = ring.tryClaim(length);
        if (claim == FrameRing.REFUSED) {
            return false;
        }
        ring.put(claim, 0, view, offset, length);
        ring.publishOwned(claim, length, owner);
        return true;
    }

    /** Has what waits in the ring packed now, as far as the log may grow. */
    void pack() {
        if (!ring.isEmpty()) {
            drain.poll();
        }
    }

    /** Whether reading on would only fill the ring, because subscribers hold the log back. */
    boolean shouldPause() {
        return !drain.canTake();
    }

    /** Registers a session that was refused or shall pause; it is resumed when there is room again. */
    void hold(PublisherSession session) {
        held.add(session);
    }

    /** How long there was a publisher that was not read, since the start. Any thread. */
    public long heldBackNanos(long now) {
        return held.nanos(now);
    }

    /** Told by a session whose last read took all it could: more is likely to come. */
    void moreExpected() {
        drain.expectMoreReads();
    }

    /** Gives the free buffers back. */
    public void close() {
        free.forEach(ReadBuffer::release);
        free.clear();
    }
}
