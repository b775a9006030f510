package dev.msgrelay.server.session;

import dev.msgrelay.server.batch.RunScan;
import dev.msgrelay.server.log.PacketLog;
import dev.msgrelay.server.ring.FrameRing;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * Where the publisher sessions of one event loop hand in what they have read: the loop's read buffers, its scan, and the
 * way into the ring. On the loop that polls the ring itself a large run is lent rather than copied: it is taken before
 * the next read touches the buffer.
 *
 * <p>Owned by the loop's thread.
 */
public final class Intake {
    /** A read is at most this long: four segments of loopback, and small enough to stay in the core's cache. */
    public static final int READ_BYTES = Integer.getInteger("relay.read", 256 << 10);

    /** A shorter run is copied into the ring, so that what several sockets brought is packed in one batch. */
    private static final int LEND_BYTES = 4096;

    private static final int MAX_FREE_BUFFERS = 2;

    private final FrameRing ring;
    private final PacketLog log;
    private final RingDrain drain;
    private final HeldPublishers held;
    private final ByteBufAllocator allocator;
    private final RunScan scan;
    private final boolean sharesBuffers;
    private final ArrayDeque<ReadBuffer> free = new ArrayDeque<>();
    private boolean moreExpected;

    /**
     * @param drain the ring's drain where this is its loop, else null
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
        return buffer == null ? new ReadBuffer(allocator, READ_BYTES) : buffer;
    }

    void giveBack(ReadBuffer buffer) {
        if (free.size() < MAX_FREE_BUFFERS) {
            free.addFirst(buffer);
        } else {
            buffer.release();
        }
    }

    /** Walks what was read. What waits in the ring goes first, so that the packets found are those of the log. */
    RunScan scan(ByteBuffer view, int length) {
        int open = 0;
        if (drain != null) {
            if (length >= LEND_BYTES && !ring.isEmpty()) {
                drain.poll();
            }
            open = log.openPacketBytes();
        }
        scan.scan(view, 0, length, open);
        return scan;
    }

    /**
     * Hands in the whole frames of a scan.
     *
     * @return false where the ring has no room for them now
     */
    boolean offer(ByteBuffer view, RunScan found) {
        int length = found.end();
        if (drain != null && length >= LEND_BYTES && drain.canTake(length) && ring.tryLend(view, 0, length, found)) {
            drain.poll();
            // What fills whole segments goes out while it is in the cache; the rest when nothing more comes.
            drain.pump(false);
            return true;
        }
        long claim = ring.tryClaim(length);
        if (claim == FrameRing.REFUSED) {
            return false;
        }
        ring.put(claim, 0, view, 0, length);
        ring.publish(claim, length);
        return true;
    }

    /** Registers a session that was refused; it is resumed when there is room again. */
    void hold(PublisherSession session) {
        held.add(session);
    }

    /** Told at the end of each session's reads whether its last one filled the buffer: more is likely to come. */
    void moreExpected(boolean more) {
        moreExpected |= more;
    }

    /** Whether more is likely to come in the next round; asked once a round. */
    boolean takeMoreExpected() {
        boolean more = moreExpected;
        moreExpected = false;
        return more;
    }

    /** Gives the free buffers back. */
    public void close() {
        free.forEach(ReadBuffer::release);
        free.clear();
    }
}
