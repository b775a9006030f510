package dev.msgrelay.server.session;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.config.SlowSubscriberPolicy;
import dev.msgrelay.server.log.Mark;
import dev.msgrelay.server.log.PacketLog;
import dev.msgrelay.server.transport.SegmentSize;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A subscriber: a cursor in the log and at most one write in flight. When the write is done, everything that has gathered
 * meanwhile is there to go out in the next one; what is to be said beside the stream goes out between two frames.
 *
 * <p>Owned by its loop's thread; {@link #cursor} may be read by any.
 */
public final class SubscriberSession extends ChannelInboundHandlerAdapter {
    /** Bytes of memory, beside the log's chunks, that one takes which wants some types only. */
    public static final int FILTER_BYTES = FilteredFeed.COPY_BYTES;

    private static final Logger LOG = LoggerFactory.getLogger("relay");

    private final SessionContext context;
    private final PacketLog log;
    private final SubscriberGroup group;
    private final StreamCursor cursor;
    private SlowSubscriberPolicy policy;

    private Channel channel;
    private SegmentSize segment;
    private SocketWriter writer;
    private long inFlight;
    // Of subscribers that say something: null for the plain ones.
    private ControlReader reader;
    private SubscriberControl control;
    // Of subscribers that want some types only, otherwise null.
    private FilteredFeed filtered;
    private boolean sequences;

    private volatile long skipped;
    private long progressMark;
    private long progressNanos;
    private CloseReason closing;
    private String farewell;
    private boolean counted;

    public SubscriberSession(SessionContext context, SubscriberGroup group) {
        this.context = context;
        this.log = context.log();
        this.group = group;
        this.policy = context.clients().slowSubscriber();
        this.cursor = new StreamCursor(log);
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        channel = ctx.channel();
        segment = SegmentSize.of(channel);
        writer = new SocketWriter(channel, log);
        Mark head = new Mark();
        log.head().read(head);
        cursor.jump(head);
        progressMark = cursor.position();
        if (policy == SlowSubscriberPolicy.BACKPRESSURE) {
            context.gate().add(this);
        }
        group.add(this);
        context.connections().opened(this);
    }

    // ---- sending ----------------------------------------------------------------------------------------------

    /**
     * Sends what lies between the cursor and the head, a whole number of segments while there are that many.
     *
     * @param stride about the most to send
     * @param least about the least to send, in whole segments, unless everything goes
     * @param everything whether to send what is less, too
     * @return whether a write was issued and is done already, so that it is worth asking again
     */
    boolean send(Mark head, int stride, int least, boolean everything) {
        if (writer.busy()) {
            if (cursor.position() < log.tail() && policy != SlowSubscriberPolicy.SKIP) {
                tooSlow();
            }
            return false;
        }
        if (closing != null) {
            return farewell != null && sayFarewell();
        }
        if (control != null && control.due()) {
            return cursor.atBoundary() ? say(head) : issue(cursor.restOfFrame());
        }
        long available = head.position() - cursor.position();
        if (available == 0) {
            return false;
        }
        if (filtered != null) {
            return sendChosen(head);
        }
        int amount = amount(available, stride);
        if (!everything && amount < segment.wholeUpTo(least)) {
            return false;
        }
        return cursor.hold(amount, head) ? issue(amount) : overtaken(head);
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

    /** Writes what comes next in the log, and is held. */
    private boolean issue(int amount) {
        inFlight = amount;
        writer.begin();
        writer.addLog(cursor.pins(), cursor.position(), amount);
        return ended();
    }

    private boolean sendChosen(Mark head) {
        if (!cursor.atBoundary()) {
            // It has got everything so far: the last frame is to be whole.
            return issue(cursor.restOfFrame());
        }
        if (!filtered.walk(head)) {
            return overtaken(head);
        }
        inFlight = cursor.restOfFrame();
        if (!filtered.any()) {
            complete();
            return true;
        }
        writer.begin();
        filtered.addTo(writer);
        return ended();
    }

    private boolean say(Mark head) {
        ByteBuffer said;
        try {
            said = control.say(cursor, head, System.nanoTime());
        } catch (FrameException e) {
            close(e.reason(), e.getMessage());
            return false;
        }
        writer.begin();
        writer.add(Unpooled.wrappedBuffer(said));
        return ended();
    }

    private boolean ended() {
        boolean done = writer.end();
        if (done) {
            complete();
        }
        return done;
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (writer.finished()) {
            complete();
        }
    }

    private void complete() {
        long bytes = inFlight;
        inFlight = 0;
        segment.written();
        cursor.moved(bytes);
        if (policy == SlowSubscriberPolicy.BACKPRESSURE) {
            context.gate().memberMoved(cursor.position());
        }
    }

    /** The log has moved on: the policy speaks. */
    private boolean overtaken(Mark head) {
        if (policy != SlowSubscriberPolicy.SKIP) {
            tooSlow();
            return false;
        }
        if (!cursor.atBoundary()) {
            // The last write ended within a frame. Its rest is still held, and goes first.
            return issue(cursor.restOfFrame());
        }
        long lost = cursor.boundary().sequence();
        cursor.pins().releaseAll();
        Mark to = new Mark();
        long keep = Math.max(log.tail(), head.position() - SubscriberGroup.WRITE_BYTES);
        if (!log.boundaryAtOrBehind(keep, head, to)) {
            to.copy(head);
        }
        cursor.jump(to);
        boolean first = skipped == 0;
        skipped += to.sequence() - lost;
        if (control != null) {
            control.missed(lost, to.sequence() - 1);
        }
        context.connections().skipped(this, lost, to.sequence() - 1, first);
        return true;
    }

    private void tooSlow() {
        close(CloseReason.SLOW_SUBSCRIBER, "more than the log's " + context.logBytes() + " bytes behind");
    }

    // ---- for SubscriberControl --------------------------------------------------------------------------------

    SlowSubscriberPolicy policy() {
        return policy;
    }

    void policy(SlowSubscriberPolicy granted) {
        if (granted == policy) {
            return;
        }
        if (policy == SlowSubscriberPolicy.BACKPRESSURE) {
            context.gate().remove(this);
        }
        policy = granted;
        if (granted == SlowSubscriberPolicy.BACKPRESSURE) {
            context.gate().add(this);
        }
    }

    /** Whether the subscriber wants to be told with SEQUENCE what its types have left out. */
    void sequences(boolean wanted) {
        sequences = wanted;
    }

    /** Only these types from now on; the stream stands between two frames. */
    void choose(TypeRanges types) {
        if (types.equals(TypeRanges.ALL)) {
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

    /** Whether to go on reading what it sends. */
    void readMore(boolean more) {
        if (channel.config().isAutoRead() != more) {
            channel.config().setAutoRead(more);
        }
    }

    void peerSays(int code, String text) {
        LOG.info("subscriber {} says ERROR {}: {}", peer(), code, SessionContext.printable(text));
    }

    // ---- what it sends, and time ------------------------------------------------------------------------------

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        ByteBuf bytes = (ByteBuf) msg;
        try {
            if (closing != null) {
                return;
            }
            long now = System.nanoTime();
            if (control == null) {
                reader = new ControlReader();
                control = new SubscriberControl(context, this, now);
            }
            control.heard(now);
            reader.take(bytes, control);
        } catch (FrameException e) {
            close(e.reason(), e.getMessage());
        } finally {
            bytes.release();
        }
    }

    void tick(long nowNanos) {
        if (closing != null) {
            return;
        }
        long mark = cursor.position() + writer.progress();
        boolean moved = mark != progressMark;
        progressMark = mark;
        boolean busy = writer.busy();
        if (control != null) {
            if (moved && busy) {
                control.heard(nowNanos);
            }
            CloseReason over = control.tick(nowNanos, reader.incomplete());
            if (over != null) {
                close(over, control.text(over));
                return;
            }
        }
        checkStalled(nowNanos, moved || !busy);
    }

    private void checkStalled(long nowNanos, boolean alive) {
        if (policy != SlowSubscriberPolicy.BACKPRESSURE
                || alive
                || !context.gate().blocked()) {
            progressNanos = nowNanos;
        } else if (nowNanos - Math.max(progressNanos, context.gate().blockedSinceNanos()) > context.stallNanos()) {
            close(
                    CloseReason.STALLED_SUBSCRIBER,
                    "read nothing for " + context.stallNanos() / 1_000_000 + " ms while publishers waited");
        }
    }

    /** The relay begins to drain. On the loop's thread. */
    public void goAway(int millis) {
        if (control != null && control.greeted()) {
            control.goAway(millis);
        }
    }

    // ---- the end ----------------------------------------------------------------------------------------------

    /**
     * Closes the connection for a reason; the first reason counts. Who has said anything is told, between two frames, if
     * it gets there within the stall timeout; a plain subscriber gets nothing but frames. On the loop's thread.
     */
    public void close(CloseReason reason, String detail) {
        if (closing != null) {
            return;
        }
        closing = reason;
        countOnce(detail);
        if (control == null) {
            leave();
            channel.close();
            return;
        }
        farewell = detail;
        readMore(true);
        // A slow reader takes a while to get there; a socket that takes nothing cannot be told.
        long atMost = Math.max(context.stallNanos(), TimeUnit.MILLISECONDS.toNanos(Farewell.LINGER_MILLIS));
        channel.eventLoop().schedule(() -> channel.close(), atMost, TimeUnit.NANOSECONDS);
    }

    private boolean sayFarewell() {
        if (!cursor.atBoundary()) {
            return issue(cursor.restOfFrame());
        }
        String text = farewell;
        leave();
        Farewell.say(channel, closing, text);
        return false;
    }

    private void countOnce(String detail) {
        if (!counted) {
            counted = true;
            context.connections().closed(this, closing, detail);
            if (policy == SlowSubscriberPolicy.BACKPRESSURE) {
                context.gate().remove(this);
            }
        }
    }

    private void leave() {
        farewell = null;
        group.remove(this);
        cursor.pins().releaseAll();
        if (filtered != null) {
            cursor.delivered().upTo(cursor.boundary());
            filtered.release();
            filtered = null;
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (closing == null) {
            closing = CloseReason.PEER_CLOSED;
        }
        countOnce("");
        leave();
        context.connections().channelGone();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (closing == null) {
            closing = cause instanceof IOException ? CloseReason.CONNECTION_LOST : CloseReason.INTERNAL_ERROR;
            if (closing == CloseReason.INTERNAL_ERROR) {
                LOG.error("subscriber {}", peer(), cause);
            }
            countOnce(String.valueOf(cause.getMessage()));
        }
        leave();
        channel.close();
    }

    // ---- reports ----------------------------------------------------------------------------------------------

    /** Where it stands: everything before has been handed to its socket. Any thread. */
    public long cursor() {
        return cursor.position();
    }

    /** Messages handed to its socket so far; to the packet while it is within one. */
    public long messagesSent() {
        Mark boundary = cursor.boundary();
        long at = cursor.position();
        return cursor.delivered().messages(at == boundary.position() ? boundary.sequence() : log.sequenceNear(at));
    }

    /** Messages that it has missed because its policy is to skip. */
    public long messagesSkipped() {
        return skipped;
    }

    /** Bytes handed to its socket so far. */
    public long bytesSent() {
        return cursor.delivered().bytes(cursor.position());
    }

    /** The loop's thread is where its state may be touched. */
    public void execute(Runnable task) {
        channel.eventLoop().execute(task);
    }

    /** The peer, for people. */
    public String peer() {
        String address = SessionContext.peerName(channel);
        return control == null || control.name().isEmpty() ? address : address + " (" + control.name() + ")";
    }
}
