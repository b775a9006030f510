package dev.msgrelay.server.session;

import dev.msgrelay.protocol.SequenceFrame;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.log.Mark;
import dev.msgrelay.server.log.PacketLog;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;

/**
 * What a subscriber gets that wants some types only: it walks the log frame by frame, and copies those that are wanted
 * into a buffer of its own. A large one is not copied: it is written from where it lies. Costs nobody else anything but
 * the loop's time.
 *
 * <p>Owned by the session's thread.
 */
final class FilteredFeed {
    /** Bytes of the stream looked at in one go at most, unless a single frame is longer: others want their turn. */
    static final int LOOK_BYTES = 256 << 10;

    /** A write is about this long at most. */
    static final int COPY_BYTES = 64 << 10;

    /** A frame of this length or more is written from the log. */
    static final int LARGE_FRAME = 8 << 10;

    private final PacketLog log;
    private final StreamCursor cursor;
    private final ByteBuf memory;
    private final ByteBuf view;
    private final ByteBuffer copy;
    private final Mark limit = new Mark();
    private TypeRanges types;
    private boolean sequences;
    private long told;
    private int messages;
    private long largeFrom;
    private int large;

    FilteredFeed(PacketLog log, StreamCursor cursor, ByteBufAllocator allocator) {
        this.log = log;
        this.cursor = cursor;
        this.memory = allocator.directBuffer(COPY_BYTES, COPY_BYTES);
        this.view = memory.duplicate();
        this.copy = memory.nioBuffer(0, COPY_BYTES);
    }

    /**
     * What is wanted from now on.
     *
     * @param withSequences whether to say with SEQUENCE where the subscriber's count would be wrong
     */
    void choose(TypeRanges wanted, boolean withSequences) {
        types = wanted;
        sequences = withSequences;
    }

    /** The subscriber has been told that this is the number of the next message. */
    void told(long next) {
        told = next;
    }

    /**
     * Walks on, up to the head at most, until there is enough for a write.
     *
     * @return false where the log no longer holds what comes next; otherwise {@link #addTo} has something or not
     */
    boolean walk(Mark head) {
        copy.clear();
        messages = 0;
        large = 0;
        long at = cursor.position();
        long sequence = cursor.boundary().sequence();
        if (!hold(at, head)) {
            return false;
        }
        long end = limit.position();
        while (at < end && large == 0) {
            int length = cursor.frames().length(at);
            if (types.contains(cursor.frames().type(at))) {
                int room = SequenceFrame.FRAME_LENGTH + (length < LARGE_FRAME ? length : 0);
                if (copy.remaining() < room) {
                    break;
                }
                take(at, length, sequence);
            }
            at += length;
            sequence++;
        }
        cursor.chosenUpTo(at, sequence);
        cursor.delivered().add(messages, copy.position() + large);
        if (large == 0) {
            // Copied: nothing of the log is needed any more.
            cursor.pins().releaseAll();
        }
        return true;
    }

    /** Whether the last walk found anything to send. */
    boolean any() {
        return copy.position() > 0 || large > 0;
    }

    /** Adds what the last walk found to a write. */
    void addTo(SocketWriter writer) {
        if (copy.position() > 0) {
            view.setIndex(0, copy.position());
            writer.add(view.retain());
        }
        if (large > 0) {
            writer.addLog(cursor.pins(), largeFrom, large);
        }
    }

    void release() {
        memory.release();
    }

    private boolean hold(long from, Mark head) {
        if (from < log.tail()) {
            return false;
        }
        // Up to the end of the packet in which the look ends: a frame that is longer than the look is one of its own.
        return log.boundaryAtOrBehind(Math.min(from + LOOK_BYTES, head.position()), head, limit)
                && cursor.pins().hold(from, limit.position());
    }

    private void take(long at, int length, long sequence) {
        if (sequences && sequence != told) {
            SequenceFrame.put(copy, sequence);
        }
        told = sequence + 1;
        messages++;
        if (length < LARGE_FRAME) {
            cursor.frames().copy(at, length, copy);
        } else {
            largeFrom = at;
            large = length;
        }
    }
}
