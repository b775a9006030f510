package dev.msgrelay.server.session;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.config.SlowSubscriberPolicy;
import dev.msgrelay.server.log.Chunk;
import dev.msgrelay.server.log.Mark;
import dev.msgrelay.server.log.PacketLog;
import dev.msgrelay.server.transport.SegmentSize;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;

/**
 * A subscriber: a cursor in the log and at most one write in flight. When the write is done, everything that has gathered
 * meanwhile is there to go out in the next one.
 *
 * <p>Completion is learnt from the channel's writability: its water marks are set so that it is writable exactly while
 * nothing is pending. That needs no promise and no listener per write.
 *
 * <p>Owned by its loop's thread; {@link #cursor} may be read by any.
 */
public final class SubscriberSession extends ChannelInboundHandlerAdapter {
    private final SessionContext context;
    private final PacketLog log;
    private final SubscriberGroup group;
    private final SlowSubscriberPolicy policy;
    private final Pins pins;
    // Up to here the bytes must stay reachable once a write has been issued: where the frame ends that it cuts.
    private final Mark boundary = new Mark();
    private final Mark nextBoundary = new Mark();
    private final Mark start = new Mark();

    private Channel channel;
    private SegmentSize segment;
    private ByteBuf[] views = {};
    private volatile long cursor;
    private long inFlight;
    private boolean issuing;
    private long skipped;
    private long skippedBytes;
    private long progressMark;
    private long progressNanos;
    private CloseReason closing;
    private boolean ended;

    public SubscriberSession(SessionContext context, SubscriberGroup group, SlowSubscriberPolicy policy) {
        this.context = context;
        this.log = context.log();
        this.group = group;
        this.policy = policy;
        this.pins = new Pins(log);
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        channel = ctx.channel();
        segment = SegmentSize.of(channel);
        log.head().read(start);
        boundary.copy(start);
        cursor = start.position();
        progressMark = cursor;
        if (policy == SlowSubscriberPolicy.BACKPRESSURE) {
            context.gate().add(this);
        }
        group.add(this);
        context.connections().opened(this);
    }

    /**
     * Sends what lies between the cursor and the head, a whole number of segments while there are that many.
     *
     * @param stride about the most to send
     * @param least about the least to send, in whole segments, unless everything goes
     * @param everything whether to send what is less, too
     * @return whether a write was issued and is done already, so that it is worth asking again
     */
    boolean send(Mark head, int stride, int least, boolean everything) {
        if (inFlight > 0) {
            if (cursor < log.tail() && policy != SlowSubscriberPolicy.SKIP) {
                close(CloseReason.SLOW_SUBSCRIBER, "more than the log's " + context.logBytes() + " bytes behind");
            }
            return false;
        }
        long from = cursor;
        long available = head.position() - from;
        if (available == 0 || closing != null) {
            return false;
        }
        int amount = amount(available, stride);
        if (!everything && amount < segment.wholeUpTo(least)) {
            return false;
        }
        if (from < log.tail()) {
            return overtaken(head, from);
        }
        if (!log.boundaryAtOrBehind(from + amount, head, nextBoundary) || !pins.hold(from, nextBoundary.position())) {
            return overtaken(head, from);
        }
        boundary.copy(nextBoundary);
        return issue(from, amount);
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

    private boolean issue(long from, int amount) {
        inFlight = amount;
        issuing = true;
        long at = from;
        int left = amount;
        while (left > 0) {
            Chunk chunk = pins.at(at);
            int offset = log.offsetInChunk(at);
            int part = Math.min(left, log.chunkBytes() - offset);
            ByteBuf view = view(chunk);
            view.setIndex(offset, offset + part);
            chunk.retain();
            channel.write(view, channel.voidPromise());
            at += part;
            left -= part;
        }
        channel.flush();
        issuing = false;
        if (inFlight > 0 && channel.isWritable()) {
            complete();
            return true;
        }
        return false;
    }

    /** The one view of a chunk that this session's writes use: there is one write at a time, so it is free again. */
    private ByteBuf view(Chunk chunk) {
        int id = chunk.id();
        if (id >= views.length) {
            views = java.util.Arrays.copyOf(views, Math.max(id + 1, log.chunkCount()));
        }
        ByteBuf view = views[id];
        if (view == null) {
            view = chunk.memory().duplicate();
            views[id] = view;
        }
        return view;
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        // While a write is being issued its issuer looks itself, once the whole of it is with the channel.
        if (!issuing && inFlight > 0 && channel.isWritable()) {
            complete();
        }
    }

    private void complete() {
        long to = cursor + inFlight;
        inFlight = 0;
        segment.written();
        cursor = to;
        if (to == boundary.position()) {
            pins.releaseAll();
        }
        if (policy == SlowSubscriberPolicy.BACKPRESSURE) {
            context.gate().memberMoved(to);
        }
    }

    /** The log has moved on: the policy speaks. */
    private boolean overtaken(Mark head, long from) {
        if (policy != SlowSubscriberPolicy.SKIP) {
            close(CloseReason.SLOW_SUBSCRIBER, "more than the log's " + context.logBytes() + " bytes behind");
            return false;
        }
        if (from < boundary.position()) {
            // The last write ended within a frame. Its rest is still held, and goes first.
            return issue(from, (int) (boundary.position() - from));
        }
        long lost = boundary.sequence();
        long keep = Math.max(log.tail(), head.position() - SubscriberGroup.WRITE_BYTES);
        if (!log.boundaryAtOrBehind(keep, head, boundary)) {
            boundary.copy(head);
        }
        pins.releaseAll();
        long missed = boundary.sequence() - lost;
        skipped += missed;
        skippedBytes += boundary.position() - from;
        cursor = boundary.position();
        context.connections().skipped(this, lost, boundary.sequence() - 1, skipped == missed);
        return true;
    }

    void checkStalled(long nowNanos) {
        if (policy != SlowSubscriberPolicy.BACKPRESSURE || inFlight == 0) {
            progressNanos = nowNanos;
            return;
        }
        var outbound = channel.unsafe().outboundBuffer();
        long mark = cursor + (outbound == null ? 0 : outbound.currentProgress());
        if (mark != progressMark || !context.gate().blocked()) {
            progressMark = mark;
            progressNanos = nowNanos;
        } else if (nowNanos - Math.max(progressNanos, context.gate().blockedSinceNanos()) > context.stallNanos()) {
            close(
                    CloseReason.STALLED_SUBSCRIBER,
                    "read nothing for " + context.stallNanos() / 1_000_000 + " ms while publishers waited");
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        ReferenceCountUtil.release(msg);
        close(CloseReason.UNEXPECTED_INPUT, "a subscriber sends nothing");
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (closing == null) {
            closing = CloseReason.PEER_CLOSED;
        }
        end("");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        close(
                cause instanceof java.io.IOException ? CloseReason.CONNECTION_LOST : CloseReason.INTERNAL_ERROR,
                String.valueOf(cause.getMessage()));
    }

    /** Closes the connection for a reason; the first reason counts. On the loop's thread. */
    public void close(CloseReason reason, String detail) {
        if (closing == null) {
            closing = reason;
            end(detail);
            channel.close();
        }
    }

    private void end(String detail) {
        if (!ended && channel != null) {
            ended = true;
            context.connections().closed(this, closing, detail);
            group.remove(this);
            if (policy == SlowSubscriberPolicy.BACKPRESSURE) {
                context.gate().remove(this);
            }
            pins.releaseAll();
        }
    }

    /** Where it stands: everything before has been handed to its socket. Any thread. */
    public long cursor() {
        return cursor;
    }

    /** Messages handed to its socket so far; to the packet while it is within one. */
    public long messagesSent() {
        long at = cursor == boundary.position() ? boundary.sequence() : log.sequenceNear(cursor);
        return Math.max(0, at - start.sequence() - skipped);
    }

    /** Messages that it has missed because its policy is to skip. */
    public long messagesSkipped() {
        return skipped;
    }

    /** Bytes handed to its socket so far. */
    public long bytesSent() {
        return cursor - start.position() - skippedBytes;
    }

    /** The loop's thread is where its state may be touched. */
    public void execute(Runnable task) {
        channel.eventLoop().execute(task);
    }

    /** The peer, for people. */
    public String peer() {
        return SessionContext.peerName(channel);
    }
}
