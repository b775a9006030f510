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
import dev.msgrelay.server.fanout.SlowPolicy.Overtaken;
import dev.msgrelay.server.flow.WindowGate;
import dev.msgrelay.server.journal.Journal;
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

    /** One that was behind goes back to its loop when it has this part of the log left: enough room, should that be late. */
    private static final int NEAR = 4;

    /** Once the gate knows where it stands the writer waits: the second try holds. The third is for a host that stood still. */
    private static final int MOST_TRIES = 3;

    /**
     * What all subscribers of a relay share.
     *
     * @param replays from what lies behind the log; null: there is nothing, or nobody is sent that
     */
    public record Shared(
            PacketLog log,
            DurableEnds durable,
            long logBytes,
            SlowPolicies policies,
            long stallNanos,
            Replays replays) {}

    /**
     * What subscribers share that the log has overtaken.
     *
     * @param journal has what they read
     * @param pages where they read it to
     * @param group where they are sent from meanwhile: its loop may wait for the disk
     * @param home where they go when they are done
     */
    public record Replays(Journal journal, ReplayPages pages, SendGroup group, SendGroup home) {}

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
    // Until it has caught up; otherwise null.
    private volatile Replay replay;
    // Of one that says something: null for the plain ones.
    private Inbox inbox;
    private long framesRead;
    private long bytesRead;
    private HelloFrame hello;
    // Of those that HELLO wants the ones that it may have.
    private TypeRanges firstTypes;
    private boolean sequences;
    // Where it begins in the journal.
    private long wanted;
    private final Mark place = new Mark();
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
        boolean lags = replay == null
                && end.position() - reader.position() > standing().maxLag();
        if (writer.busy()) {
            // One that has said HELLO starts elsewhere, as soon as this write is done.
            boolean late = state() != State.GREETED && (lags || replay == null && reader.overtaken());
            if (late && policy.overtaken() == Overtaken.CUT_OFF && state() != State.CLOSING) {
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
        if (lags) {
            return overtaken(end);
        }
        if (standing().hasRate() && pause(end)) {
            return false;
        }
        if (replay != null && reader.atBoundary()) {
            return catchUp(end, stride, least, everything);
        }
        return send(end, stride, least, everything, reader.pageEnd());
    }

    private boolean send(Mark end, int stride, int least, boolean everything, Mark page) {
        if (reader.position() >= end.position()) {
            // Also behind the end: durable only, it asked for what is in the stream, and is not durable yet.
            return false;
        }
        Mark upTo = page != null && page.position() < end.position() ? page : end;
        return switch (feed.next(upTo, stride, least, everything || page != null)) {
            case WAIT -> moved(false);
            case DONE -> moved(true);
            case OVERTAKEN -> overtaken(end);
        };
    }

    /** Sends on, between two frames, to one that has not caught up yet: from the journal, or from the log where that has its place. */
    private boolean catchUp(Mark end, int stride, int least, boolean everything) {
        long behind = end.position() - reader.position();
        if (!atJournal()) {
            if (reader.overtaken()) {
                return overtaken(end);
            }
            if (behind <= SendGroup.WRITE_BYTES) {
                endReplay();
            }
            return send(end, stride, least, everything, null);
        }
        Replay.Source source = replay.next();
        if (source == Replay.Source.WAIT) {
            return false;
        }
        if (source == Replay.Source.GAP) {
            return missed(replay.gapFrom(), replay.gapTo(), replay.gapReason());
        }
        if (source == Replay.Source.LOG) {
            if (!joined && !joinAgain()) {
                return true;
            }
            if (behind <= Math.min(shared.logBytes, standing().maxLag()) / NEAR) {
                moveTo(shared.replays.home());
                return false;
            }
        }
        return send(end, stride, least, everything, reader.pageEnd());
    }

    /** The log has its place again: from here on its policy may hold the log back. Answers whether it still has. */
    private boolean joinAgain() {
        join();
        policy.movedBack();
        if (reader.overtaken()) {
            leavePolicy();
            return false;
        }
        return true;
    }

    /** It goes on in the journal, on the loop that reads there, until it has caught up. */
    private boolean toJournal() {
        leavePolicy();
        if (replay == null && !beginReplay()) {
            return false;
        }
        if (!atJournal()) {
            moveTo(shared.replays.group());
            return false;
        }
        return true;
    }

    /** Whether it is on the loop that may wait for the disk. */
    private boolean atJournal() {
        return shared.replays != null && group == shared.replays.group();
    }

    /** Answers whether its identity may have one more; otherwise this is its end. */
    private boolean beginReplay() {
        Refusal refusal = standing().beginReplay();
        if (refusal != null) {
            close(refusal.reason(), refusal.text());
            return false;
        }
        services().counters().increment(Counter.JOURNAL_REPLAYS_BEGUN);
        replay = new Replay(
                shared.log,
                reader,
                shared.replays.pages(),
                shared.replays.journal().newFeed(shared.replays.pages().records()),
                services().clock().nanoTime());
        return true;
    }

    private void endReplay() {
        if (replay != null) {
            replay.end();
            replay = null;
            standing().endReplay();
        }
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
        if (replay != null) {
            services().counters().add(Counter.JOURNAL_REPLAY_BYTES, nowBytes - bytes);
        }
        untold = standing().hasRate() ? untold + nowBytes - bytes : 0;
        messages = nowMessages;
        bytes = nowBytes;
    }

    /** The log has moved on: the policy speaks, unless it has not caught up yet. */
    private boolean overtaken(Mark head) {
        Overtaken then = replay == null ? policy.overtaken() : Overtaken.REPLAYS;
        if (then == Overtaken.CUT_OFF) {
            tooSlow();
            return false;
        }
        if (!reader.atBoundary()) {
            // The last write ended within a frame. Its rest is still held, and goes first.
            return moved(feed.finish());
        }
        if (then == Overtaken.REPLAYS) {
            return toJournal();
        }
        long lost = reader.boundary().sequence();
        long keep = Math.max(shared.log.tail(), head.position() - SendGroup.WRITE_BYTES);
        reader.skipTo(keep, head);
        return missed(lost, reader.boundary().sequence() - 1, GapReason.SLOW);
    }

    /** Its reader stands behind messages that it does not get. */
    private boolean missed(long from, long to, GapReason why) {
        feed.jumped();
        boolean slow = why == GapReason.SLOW;
        if (skipped == 0) {
            services()
                    .closes()
                    .warn(
                            CloseReason.SLOW_SUBSCRIBER,
                            services().clock().nanoTime(),
                            who() + (slow ? " is too slow: it skips messages " : " misses messages ") + from + " to "
                                    + to + (slow ? "" : ", " + why.text()) + " (logged once, counted always)");
        }
        skipped += to - from + 1;
        services().counters().add(slow ? Counter.MESSAGES_SKIPPED : Counter.JOURNAL_REPLAY_MISSED, to - from + 1);
        if (state() == State.OPEN) {
            outbox().gap(from, to, why);
        } else if (!slow) {
            // A plain one cannot be told, and was to get them all.
            close(CloseReason.SLOW_SUBSCRIBER, "messages " + from + " to " + to + " are " + why.text());
            return false;
        }
        return true;
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
                if (!letIn(head)) {
                    return false;
                }
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

    /** Places it in the stream, and welcomes it; answers whether it could do so at once. */
    private boolean letIn(Mark head) throws FrameException {
        HelloFrame said = hello;
        // Anew: while this thread had no core the writer may have gone round the whole log. So again before each start.
        shared.log.head().read(head);
        Start start = Start.of(said, services().durability(), head, shared.replays != null);
        // From here on: until now it was a plain one, and may have skipped what it would be cut off for.
        leavePolicy();
        policy = shared.policies.of(services().clients().grant(said.policy(), shared.replays != null));
        if (durable == null && (level() == Level.WRITTEN || level() == Level.FORCED)) {
            durableEnd = new Mark();
            durable = shared.durable.join(level());
        }
        if (!stand(start, head)) {
            return false;
        }
        hello = null;
        feed.jumped();
        sequences = said.wants(Features.SEQUENCES);
        types.choose(firstTypes);
        feedChosen();
        long stands = reader.boundary().sequence();
        int narrowed = standing().types() == null ? 0 : Features.NARROWED;
        welcome(
                said,
                // Who does not ask for it may not know it.
                policy.wire() == Policy.REPLAY && said.policy() != Policy.REPLAY ? Policy.RELAY_DEFAULT : policy.wire(),
                Features.SEQUENCES | narrowed,
                start.resumes() ? start.first() : stands,
                0,
                start.fork());
        if (start.resumes() && stands > start.first()) {
            outbox().gap(start.first(), stands - 1, replay == null ? GapReason.NOT_HELD : replay.gapReason());
        }
        if (replay != null) {
            // How far it has to go, it learns from the first PING.
            ping(services().clock().nanoTime());
        }
        return true;
    }

    /**
     * Goes to where its stream starts.
     *
     * @return false: not yet; it goes to the loop that reads the journal, or waits there for memory
     */
    private boolean stand(Start start, Mark head) {
        if (start.from() == StartFrom.LIVE) {
            join();
            shared.log.head().read(head);
            reader.leaveFor(end(head));
            return true;
        }
        if (shared.replays == null || !atJournal() && isInLog(start)) {
            join();
            standInLog(start.resumes() ? start.first() : LogReader.EARLIEST, head);
            if (shared.replays == null || !start.resumes() || reader.boundary().sequence() == start.first()) {
                return true;
            }
            // The log has dropped it meanwhile.
        }
        leavePolicy();
        if (!atJournal()) {
            moveTo(shared.replays.group());
            return false;
        }
        if (replay == null) {
            if (!beginReplay()) {
                return false;
            }
            wanted = switch (start.from()) {
                case TIME -> replay.at(start.millis());
                case EARLIEST -> replay.earliest();
                default -> start.first();
            };
        }
        return replay.begin(wanted, head);
    }

    private boolean isInLog(Start start) {
        return switch (start.from()) {
            case SEQUENCE -> shared.log.packetOf(start.first(), place) && place.position() >= shared.log.tail();
            case EARLIEST -> !shared.replays.journal().hasBefore(shared.log.tail());
            default -> false;
        };
    }

    /** Goes back in the log. Its writer, on another thread, may have gone on before it learnt that it has to wait. */
    private void standInLog(long sequence, Mark head) {
        int tries = 0;
        do {
            shared.log.head().read(head);
            reader.seek(sequence, head);
            policy.movedBack();
        } while (reader.overtaken() && ++tries < MOST_TRIES);
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
        // Before WELCOME, which may have to wait for memory, it is asked nothing.
        return state() != State.GREETED;
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
        long since = holdsBackSince();
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
                    "read nothing for " + TimeUnit.NANOSECONDS.toMillis(shared.stallNanos) + " ms while "
                            + (replay == null ? "publishers" : "others who get the stream from the journal")
                            + " waited");
        }
    }

    /** Since when somebody waits because of those who read slowly as it may; {@link SlowPolicy#NEVER}: nobody does. */
    private long holdsBackSince() {
        if (joined) {
            return policy.holdsBackSince();
        }
        return replay != null && replay.holdsPage() ? shared.replays.pages().waitingSince() : SlowPolicy.NEVER;
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
            endReplay();
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

    /** Whether it is sent what lies behind the log: then it may be any time before it has caught up. */
    public boolean replays() {
        return replay != null;
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
        Replay now = replay;
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
                now == null ? shared.log.messagesFrom(at, head) : Math.max(0, head.sequence() - now.sequence()),
                now == null ? ConnectionRow.LIVE : now.percent(at, headPosition),
                now == null
                        ? 0
                        : now.leftMillis(at, headPosition, services().clock().nanoTime()),
                messages,
                bytes,
                base.messagesPerSecond(),
                base.ageMillis());
    }
}
