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
import dev.msgrelay.server.fanout.Delivery.Next;
import dev.msgrelay.server.flow.WindowGate;
import dev.msgrelay.server.journal.Journal;
import dev.msgrelay.server.log.LogReader;
import dev.msgrelay.server.log.Mark;
import dev.msgrelay.server.log.PacketLog;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.memory.MemoryBudget.Pool;
import dev.msgrelay.server.ops.ConnectionRow;
import dev.msgrelay.server.ops.Counter;
import dev.msgrelay.server.session.Closing;
import dev.msgrelay.server.session.Durability;
import dev.msgrelay.server.session.Handshake;
import dev.msgrelay.server.session.Inbox;
import dev.msgrelay.server.session.Outbox;
import dev.msgrelay.server.session.Progress;
import dev.msgrelay.server.session.Services;
import dev.msgrelay.server.session.Session;
import dev.msgrelay.server.session.SessionRole;
import dev.msgrelay.server.session.SessionState;
import dev.msgrelay.server.tls.TlsHandler;
import dev.msgrelay.server.tls.TlsRecords;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A subscriber: a reader of the log and at most one write in flight. When the write is done, everything that has gathered
 * meanwhile is there to go out in the next one; what is to be said beside the stream goes out between two frames.
 *
 * <p>It decides what is sent when; its {@link Delivery} knows what, its {@link Allowance} how slow it may be, its {@link Replay}
 * what comes from the journal. Owned by its loop's thread, which may change while nothing is in flight; {@link #position} and
 * what reports ask may be read by any.
 */
public final class SubscriberConnection extends ChannelInboundHandlerAdapter implements SessionRole, WindowGate.Limit {
    /** Ranges of types that its row tells. */
    private static final int ROW_RANGES = 8;

    /** SUBSCRIBEs that wait to be answered; then no more is read until they are. One read may bring some more. */
    private static final int MAX_WAITING = 16;

    /** A read: control frames, and few of them; with TLS or without. */
    public static final int READ_BYTES = TlsHandler.CONTROL_READ;

    /**
     * What it may have in flight beside the stream: a read, answers to what has come, a GAP between messages, and an ERROR.
     */
    public static final int SAID_BYTES = READ_BYTES
            + Outbox.MOST_BYTES
            + (MAX_WAITING + READ_BYTES / SubscribeFrame.LEAST_FRAME) * Outbox.ANSWER_BYTES
            + GapFrame.FRAME_LENGTH
            + Closing.ERROR_BYTES;

    /**
     * What all subscribers of a relay share.
     *
     * @param replays from what lies behind the log; null: there is nothing, or nobody is sent that
     * @param elsewhere whether other relays have the same stream: one may have had more of it there than is here yet
     */
    public record Shared(
            PacketLog log,
            DurableEnds durable,
            long logBytes,
            SlowPolicies policies,
            long stallNanos,
            Replays replays,
            boolean elsewhere) {}

    /**
     * What subscribers share that the log has overtaken.
     *
     * @param journal has what they read
     * @param pages where they read it to
     * @param group where they are sent from meanwhile: its loop may wait for the disk
     * @param home gives a seat to one that has caught up: see {@link Placement}
     */
    public record Replays(Journal journal, ReplayPages pages, SendGroup group, Supplier<SendGroup> home) {}

    private final Services services;
    private final Session session;
    private final Shared shared;
    private final Inbox inbox;
    private final TypeChoice types;
    private final Allowance allowance;
    // None while it moves from one loop to another.
    private SendGroup group;
    // The group that it is in, or on its way to; null once its channel is closed.
    private SendGroup seat;
    // Null until it may be sent to.
    private volatile Delivery delivery;
    // Of one that waits to be welcomed, with those of the types that it wants which it may have.
    private HelloFrame hello;
    private long helloNanos;
    private TypeRanges firstTypes;
    private boolean sequences;
    // Whether it takes fewer types where it may not have every one: plain ones do.
    private boolean narrows = true;
    // Whether it has said anything: plain ones have not.
    private boolean speaks;
    private boolean missed;
    private boolean durableOnly;
    // What is to be said before the end, and for so long; null: nothing.
    private Refusal farewell;
    private Future<?> patience;

    /** @param group in which a seat is taken for it: {@link #leaveSeat} gives it back */
    public SubscriberConnection(Services services, Shared shared, SendGroup group) {
        this.services = services;
        this.session = new Session(services, Role.SUBSCRIBER, this, SAID_BYTES);
        this.shared = shared;
        this.group = group;
        this.seat = group;
        Pool control = services.budget().pool(Part.CONTROL);
        this.inbox = new Inbox(control);
        this.types = new TypeChoice(control, services.limits().controlBytesPerConnection());
        SlowPolicy policy = shared.policies.of(services.clients().slowSubscriber());
        this.allowance =
                new Allowance(session.standing(), this, policy, shared.logBytes, shared.stallNanos, services.clock());
    }

    @Override
    public void opened() {
        if (session.standing().refusal() == null && !startPlain()) {
            return;
        }
        group.add(this);
    }

    /** Streams what it may have, from now on; answers whether it still is there. */
    private boolean startPlain() {
        begin();
        try {
            types.want(session.standing().grant(TypeRanges.ALL, narrows));
            chooseTypes();
            return true;
        } catch (FrameException e) {
            session.close(e.reason(), e.getMessage());
            return false;
        }
    }

    /** It may be sent to from here on. */
    private void begin() {
        delivery =
                new Delivery(shared, services, session.standing(), allowance, session.channel(), () -> group.buffers());
        allowance.join();
    }

    /** Its life. */
    public Session session() {
        return session;
    }

    private Outbox outbox() {
        return session.dialogue().outbox();
    }

    private Level level() {
        return session.dialogue().level();
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
        Delivery way = delivery;
        if (way == null) {
            // It has not said yet who it is.
            return false;
        }
        Mark end = way.end(head);
        if (way.busy()) {
            // One that has said HELLO starts elsewhere, as soon as this write is done.
            if (session.state() != SessionState.GREETED
                    && session.state() != SessionState.CLOSING
                    && way.tooLate(end)) {
                close(allowance.tooSlow());
            }
            return false;
        }
        if (session.state() == SessionState.CLOSING) {
            return farewell != null && sayFarewell();
        }
        if (session.state() == SessionState.GREETED || (outbox() != null && outbox().due())) {
            return way.reader().atBoundary() ? say(head) : way.finish() == Next.AGAIN;
        }
        return switch (way.next(end, stride, least, everything)) {
            case WAIT -> false;
            case AGAIN -> true;
            case GAP -> tell(way.gap());
            case TOO_SLOW -> close(allowance.tooSlow());
            case JOURNAL -> toJournal();
            case HOME -> moveTo(shared.replays.home().get());
        };
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (delivery != null) {
            delivery.look();
        }
    }

    /** It stands behind messages that it does not get. Answers whether it goes on. */
    private boolean tell(Replay.Gap gap) {
        boolean slow = gap.reason() == GapReason.SLOW;
        String what = "messages " + gap.from() + " to " + gap.to();
        if (!missed) {
            missed = true;
            String text = slow
                    ? " is too slow: it skips " + what
                    : " misses " + what + ", " + gap.reason().text();
            services.closes()
                    .warn(
                            CloseReason.SLOW_SUBSCRIBER,
                            services.clock().nanoTime(),
                            session.who() + text + " (logged once, counted always)");
        }
        Counter counter = slow ? Counter.MESSAGES_SKIPPED : Counter.JOURNAL_REPLAY_MISSED;
        services.counters().add(counter, gap.to() - gap.from() + 1);
        if (session.state() == SessionState.OPEN) {
            outbox().gap(gap.from(), gap.to(), gap.reason());
        } else if (!slow) {
            // A plain one cannot be told, and was to get them all.
            session.close(
                    CloseReason.SLOW_SUBSCRIBER, what + " are " + gap.reason().text());
        }
        return session.state() != SessionState.CLOSING;
    }

    private boolean close(Refusal why) {
        session.close(why.reason(), why.text());
        return false;
    }

    // ---- what is said beside the stream -------------------------------------------------------------------------

    /** Says what is due. The stream stands between two frames, and may go on elsewhere afterwards. */
    private boolean say(Mark head) {
        if (session.state() == SessionState.GREETED) {
            boolean early = hasReadAhead(head);
            if (early) {
                awaitStart(head);
            }
            if (early || !letIn(head)) {
                return false;
            }
        }
        if (outbox().answers() > 0) {
            chooseTypes();
        }
        ByteBuffer said = ByteBuffer.allocate(outbox().mostBytes());
        long next = delivery.reader().boundary().sequence();
        boolean tellsNext = outbox().putDue(said, next, delivery.end(head).sequence() - 1);
        readMore(true);
        return delivery.say(said.flip(), tellsNext) == Next.AGAIN;
    }

    /** What is wanted is sent from here on. */
    private void chooseTypes() {
        types.choose();
        delivery.choose(types.inForce(), sequences);
    }

    // ---- HELLO --------------------------------------------------------------------------------------------------

    @Override
    public void greeted(HelloFrame said) throws FrameException {
        if (said.start() != StartFrom.LIVE) {
            long now = services.clock().nanoTime();
            String refusal = services.admission().refuseReplay(session.channel().remoteAddress(), now);
            if (refusal != null) {
                throw new FrameException(CloseReason.TOO_MANY_FROM_ADDRESS, refusal);
            }
        }
        if (delivery == null) {
            begin();
        }
        narrows = said.wants(Features.NARROWED);
        firstTypes = session.standing().grant(said.types(), narrows);
        types.want(firstTypes);
        hello = said;
        helloNanos = services.clock().nanoTime();
    }

    /** Whether it has had more of the stream at another relay than is here yet. */
    private boolean hasReadAhead(Mark head) {
        return shared.elsewhere
                && hello.start() == StartFrom.SEQUENCE
                && hello.number() > head.sequence()
                && Handshake.forkOf(services.durability(), hello) == Durability.TODAY;
    }

    /** What it has had comes here as well, and it is welcome then; but nobody waits for ever. */
    private void awaitStart(Mark head) {
        Duration most = services.clients().handshakeTimeout();
        if (services.clock().nanoTime() - helloNanos > most.toNanos()) {
            session.close(
                    CloseReason.HANDSHAKE_TIMEOUT,
                    "sequence " + hello.number() + " has not come to this relay within " + most.toMillis()
                            + " ms: the next one here is " + head.sequence());
        }
    }

    /** Places it in the stream, and welcomes it; answers whether it could do so at once. */
    private boolean letIn(Mark head) {
        HelloFrame said = hello;
        boolean replayed = shared.replays != null;
        // Anew: while this thread had no core the writer may have gone round the whole log. So again before each start.
        shared.log.head().read(head);
        Start start;
        try {
            start = Start.of(said, services.durability(), head, replayed);
        } catch (FrameException e) {
            session.close(e.reason(), e.getMessage());
            return false;
        }
        // From here on: until now it was a plain one, and may have skipped what it would be cut off for.
        Policy granted = services.clients().grant(said.policy(), replayed);
        allowance.change(shared.policies.of(granted));
        if (!durableOnly && (level() == Level.WRITTEN || level() == Level.FORCED)) {
            durableOnly = true;
            delivery.durableOnly(shared.durable.join(level()));
        }
        Next stands = delivery.stand(start, head);
        if (stands == Next.JOURNAL) {
            toJournal();
        }
        if (stands != Next.AGAIN && stands != Next.GAP) {
            return false;
        }
        hello = null;
        sequences = said.wants(Features.SEQUENCES);
        types.choose(firstTypes);
        delivery.choose(firstTypes, sequences);
        // Who does not ask for it may not know it.
        boolean unknown = granted == Policy.REPLAY && said.policy() != Policy.REPLAY;
        int features = session.standing().types() == null ? Features.SEQUENCES : Features.SEQUENCES | Features.NARROWED;
        session.welcome(said, unknown ? Policy.RELAY_DEFAULT : granted, features, delivery.first(), 0, start.fork());
        if (stands == Next.GAP) {
            Replay.Gap gap = delivery.gap();
            if (gap.reason() == GapReason.NOT_HELD) {
                // It asks for what is gone: nothing has happened to it here.
                outbox().gap(gap.from(), gap.to(), gap.reason());
            } else {
                tell(gap);
            }
        }
        if (delivery.replay() != null) {
            // How far it has to go, it learns from the first PING.
            session.dialogue().ping(services.clock().nanoTime());
        }
        return true;
    }

    // ---- what it sends, and time --------------------------------------------------------------------------------

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        ByteBuf in = (ByteBuf) msg;
        try {
            if (!session.state().ended()) {
                session.dialogue().heard();
                if (!speaks) {
                    // Also who speaks TLS: whoever has said something is told why it ends.
                    speaks = true;
                    refuseTls(in);
                }
                inbox.take(in, this::onControl);
            }
        } catch (FrameException e) {
            session.close(e.reason(), e.getMessage());
        } finally {
            in.release();
        }
    }

    /** The first bytes of a TLS client, which has the wrong port. */
    private void refuseTls(ByteBuf in) throws FrameException {
        int at = in.readerIndex();
        if (in.readableBytes() > 1 && TlsRecords.mayBegin(in.getByte(at), in.getByte(at + 1))) {
            throw session.tlsOnPlainPort();
        }
    }

    private boolean onControl(int type, ByteBuffer body) throws FrameException {
        session.dialogue().checkTurn(type, session.state());
        return session.control(type, body);
    }

    @Override
    public void control(int type, ByteBuffer body) throws FrameException {
        if (type != ControlFrames.SUBSCRIBE) {
            return;
        }
        SubscribeFrame said = SubscribeFrame.decode(body);
        types.want(session.standing().grant(said.types(), narrows));
        outbox().subscribed(said.request());
        readMore(outbox().answers() < MAX_WAITING);
    }

    private void readMore(boolean more) {
        if (session.channel().config().isAutoRead() != more) {
            session.channel().config().setAutoRead(more);
        }
    }

    @Override
    public Progress progress() {
        boolean begun = inbox.unfinished();
        String unfinished = begun ? "part of a control frame" : "";
        // Before WELCOME, which may have to wait for memory, the client is asked nothing.
        boolean listening = session.state() != SessionState.GREETED;
        return new Progress(inbox.frames(), inbox.bytes(), unfinished, begun, listening, false);
    }

    @Override
    public void tick(long nowNanos) {
        if (delivery == null) {
            // It has not said who it is; a reload may have made that needless.
            if (session.standing().refusal() == null) {
                startPlain();
            }
            return;
        }
        // There are many that say nothing, and an idle relay does little else than this. What a socket with room takes
        // proves nothing: the kernel takes it for a peer that is gone.
        if ((outbox() != null || delivery.isWaitedFor()) && delivery.movesOn(session.takenBefore(), nowNanos)) {
            session.dialogue().heard();
        }
        if (delivery.stalls(nowNanos)) {
            String who = replays() ? "others who get the stream from the journal" : "publishers";
            long millis = TimeUnit.NANOSECONDS.toMillis(shared.stallNanos);
            session.close(
                    CloseReason.STALLED_SUBSCRIBER, "read nothing for " + millis + " ms while " + who + " waited");
        }
    }

    // ---- from one loop to another ------------------------------------------------------------------------------

    /**
     * Another loop goes on with it; only while no write is in flight. Until it has arrived it is in no group, so nothing is sent:
     * the answer is no. What this loop may still do meanwhile, read and close, it does before the other one begins.
     *
     * @param to where a seat is taken for it
     */
    private boolean moveTo(SendGroup to) {
        if (seat == null) {
            // Its channel is closed already, as it is told next.
            to.leaveSeat();
            return false;
        }
        group.remove(this);
        group = null;
        seat.leaveSeat();
        seat = to;
        session.moveTo(to.loop(), () -> arrived(to));
        return false;
    }

    private void arrived(SendGroup to) {
        if (session.state() != SessionState.GONE && (session.state() != SessionState.CLOSING || farewell != null)) {
            group = to;
            to.add(this);
        }
        // What was said on the way, if only why it ends: the socket is not watched for it any more.
        session.channel().flush();
    }

    /** Its channel is closed: its seat is free. */
    public void leaveSeat() {
        seat.leaveSeat();
        seat = null;
    }

    /** It goes on in the journal, on the loop that may wait for the disk. Answers whether it is there. */
    private boolean toJournal() {
        Refusal refusal = delivery.toJournal();
        if (refusal != null) {
            return close(refusal);
        }
        SendGroup replays = shared.replays.group();
        return group == replays || moveTo(replays.takeSeat());
    }

    // ---- the end ----------------------------------------------------------------------------------------------

    /**
     * Who has said anything is told why, between two frames, if it gets there within the stall timeout; a plain subscriber
     * gets nothing but frames, unless what it may do is taken back.
     */
    @Override
    public void lastWords(SessionState before, CloseReason reason, String text) {
        allowance.leave();
        if (delivery == null) {
            // It has been sent nothing, so this stands between two frames.
            release();
            Closing.say(session.channel(), reason, text);
            return;
        }
        if (!speaks && reason != CloseReason.REVOKED) {
            release();
            session.channel().close();
            return;
        }
        farewell = new Refusal(reason, text);
        readMore(true);
        // A slow reader takes a while to get there; a socket that takes nothing cannot be told.
        long atMost = Math.max(shared.stallNanos, TimeUnit.MILLISECONDS.toNanos(Closing.LINGER_MILLIS));
        patience =
                session.channel().eventLoop().schedule(() -> session.channel().close(), atMost, TimeUnit.NANOSECONDS);
        // At once where that is possible: the end of what it sends, which closes the channel, may be read next.
        while (farewell != null && !delivery.busy() && delivery.reader().atBoundary()) {
            sayFarewell();
        }
    }

    private boolean sayFarewell() {
        if (!delivery.reader().atBoundary()) {
            return delivery.finish() == Next.AGAIN;
        }
        // The relay may close in the very moment in which it begins to drain: GOAWAY is said all the same.
        ByteBuffer goAway = outbox() == null ? null : outbox().takeGoAway();
        if (goAway != null) {
            return delivery.say(goAway, false) == Next.AGAIN;
        }
        Refusal why = farewell;
        release();
        Closing.say(session.channel(), why.reason(), why.text());
        return false;
    }

    @Override
    public void release() {
        farewell = null;
        if (patience != null) {
            patience.cancel(false);
        }
        allowance.leave();
        if (group != null) {
            group.remove(this);
        }
        if (durableOnly) {
            durableOnly = false;
            shared.durable.leave(level());
        }
        if (delivery != null) {
            delivery.release();
        }
        inbox.release();
        types.release();
    }

    // ---- reports: any thread ----------------------------------------------------------------------------------

    /** Where it stands: everything before has been handed to its socket. */
    @Override
    public long position() {
        return delivery == null ? Long.MAX_VALUE : delivery.reader().position();
    }

    /** Whether it is sent what lies behind the log: then it may be any time before it has caught up. */
    public boolean replays() {
        return delivery != null && delivery.replay() != null;
    }

    /** See {@link LogReader#heldFrom}. */
    public long heldFrom() {
        return delivery == null ? LogReader.NOTHING : delivery.reader().heldFrom();
    }

    /** Messages handed to its socket so far: exact between two frames, otherwise some less. */
    public long messages() {
        return delivery == null ? 0 : delivery.messages();
    }

    /** Bytes handed to its socket so far. */
    public long bytes() {
        return delivery == null ? 0 : delivery.bytes();
    }

    @Override
    public Report report(long headPosition) {
        long at = Math.min(position(), headPosition);
        TypeRanges chosen = types.inForce();
        Mark head = new Mark();
        shared.log.head().read(head);
        Replay now = delivery == null ? null : delivery.replay();
        long nanos = services.clock().nanoTime();
        return new Report(
                "",
                allowance.policy().wire(),
                chosen.isAll() ? "" : chosen.text(ROW_RANGES),
                at,
                Math.max(0, headPosition - at),
                now == null ? shared.log.messagesFrom(at, head) : Math.max(0, head.sequence() - now.sequence()),
                now == null ? ConnectionRow.LIVE : now.percent(at, headPosition),
                now == null ? 0 : now.leftMillis(at, headPosition, nanos),
                messages(),
                bytes());
    }
}
