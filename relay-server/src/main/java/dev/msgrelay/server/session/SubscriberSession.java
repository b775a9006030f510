package dev.msgrelay.server.session;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.server.config.SlowSubscriberPolicy;
import dev.msgrelay.server.log.Mark;
import dev.msgrelay.server.loop.RelayLoop;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A subscriber: a cursor in the log and at most one write in flight. When the write is done, everything that has gathered
 * meanwhile is there to go out in the next one; what is to be said beside the stream goes out between two frames.
 *
 * <p>The session decides what is sent when, what becomes of a slow subscriber, and how the connection ends. Owned by its
 * loop's thread, which may change while nothing is in flight; {@link #cursor} may be read by any.
 */
public final class SubscriberSession extends ChannelInboundHandlerAdapter {
    /** Bytes of memory, beside the log's chunks, that one takes which wants some types only. */
    public static final int FILTER_BYTES = FilteredFeed.COPY_BYTES;

    private static final Logger LOG = LoggerFactory.getLogger("relay");

    private final SessionContext context;
    // None while it moves from one loop to another.
    private SubscriberGroup group;
    private SlowSubscriberPolicy policy;
    private Channel channel;
    private SubscriberFeed feed;
    // Of subscribers that say something: null for the plain ones.
    private ControlReader reader;
    private SubscriberControl control;

    private volatile long skipped;
    private long progressMark;
    private long progressNanos;
    private CloseReason closing;
    // What is to be said before the end, or null.
    private String farewell;
    private boolean counted;
    private boolean ended;

    public SubscriberSession(SessionContext context, SubscriberGroup group) {
        this.context = context;
        this.group = group;
        this.policy = context.clients().slowSubscriber();
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        channel = ctx.channel();
        feed = new SubscriberFeed(channel, context.log());
        progressMark = feed.progress();
        if (policy == SlowSubscriberPolicy.BACKPRESSURE) {
            context.gate().add(this);
        }
        group.add(this);
        context.connections().opened(this);
        if (context.connections().draining()) {
            close(CloseReason.SHUTDOWN, CloseReason.SHUTDOWN.text());
        }
    }

    // ---- sending ----------------------------------------------------------------------------------------------

    /**
     * Sends what comes next: see {@link SubscriberFeed#stream}.
     *
     * @return whether something was sent and the socket has taken it, so that it is worth asking again
     */
    boolean send(Mark head, int stride, int least, boolean everything) {
        if (feed.busy()) {
            if (feed.overtaken() && policy != SlowSubscriberPolicy.SKIP) {
                tooSlow();
            }
            return false;
        }
        if (closing != null) {
            return farewell != null && sayFarewell();
        }
        if (control != null && control.due()) {
            return feed.cursor().atBoundary() ? say(head) : moved(feed.finishFrame());
        }
        return switch (feed.stream(head, stride, least, everything)) {
            case WAIT -> false;
            case DONE -> moved(true);
            case OVERTAKEN -> overtaken(head);
        };
    }

    private boolean say(Mark head) {
        ByteBuffer said;
        try {
            said = control.say(feed, head, System.nanoTime());
        } catch (FrameException e) {
            close(e.reason(), e.getMessage());
            return false;
        }
        return moved(feed.say(said));
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        moved(feed.written());
    }

    private boolean moved(boolean done) {
        if (done && policy == SlowSubscriberPolicy.BACKPRESSURE) {
            context.gate().memberMoved(feed.position());
        }
        return done;
    }

    /** The log has moved on: the policy speaks. */
    private boolean overtaken(Mark head) {
        if (policy != SlowSubscriberPolicy.SKIP) {
            tooSlow();
            return false;
        }
        if (!feed.cursor().atBoundary()) {
            // The last write ended within a frame. Its rest is still held, and goes first.
            return moved(feed.finishFrame());
        }
        Mark boundary = feed.cursor().boundary();
        long lost = boundary.sequence();
        feed.skip(head);
        long last = boundary.sequence() - 1;
        boolean first = skipped == 0;
        skipped += last - lost + 1;
        if (control != null) {
            control.missed(lost, last);
        }
        context.connections().skipped(this, lost, last, first);
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

    /** The cursor has gone back in the log. */
    void movedBack() {
        if (policy == SlowSubscriberPolicy.BACKPRESSURE) {
            context.gate().memberMovedBack();
        }
    }

    /** Whether to go on reading what it sends. */
    void readMore(boolean more) {
        if (channel.config().isAutoRead() != more) {
            channel.config().setAutoRead(more);
        }
    }

    /** The subscriber has said ERROR: it closes. */
    void endedByPeer(String what) {
        closing = CloseReason.PEER_CLOSED;
        LOG.warn("subscriber {} closes: {}", peer(), what);
        countOnce(what);
        leave();
        readMore(true);
        Farewell.sayNothing(channel);
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

    /** Called a few times a second. */
    void tick(long nowNanos) {
        if (closing != null) {
            return;
        }
        boolean mayStall =
                policy == SlowSubscriberPolicy.BACKPRESSURE && context.gate().blocked();
        if (control == null && !mayStall) {
            // Most of them, most of the time: there are many, and an idle relay does little else.
            progressNanos = nowNanos;
            return;
        }
        long mark = feed.progress();
        boolean moved = mark != progressMark;
        progressMark = mark;
        boolean busy = feed.busy();
        if (control != null) {
            if (moved && busy) {
                // What a socket with room takes proves nothing: the kernel takes it for a peer that is gone.
                control.heard(nowNanos);
            }
            CloseReason over = control.tick(nowNanos, reader.incomplete());
            if (over != null) {
                close(over, control.text(over));
                return;
            }
        }
        checkStalled(nowNanos, moved || !busy || !mayStall);
    }

    private void checkStalled(long nowNanos, boolean alive) {
        if (alive) {
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

    // ---- from one loop to another ------------------------------------------------------------------------------

    /** Whether nothing is in flight just now, so that another loop may go on. */
    boolean canMove() {
        return closing == null && !feed.busy();
    }

    /**
     * Another loop goes on with it; only while it {@link #canMove}. Until it has arrived it is in no group, so nothing is sent.
     * What this loop may still do meanwhile, read and close, it does before the other one begins.
     */
    void moveTo(SubscriberGroup to) {
        group.remove(this);
        group = null;
        RelayLoop.move(channel, to.loop(), there -> {
            if (there.isSuccess()) {
                arrived(to);
            } else {
                exceptionCaught(null, there.cause());
                end();
            }
        });
    }

    private void arrived(SubscriberGroup to) {
        if (!ended && (closing == null || farewell != null)) {
            group = to;
            to.add(this);
        }
        // What was said on the way, if only why it ends: the socket is not watched for it any more.
        channel.flush();
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
        // At once where that is possible: the end of what it sends, which closes the channel, may be read next.
        while (farewell != null && !feed.busy() && feed.cursor().atBoundary()) {
            sayFarewell();
        }
    }

    private boolean sayFarewell() {
        if (!feed.cursor().atBoundary()) {
            return feed.finishFrame();
        }
        // The relay may close in the very moment in which it begins to drain: GOAWAY is said all the same.
        ByteBuffer goAway = control.takeGoAway();
        if (goAway != null) {
            return feed.say(goAway);
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
        if (group != null) {
            group.remove(this);
        }
        if (feed != null) {
            feed.release();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        end();
    }

    /** Of a channel that is closed between two loops nothing else is told. */
    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        end();
    }

    private void end() {
        if (ended || feed == null) {
            // Without a feed it has never begun.
            return;
        }
        ended = true;
        if (closing == null) {
            closing = reader != null && reader.incomplete() ? CloseReason.TRUNCATED_FRAME : CloseReason.PEER_CLOSED;
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

    // ---- reports: any thread ----------------------------------------------------------------------------------

    /** Where it stands: everything before has been handed to its socket. */
    public long cursor() {
        return feed.position();
    }

    /** Messages handed to its socket so far; to the packet while it is within one. */
    public long messagesSent() {
        return feed.messagesSent();
    }

    /** Messages that it has missed because its policy is to skip. */
    public long messagesSkipped() {
        return skipped;
    }

    /** Bytes handed to its socket so far. */
    public long bytesSent() {
        return feed.bytesSent();
    }

    /** The loop's thread is where its state may be touched. */
    public void execute(Runnable task) {
        EventLoop loop = channel.eventLoop();
        loop.execute(() -> {
            if (channel.eventLoop() == loop) {
                task.run();
            } else {
                // It has moved meanwhile.
                execute(task);
            }
        });
    }

    /** The peer, for people. */
    public String peer() {
        String address = SessionContext.peerName(channel);
        return control == null || control.name().isEmpty() ? address : address + " (" + control.name() + ")";
    }
}
