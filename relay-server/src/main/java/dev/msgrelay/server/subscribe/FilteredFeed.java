package dev.msgrelay.server.subscribe;

import dev.msgrelay.protocol.SequenceFrame;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.stream.LogReader;
import dev.msgrelay.server.stream.Mark;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.function.Supplier;

/**
 * Writes the messages of the wanted types. Walks the log frame by frame, and copies wanted frames into a buffer for one
 * write. A large frame is not copied, but written from the log's memory.
 */
final class FilteredFeed implements Feed {
    /** The most bytes of a walk, unless one frame is longer. Longer walks would delay other subscribers. */
    static final int LOOK_BYTES = 256 << 10;

    /** Frames of this length or more are written from the log's memory. */
    static final int LARGE_FRAME = 8 << 10;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final LogReader reader;
    private final SocketWriter writer;
    private final Supplier<FilterBuffers> buffers;
    private final Delivery delivery;
    private TypeRanges types;
    private boolean sequences;
    // The number that the client expects the next message to have.
    private long clientNext;
    private FilterBuffers from;
    private ByteBuf buffer = FilterBuffers.NONE;
    private ByteBuffer copy = NOTHING;

    // Results of the last walk.
    private int found;
    private long foundBytes;
    private ByteBuffer lead = NOTHING;
    private long largeFrom;
    private int large;

    FilteredFeed(LogReader reader, SocketWriter writer, Supplier<FilterBuffers> buffers, Delivery delivery) {
        this.reader = reader;
        this.writer = writer;
        this.buffers = buffers;
        this.delivery = delivery;
    }

    /**
     * Sets the wanted types from now on.
     *
     * @param withSequences whether SEQUENCE is sent before a message whose number the client does not expect
     */
    void choose(TypeRanges wanted, boolean withSequences) {
        types = wanted;
        sequences = withSequences;
    }

    @Override
    public void clientCountsFrom(long next) {
        clientNext = next;
    }

    @Override
    public boolean isCounted(long next) {
        return clientNext == next;
    }

    @Override
    public Outcome next(Mark head, int least, boolean everything) {
        if (reader.position() == head.position()) {
            return Outcome.WAIT;
        }
        if (!reader.atBoundary()) {
            // This feed may have replaced a WholeFeed whose last write ended within a frame.
            return finish() ? Outcome.SENT : Outcome.WAIT;
        }
        long end = reader.pinAhead(LOOK_BYTES, head);
        if (end < 0) {
            return Outcome.OVERTAKEN;
        }
        walk(end);
        if (found == 0) {
            return Outcome.MOVED;
        }
        if (copy.position() > 0) {
            buffer.setIndex(0, copy.position());
            writer.add(buffer.retainedDuplicate());
        }
        if (lead.hasRemaining()) {
            writer.add(Unpooled.wrappedBuffer(lead));
            lead = NOTHING;
        }
        if (large > 0) {
            writer.addLog(reader, largeFrom, large);
        } else {
            reader.release();
        }
        return writer.flush() ? Outcome.SENT : Outcome.WAIT;
    }

    /** Walks on until there is enough for a write, but not beyond {@code end}. */
    private void walk(long end) {
        long at = reader.position();
        long sequence = reader.boundary().sequence();
        while (at < end && large == 0) {
            int length = reader.frameLength(at);
            if (types.contains(reader.frameType(at))) {
                if (!hasBuffer()) {
                    at = stretch(at, end, sequence);
                    sequence += found;
                    break;
                }
                int room = SequenceFrame.FRAME_LENGTH + (length < LARGE_FRAME ? length : 0);
                if (copy.remaining() < room) {
                    break;
                }
                addFrame(at, length, sequence);
            }
            at += length;
            sequence++;
        }
        reader.moveBoundary(at, sequence);
    }

    private boolean hasBuffer() {
        if (buffer == FilterBuffers.NONE) {
            from = buffers.get();
            buffer = from.acquire();
            copy = buffer.nioBuffer(0, buffer.capacity());
        }
        return buffer != FilterBuffers.NONE;
    }

    /**
     * Finds wanted frames without unwanted ones between them, and returns their end. As no buffer is free, these frames
     * are written from the log's memory, and pin it as the frames of a {@link WholeFeed} do.
     */
    private long stretch(long start, long end, long sequence) {
        if (sequences && sequence != clientNext) {
            lead = ByteBuffer.allocate(SequenceFrame.FRAME_LENGTH);
            SequenceFrame.put(lead, sequence);
            lead.flip();
        }
        long at = start;
        while (at < end && at - start < FilterBuffers.BYTES && types.contains(reader.frameType(at))) {
            at += reader.frameLength(at);
            found++;
        }
        clientNext = sequence + found;
        foundBytes = at - start;
        largeFrom = start;
        large = (int) foundBytes;
        return at;
    }

    private void addFrame(long at, int length, long sequence) {
        if (sequences && sequence != clientNext) {
            SequenceFrame.put(copy, sequence);
        }
        clientNext = sequence + 1;
        found++;
        foundBytes += length;
        if (length < LARGE_FRAME) {
            reader.copy(at, length, copy);
        } else {
            largeFrom = at;
            large = length;
        }
    }

    @Override
    public boolean finish() {
        writer.addLog(reader, reader.position(), reader.restToBoundary());
        return writer.flush();
    }

    @Override
    public void written() {
        reader.advance(reader.restToBoundary());
        reader.release();
        release();
        delivery.count(found, foundBytes);
        found = 0;
        foundBytes = 0;
        large = 0;
    }

    @Override
    public void release() {
        if (buffer != FilterBuffers.NONE) {
            from.giveBack(buffer);
            buffer = FilterBuffers.NONE;
            copy = NOTHING;
        }
    }
}
