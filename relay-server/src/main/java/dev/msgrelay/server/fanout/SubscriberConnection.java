package dev.msgrelay.server.fanout;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.protocol.StartFrom;
import dev.msgrelay.protocol.SubscribeFrame;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.access.Refusal;
import dev.msgrelay.server.core.EngineLoop;
import dev.msgrelay.server.flow.WindowGate;
import dev.msgrelay.server.log.LogReader;
import dev.msgrelay.server.log.Mark;
import dev.msgrelay.server.log.PacketLog;
import dev.msgrelay.server.log.StreamHead;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.memory.MemoryBudget.Pool;
import dev.msgrelay.server.net.SegmentSize;
import dev.msgrelay.server.net.SocketWriter;
import dev.msgrelay.server.ops.ConnectionRow;
import dev.msgrelay.server.ops.Counter;
import dev.msgrelay.server.session.Closing;
import dev.msgrelay.server.session.Connection;
import dev.msgrelay.server.session.Durability;
import dev.msgrelay.server.session.Handshake;
import dev.msgrelay.server.session.Inbox;
import dev.msgrelay.server.session.Outbox;
import dev.msgrelay.server.session.Services;
import dev.msgrelay.server.tls.TlsHandler;
import dev.msgrelay.server.tls.TlsRecords;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * A subscriber: a reader of the log and at most one write in flight. When the write is done, everything that has gathered
 * meanwhile is there to go out in the next one; what is to be said beside the stream goes out between two frames.
 *
 * <p>It decides what is sent when; the {@link Feed} knows what, the {@link SlowPolicy} what becomes of a slow one. Owned by
 * its loop's thread, which may change while nothing is in flight; {@link #position} and what reports ask may be read by any.
 */
public final class SubscriberConnection extends Connection implements WindowGate.Limit {
    /** Ranges of types that its row tells. */
    private static final int ROW_RANGES = 8;

    /** SUBSCRIBEs that wait to be answered; then no more is read until they are. One read may bring some more. */
    private static final int MAX_WAITING = 16;

    /** A read: control frames, and few of them; with TLS or without. */
    public static final int READ_BYTES = TlsHandler.CONTROL_READ;

    /**
     * What it may have in flight beside the stream: a read, where the transport takes memory for it before anything has
     * come, answers to what has come, a GAP between messages, and an ERROR.
     */
    public static final int SAID_BYTES = READ_BYTES
            + Outbox.MOST_BYTES
            + (MAX_WAITING + READ_BYTES / SubscribeFrame.LEAST_FRAME) * Outbox.ANSWER_BYTES
            + GapFrame.FRAME_LENGTH
            + Closing.ERROR_BYTES;

    /** Once the gate knows where it stands the writer waits: the second try holds. The third is for a host that stood still. */
    private static final int MOST_TRIES = 3;

    /** What all subscribers of a relay share. */
    public record Shared(PacketLog log, DurableEnds durable, long logBytes, Policies policies, long stallNanos) {}

    /** The policies of a relay. */
    public static final class Policies {
        private final SlowPolicy disconnect = new SlowPolicy.Disconnect();
        private final SlowPolicy skip = new SlowPolicy.Skip();
        private final SlowPolicy backpressure;

        public Policies(WindowGate gate) {
            backpressure = new SlowPolicy.Backpressure(gate);
        }

        SlowPolicy of(Policy wire) {
            return switch (wire) {
                case DISCONNECT -> disconnect;
                case SKIP -> skip;
                case BACKPRESSURE -> backpressure;
                case RELAY_DEFAULT -> throw new IllegalArgumentException("no policy of a subscriber: " + wire);
            };
        }
    }

    private final Shared shared;
    private final Pool control;
    private final TypeChoice types;
    // None while it moves from one loop to another.
    private SendGroup group;
    private volatile SlowPolicy policy;
    private boolean joined;
    private SegmentSize segment;
    private SocketWriter writer;
    private volatile LogReader reader;
    private Feed feed;
    // Of one that says something: null for the plain ones.
    private Inbox inbox;
    private long framesRead;
    private long bytesRead;
    private HelloFrame hello;
    // Of those that HELLO wants the ones that it may have.
    private TypeRanges firstTypes;
    private boolean sequences;
    // Of one that gets durable messages only: where its stream ends; otherwise null.
    private StreamHead durable;
    private Mark durableEnd;

    private long messagesBefore;
    private long bytesBefore;
    private volatile long messages;
    private volatile long bytes;
    private long skipped;

    // With a limit of its rate: bytes that have not been told yet; whether it was paused since it was at the head last.
    private long untold;
    private boolean paused;
    // Whether it takes fewer types where it may not have every one: plain ones do.
    private boolean narrows = true;

    private long progressMark;
    private long progressNanos;
    // What is to be said before the end; text null: nothing.
    private CloseReason lastReason;
    private String lastText;

    public SubscriberConnection(Services services, Shared shared, SendGroup group) {
        super(services, Role.SUBSCRIBER);
        this.shared = shared;
        this.group = group;
        this.policy = shared.policies.of(services.clients().slowSubscriber());
        this.control = services.budget().pool(Part.CONTROL);
        this.types = new TypeChoice(control, services.limits().controlBytesPerConnection());
    }

    @Override
    protected void opened() {
        segment = TlsHandler.of(channel()) == null
                ? SegmentSize.of(channel())
                : SegmentSize.of(channel(), TlsRecords::plainOfSegment);
        writer = new SocketWriter(channel());
        if (standing().refusal() == null && !startPlain()) {
            return;
        }
        group.add(this);
    }

    /** Streams what it may have, from now on; answers whether it still is there. */
    private boolean startPlain() {
        begin();
        try {
            types.want(standing().grant(TypeRanges.ALL, narrows));
            types.choose();
            feedChosen();
            return true;
        } catch (FrameException e) {
            close(e.reason(), e.getMessage());
            return false;
        }
    }

    /** It may be sent to from here on. */
    private void begin() {
        reader = new LogReader(shared.log);
        feed = new WholeFeed(reader, writer, segment);
        join();
    }

    @Override
    protected void late() {
        close(CloseReason.SHUTDOWN, CloseReason.SHUTDOWN.text());
    }

    // ---- sending ----------------------------------------------------------------------------------------------

    /**
     * Sends what comes next.
     *
     * @param head where the stream ends, as the caller knows; may be moved on
     * @param stride see {@link Feed#next}
     * @return whether something was sent and the socket has taken it, so that it is worth asking again
     */
    boolean send(Mark head, int stride, int least, boolean everything) {
        if (feed == null) {
            // It has not said yet who it is.
            return false;
        }
        Mark end = end(head);
        boolean lags = end.position() - reader.position() > standing().maxLag();
        if (writer.busy()) {
            if (policy.cutsOff() && state() != State.CLOSING && (lags || reader.overtaken())) {
                tooSlow();
            }
            return false;
        }
        if (state() == State.CLOSING) {
            return lastText != null && sayFarewell();
        }
        if (state() == State.GREETED || (outbox() != null && outbox().due())) {
            return moved(reader.atBoundary() ? say(head) : feed.finish());
        }
        if (durable != null && reader.position() >= end.position()) {
            // Also behind the end: it asked for what is in the stream, and is not durable yet.
            return false;
        }
        if (lags) {
            return overtaken(end);
        }
        if (standing().hasRate() && pause(end)) {
            return false;
        }
        return switch (feed.next(end, stride, least, everything)) {
            case WAIT -> moved(false);
            case DONE -> moved(true);
            case OVERTAKEN -> overtaken(end);
        };
    }

    /** Where its stream ends. */
    private Mark end(Mark head) {
        if (durable == null) {
            return head;
        }
        durable.read(durableEnd);
        return durableEnd;
    }

    /** Has it pause where its identity has had more than its share; answers whether. The loop's next tick looks again. */
    private boolean pause(Mark head) {
        if (reader.position() == head.position()) {
            paused = false;
            return false;
        }
        long now = services().clock().nanoTime();
        if (!standing().isPaused(now)) {
            // Also without any: others of its identity may have moved some.
            standing().moved(untold, now);
            untold = 0;
        }
        boolean pauses = standing().isPaused(now);
        paused |= pauses;
        return pauses;
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (writer.finished()) {
            feed.written();
            moved(true);
        }
    }

    /** The socket has taken something, or has not: what is counted is told, and so is whoever waits for it. */
    private boolean moved(boolean done) {
        if (done) {
            count();
            policy.moved(reader.position());
        }
        return done;
    }

    private void count() {
        long nowMessages = messagesBefore + feed.messages();
        long nowBytes = bytesBefore + feed.bytes();
        services().counters().add(Counter.MESSAGES_OUT, nowMessages - messages);
        services().counters().add(Counter.BYTES_OUT, nowBytes - bytes);
        untold = standing().hasRate() ? untold + nowBytes - bytes : 0;
        messages = nowMessages;
        bytes = nowBytes;
    }

    /** The log has moved on: the policy speaks. */
    private boolean overtaken(Mark head) {
        if (policy.cutsOff()) {
            tooSlow();
            return false;
        }
        if (!reader.atBoundary()) {
            // The last write ended within a frame. Its rest is still held, and goes first.
            return moved(feed.finish());
        }
        long lost = reader.boundary().sequence();
        long keep = Math.max(shared.log.tail(), head.position() - SendGroup.WRITE_BYTES);
        reader.skipTo(keep, head);
        feed.jumped();
        missed(lost, reader.boundary().sequence() - 1);
        return true;
    }

    private void missed(long from, long to) {
        if (skipped == 0) {
            services()
                    .closes()
                    .warn(
                            CloseReason.SLOW_SUBSCRIBER,
                            services().clock().nanoTime(),
                            who() + " is too slow: it skips messages " + from + " to " + to
                                    + " (logged once, counted always)");
        }
        skipped += to - from + 1;
        services().counters().add(Counter.MESSAGES_SKIPPED, to - from + 1);
        if (state() == State.OPEN) {
            outbox().gap(from, to, GapReason.SLOW);
        }
    }

    private void tooSlow() {
        Refusal why = standing().tooFarBehind(shared.logBytes, paused);
        close(why.reason(), why.text());
    }

    // ---- what is said beside the stream -------------------------------------------------------------------------

    /** Says what is due. The stream stands between two frames, and may go on elsewhere afterwards. */
    private boolean say(Mark head) {
        if (state() == State.GREETED) {
            try {
                letIn(head);
            } catch (FrameException e) {
                close(e.reason(), e.getMessage());
                return false;
            }
        }
        if (outbox().answers() > 0) {
            types.choose();
            feedChosen();
        }
        ByteBuffer out = ByteBuffer.allocate(outbox().mostBytes());
        long next = reader.boundary().sequence();
        if (outbox().putDue(out, next, end(head).sequence() - 1)) {
            feed.told(next);
        }
        readMore(true);
        return write(out.flip());
    }

    private boolean write(ByteBuffer said) {
        writer.begin();
        writer.add(Unpooled.wrappedBuffer(said));
        return writer.end();
    }

    @Override
    protected int saidBytes() {
        return SAID_BYTES;
    }

    @Override
    protected boolean holdsUpOthers() {
        return false;
    }

    @Override
    protected void speak() {
        // In the same cycle of the loop it is looked at.
    }

    // ---- HELLO --------------------------------------------------------------------------------------------------

    @Override
    protected void greeted(HelloFrame said) throws FrameException {
        String refusal = said.start() == StartFrom.LIVE
                ? null
                : services()
                        .admission()
                        .refuseReplay(
                                channel().remoteAddress(), services().clock().nanoTime());
        if (refusal != null) {
            throw new FrameException(CloseReason.TOO_MANY_FROM_ADDRESS, refusal);
        }
        if (feed == null) {
            begin();
        }
        narrows = said.wants(Features.NARROWED);
        firstTypes = standing().grant(said.types(), narrows);
        types.want(firstTypes);
        hello = said;
    }

    /** Places it in the stream, and welcomes it. */
    private void letIn(Mark head) throws FrameException {
        HelloFrame said = hello;
        hello = null;
        // Anew: while this thread had no core the writer may have gone round the whole log. So again before each start.
        shared.log.head().read(head);
        boolean resumes = said.start() == StartFrom.SEQUENCE;
        long fork = Handshake.forkOf(services().durability(), said);
        long first = resumes && fork != Durability.UNKNOWN ? Math.min(said.number(), fork) : 1;
        boolean keeps = fork != Durability.UNKNOWN && (!resumes || first == said.number());
        if (first > head.sequence()) {
            throw new FrameException(
                    CloseReason.BAD_START,
                    "sequence " + first + " is beyond the next one of this stream, " + head.sequence());
        }
        // From here on: until now it was a plain one, and may have skipped what it would be cut off for.
        change(shared.policies.of(services().clients().grant(said.policy())));
        if (level() == Level.WRITTEN || level() == Level.FORCED) {
            durableEnd = new Mark();
            durable = shared.durable.join(level());
        }
        if (resumes) {
            stand(first, head);
        } else if (said.start() == StartFrom.EARLIEST) {
            stand(LogReader.EARLIEST, head);
        } else {
            shared.log.head().read(head);
            reader.leaveFor(end(head));
        }
        feed.jumped();
        sequences = said.wants(Features.SEQUENCES);
        types.choose(firstTypes);
        feedChosen();
        long stands = reader.boundary().sequence();
        int narrowed = standing().types() == null ? 0 : Features.NARROWED;
        welcome(
                said,
                policy.wire(),
                Features.SEQUENCES | narrowed,
                resumes ? first : stands,
                0,
                keeps ? Durability.TODAY : fork);
        if (resumes && stands > first) {
            outbox().gap(first, stands - 1, GapReason.NOT_HELD);
        }
    }

    /** Goes back in the log. Its writer, on another thread, may have gone on before it learnt that it has to wait. */
    private void stand(long sequence, Mark head) {
        int tries = 0;
        do {
            shared.log.head().read(head);
            reader.seek(sequence, head);
            policy.movedBack();
        } while (reader.overtaken() && ++tries < MOST_TRIES);
    }

    private void change(SlowPolicy granted) {
        leavePolicy();
        policy = granted;
        join();
    }

    private void join() {
        joined = true;
        // Publishers may have waited for others for long.
        progressNanos = services().clock().nanoTime();
        policy.joined(this);
    }

    private void leavePolicy() {
        if (joined) {
            joined = false;
            policy.left(this);
        }
    }

    // ---- types --------------------------------------------------------------------------------------------------

    /** What is in force is sent from here on. */
    private void feedChosen() {
        TypeRanges chosen = types.inForce();
        if (chosen.isAll() != feed instanceof WholeFeed) {
            messagesBefore += feed.messages();
            bytesBefore += feed.bytes();
            feed.release();
            feed = chosen.isAll()
                    ? new WholeFeed(reader, writer, segment)
                    : new FilteredFeed(reader, writer, () -> group.buffers());
        }
        if (feed instanceof FilteredFeed filtered) {
            filtered.choose(chosen, sequences);
        }
    }

    // ---- what it sends, and time --------------------------------------------------------------------------------

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        ByteBuf in = (ByteBuf) msg;
        try {
            if (state().compareTo(State.CLOSING) < 0) {
                heard();
                if (inbox == null) {
                    // Also for who speaks TLS: whoever has said something is told why it ends.
                    inbox = new Inbox(control);
                    refuseTls(in);
                }
                bytesRead += in.readableBytes();
                inbox.take(in, this::onControl);
            }
        } catch (FrameException e) {
            close(e.reason(), e.getMessage());
        } finally {
            in.release();
        }
    }

    /** The first bytes of a TLS client, which has the wrong port. */
    private void refuseTls(ByteBuf in) throws FrameException {
        if (in.readableBytes() > 1
                && TlsRecords.mayBegin(in.getByte(in.readerIndex()), in.getByte(in.readerIndex() + 1))) {
            throw tlsOnPlainPort();
        }
    }

    private boolean onControl(int type, ByteBuffer body) throws FrameException {
        checkTurn(type);
        framesRead++;
        return control(type, body);
    }

    @Override
    protected long framesRead() {
        return framesRead;
    }

    @Override
    protected long bytesRead() {
        return bytesRead;
    }

    @Override
    protected void handle(int type, ByteBuffer body) throws FrameException {
        if (type != ControlFrames.SUBSCRIBE) {
            return;
        }
        SubscribeFrame said = SubscribeFrame.decode(body);
        types.want(standing().grant(said.types(), narrows));
        outbox().subscribed(said.request());
        readMore(outbox().answers() < MAX_WAITING);
    }

    @Override
    protected FrameException beforeHello(int type) {
        return Handshake.outOfOrder(type, "before HELLO");
    }

    private void readMore(boolean more) {
        if (channel().config().isAutoRead() != more) {
            channel().config().setAutoRead(more);
        }
    }

    @Override
    protected boolean unfinishedControl() {
        return inbox != null && inbox.unfinished();
    }

    @Override
    protected String unfinished() {
        return unfinishedControl() ? "part of a control frame" : "";
    }

    @Override
    protected boolean listening() {
        return true;
    }

    @Override
    protected void onTick(long nowNanos) {
        if (feed == null) {
            // It has not said who it is; a reload may have made that needless.
            if (standing().refusal() == null) {
                startPlain();
            }
            return;
        }
        long since = policy.holdsBackSince();
        if (outbox() == null && since == SlowPolicy.NEVER) {
            // Most of them, most of the time: there are many, and an idle relay does little else.
            progressNanos = nowNanos;
            return;
        }
        long mark = reader.position() + takenBefore() + writer.progress();
        boolean movedOn = mark != progressMark;
        progressMark = mark;
        boolean busy = writer.busy();
        if (movedOn && busy) {
            // What a socket with room takes proves nothing: the kernel takes it for a peer that is gone.
            heard();
        }
        if (since == SlowPolicy.NEVER || movedOn || !busy) {
            progressNanos = nowNanos;
        } else if (nowNanos - Math.max(progressNanos, since) > shared.stallNanos) {
            close(
                    CloseReason.STALLED_SUBSCRIBER,
                    "read nothing for " + TimeUnit.NANOSECONDS.toMillis(shared.stallNanos)
                            + " ms while publishers waited");
        }
    }

    // ---- from one loop to another ------------------------------------------------------------------------------

    /** Whether nothing is in flight just now, so that another loop may go on. */
    boolean canMove() {
        return state().compareTo(State.CLOSING) < 0 && !writer.busy();
    }

    /**
     * Another loop goes on with it; only while it {@link #canMove}. Until it has arrived it is in no group, so nothing is sent.
     * What this loop may still do meanwhile, read and close, it does before the other one begins.
     */
    void moveTo(SendGroup to) {
        group.remove(this);
        group = null;
        EngineLoop.move(channel(), to.loop(), there -> {
            if (there.isSuccess()) {
                walled(() -> arrived(to));
            } else {
                exceptionCaught(null, there.cause());
                gone();
            }
        });
    }

    private void arrived(SendGroup to) {
        if (state() != State.GONE && (state() != State.CLOSING || lastText != null)) {
            group = to;
            to.add(this);
        }
        // What was said on the way, if only why it ends: the socket is not watched for it any more.
        channel().flush();
    }

    // ---- the end ----------------------------------------------------------------------------------------------

    /**
     * Who has said anything is told why, between two frames, if it gets there within the stall timeout; a plain subscriber
     * gets nothing but frames, unless what it may do is taken back.
     */
    @Override
    protected void sayLast(State before, CloseReason reason, String text) {
        leavePolicy();
        if (feed == null) {
            // It has been sent nothing, so this stands between two frames.
            release();
            Closing.say(channel(), reason, text);
            return;
        }
        if (inbox == null && reason != CloseReason.REVOKED) {
            release();
            channel().close();
            return;
        }
        lastReason = reason;
        lastText = text;
        readMore(true);
        // A slow reader takes a while to get there; a socket that takes nothing cannot be told.
        long atMost = Math.max(shared.stallNanos, TimeUnit.MILLISECONDS.toNanos(Closing.LINGER_MILLIS));
        channel().eventLoop().schedule(() -> channel().close(), atMost, TimeUnit.NANOSECONDS);
        // At once where that is possible: the end of what it sends, which closes the channel, may be read next.
        while (lastText != null && !writer.busy() && reader.atBoundary()) {
            sayFarewell();
        }
    }

    private boolean sayFarewell() {
        if (!reader.atBoundary()) {
            return moved(feed.finish());
        }
        // The relay may close in the very moment in which it begins to drain: GOAWAY is said all the same.
        ByteBuffer goAway = outbox() == null ? null : outbox().takeGoAway();
        if (goAway != null) {
            return write(goAway);
        }
        String text = lastText;
        release();
        Closing.say(channel(), lastReason, text);
        return false;
    }

    @Override
    protected void release() {
        lastText = null;
        leavePolicy();
        if (durable != null) {
            durable = null;
            shared.durable.leave(level());
        }
        if (group != null) {
            group.remove(this);
        }
        if (feed != null) {
            feed.release();
            reader.release();
        }
        if (inbox != null) {
            inbox.release();
        }
        types.release();
    }

    // ---- reports: any thread ----------------------------------------------------------------------------------

    /** Where it stands: everything before has been handed to its socket. */
    @Override
    public long position() {
        LogReader now = reader;
        return now == null ? Long.MAX_VALUE : now.position();
    }

    /** See {@link LogReader#heldFrom}. */
    public long heldFrom() {
        LogReader now = reader;
        return now == null ? LogReader.NOTHING : now.heldFrom();
    }

    /** Messages handed to its socket so far: exact between two frames, otherwise some less. */
    @Override
    public long messages() {
        return messages;
    }

    /** Bytes handed to its socket so far. */
    public long bytes() {
        return bytes;
    }

    @Override
    protected ConnectionRow row(RowBase base, long headPosition) {
        long at = Math.min(position(), headPosition);
        TypeRanges chosen = types.inForce();
        Mark head = new Mark();
        shared.log.head().read(head);
        return new ConnectionRow(
                base.id(),
                base.name(),
                base.identity(),
                base.address(),
                false,
                base.state(),
                "",
                policy.wire(),
                chosen.isAll() ? "" : chosen.text(ROW_RANGES),
                at,
                Math.max(0, headPosition - at),
                shared.log.messagesFrom(at, head),
                messages,
                bytes,
                base.messagesPerSecond(),
                base.ageMillis());
    }
}
