package dev.msgrelay.server.session;

import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.log.Mark;
import dev.msgrelay.server.log.PacketLog;
import dev.msgrelay.server.transport.SegmentSize;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import java.nio.ByteBuffer;

/**
 * Brings the stream to a subscriber's socket: all of it, or the types that are wanted; and between two frames what else
 * is to be said. One write at a time. Owned by the channel's thread; reports may ask for {@link #position} and the sums.
 */
final class SubscriberFeed {
    /** What came of an attempt to send. */
    enum Sent {
        /** There is nothing to send now, or the socket has not taken all of it. */
        WAIT,
        /** The socket has taken it: it is worth asking again. */
        DONE,
        /** The log no longer holds what comes next. */
        OVERTAKEN
    }

    private final Channel channel;
    private final PacketLog log;
    private final SegmentSize segment;
    private final SocketWriter writer;
    private final StreamCursor cursor;
    private long inFlight;
    // Where some types only are wanted, otherwise null.
    private FilteredFeed filtered;
    private boolean sequences;

    /** Starts at the head. */
    SubscriberFeed(Channel channel, PacketLog log) {
        this.channel = channel;
        this.log = log;
        this.segment = SegmentSize.of(channel);
        this.writer = new SocketWriter(channel, log);
        this.cursor = new StreamCursor(log);
        Mark head = new Mark();
        log.head().read(head);
        cursor.jump(head);
    }

    /** Whether a write is in flight; then nothing else may be sent. */
    boolean busy() {
        return writer.busy();
    }

    StreamCursor cursor() {
        return cursor;
    }

    /** Whether the log has dropped what the socket has not taken yet. */
    boolean overtaken() {
        return cursor.position() < log.tail();
    }

    // ---- sending: only while it is not busy -------------------------------------------------------------------

    /**
     * Sends what lies between the cursor and the head, a whole number of segments while there are that many.
     *
     * @param stride about the most to send
     * @param least about the least to send, in whole segments, unless everything goes
     * @param everything whether to send what is less, too
     */
    Sent stream(Mark head, int stride, int least, boolean everything) {
        long available = head.position() - cursor.position();
        if (available == 0) {
            return Sent.WAIT;
        }
        if (filtered != null) {
            return streamChosen(head);
        }
        int amount = amount(available, stride);
        if (!everything && amount < segment.wholeUpTo(least)) {
            return Sent.WAIT;
        }
        return cursor.hold(amount, head) ? sent(issue(amount)) : Sent.OVERTAKEN;
    }

    private Sent streamChosen(Mark head) {
        if (!cursor.atBoundary()) {
            // It has got everything so far: the last frame is to be whole.
            return sent(finishFrame());
        }
        if (!filtered.walk(head)) {
            return Sent.OVERTAKEN;
        }
        inFlight = cursor.restOfFrame();
        if (!filtered.any()) {
            complete();
            return Sent.DONE;
        }
        writer.begin();
        filtered.addTo(writer);
        return sent(ended());
    }

    /** Sends the rest of the frame that the last write cut; it is still held. Answers whether the socket has taken it. */
    boolean finishFrame() {
        return issue(cursor.restOfFrame());
    }

    /** Sends something else, between two frames. Answers whether the socket has taken it. */
    boolean say(ByteBuffer said) {
        writer.begin();
        writer.add(Unpooled.wrappedBuffer(said));
        return ended();
    }

    /** The socket has become writable: answers whether a write was in flight that is done now. */
    boolean written() {
        boolean done = writer.finished();
        if (done) {
            complete();
        }
        return done;
    }

    private static Sent sent(boolean done) {
        return done ? Sent.DONE : Sent.WAIT;
    }

    /** Bytes to write: whole segments where there is at least one, everything where there is less. */
    private int amount(long available, int stride) {
        int most = segment.wholeUpTo(stride);
        if (available >= most) {
            return most;
        }
        int size = segment.bytes();
        return (int) (available >= size ? available - available % size : available);
    }

    private boolean issue(int amount) {
        inFlight = amount;
        writer.begin();
        writer.addLog(cursor.pins(), cursor.position(), amount);
        return ended();
    }

    private boolean ended() {
        boolean done = writer.end();
        if (done) {
            complete();
        }
        return done;
    }

    private void complete() {
        long bytes = inFlight;
        inFlight = 0;
        segment.written();
        cursor.moved(bytes);
    }

    // ---- where it goes on, and with what: between two frames --------------------------------------------------

    /** Moves on to the newest packets. */
    void skip(Mark head) {
        Mark to = new Mark();
        long keep = Math.max(log.tail(), head.position() - SubscriberGroup.WRITE_BYTES);
        if (!log.boundaryAtOrBehind(keep, head, to)) {
            to.copy(head);
        }
        cursor.leaveFor(to);
    }

    /** Whether the subscriber wants to be told with SEQUENCE what its types have left out. */
    void sequences(boolean wanted) {
        sequences = wanted;
    }

    /** Only these types from now on. */
    void choose(TypeRanges types) {
        if (types.isAll()) {
            if (filtered != null) {
                filtered.release();
                filtered = null;
                cursor.delivered().everythingFrom(cursor.boundary());
            }
            return;
        }
        if (filtered == null) {
            filtered = new FilteredFeed(log, cursor, channel.alloc());
            cursor.delivered().upTo(cursor.boundary());
        }
        filtered.choose(types, sequences);
    }

    /** The subscriber has been told which sequence comes next. */
    void told(long next) {
        if (filtered != null) {
            filtered.told(next);
        }
    }

    /** Lets go of all memory. Nothing is sent any more. */
    void release() {
        cursor.pins().releaseAll();
        if (filtered != null) {
            cursor.delivered().upTo(cursor.boundary());
            filtered.release();
            filtered = null;
        }
    }

    // ---- reports: any thread, but for progress ----------------------------------------------------------------

    /** A number that changes whenever the socket takes something. */
    long progress() {
        return cursor.position() + writer.progress();
    }

    /** Everything before has been handed to the socket. */
    long position() {
        return cursor.position();
    }

    /** Messages handed to the socket; to the packet while it is within one. */
    long messagesSent() {
        Mark boundary = cursor.boundary();
        long at = cursor.position();
        return cursor.delivered().messages(at == boundary.position() ? boundary.sequence() : log.sequenceNear(at));
    }

    /** Their bytes. */
    long bytesSent() {
        return cursor.delivered().bytes(cursor.position());
    }
}
