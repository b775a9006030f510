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
import dev.msgrelay.server.journal.Journal;
import dev.msgrelay.server.log.LogReader;
import dev.msgrelay.server.log.Mark;
import dev.msgrelay.server.log.PacketLog;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.memory.MemoryBudget.Pool;
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
import io.netty.channel.ChannelHandlerContext;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A subscriber: a reader of the log and at most one write in flight. When the write is done, everything that has gathered
 * meanwhile is there to go out in the next one; what is to be said beside the stream goes out between two frames.
 *
 * <p>It decides what is sent when; its {@link Delivery} knows what, its {@link Allowance} how slow it may be, its {@link CatchUp}
 * what comes from the journal. Owned by its loop's thread, which may change while nothing is in flight; {@link #position} and
 * what reports ask may be read by any.
 */
public final class SubscriberConnection extends Connection implements WindowGate.Limit {
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
        super(services, Role.SUBSCRIBER);
        this.shared = shared;
        this.group = group;
        this.seat = group;
        Pool control = services.budget().pool(Part.CONTROL);
        this.inbox = new Inbox(control);
        this.types = new TypeChoice(control, services.limits().controlBytesPerConnection());
        SlowPolicy policy = shared.policies.of(services.clients().slowSubscriber());
        this.allowance = new Allowance(standing(), this, policy, shared.logBytes, shared.stallNanos, services.clock());
    }

    @Override
    protected void opened() {
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
            chooseTypes();
            return true;
        } catch (FrameException e) {
            close(e.reason(), e.getMessage());
            return false;
        }
    }

    /** It may be sent to from here on. */
    private void begin() {
        delivery = new Delivery(shared, services(), standing(), allowance, channel(), () -> group.buffers());
        allowance.join();
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
        Delivery way = delivery;
        if (way == null) {
            // It has not said yet who it is.
            return false;
        }
        Mark end = way.end(head);
        if (way.busy()) {
            // One that has said HELLO starts elsewhere, as soon as this write is done.
            if (state() != State.GREETED && state() != State.CLOSING && way.tooLate(end)) {
                close(allowance.tooSlow());
            }
            return false;
        }
        if (state() == State.CLOSING) {
            return farewell != null && sayFarewell();
        }
        if (state() == State.GREETED || (outbox() != null && outbox().due())) {
            return way.reader().atBoundary() ? say(head) : way.finish() == Step.AGAIN;
        }
        return switch (way.next(end, stride, least, everything)) {
            case WAIT -> false;
            case AGAIN -> true;
            case GAP -> tell(way.gap());
            case TOO_SLOW, OVERTAKEN -> close(allowance.tooSlow());
            case JOURNAL -> toJournal();
            case LOG -> moveTo(shared.replays.home().get());
        };
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (delivery != null) {
            delivery.endWrite();
        }
    }

    /** It stands behind messages that it does not get. Answers whether it goes on. */
    private boolean tell(Gap gap) {
        boolean slow = gap.reason() == GapReason.SLOW;
        String what = "messages " + gap.from() + " to " + gap.to();
        if (!missed) {
            missed = true;
            String text = slow
                    ? " is too slow: it skips " + what
                    : " misses " + what + ", " + gap.reason().text();
            services()
                    .closes()
                    .warn(
                            CloseReason.SLOW_SUBSCRIBER,
                            services().clock().nanoTime(),
                            who() + text + " (logged once, counted always)");
        }
        Counter counter = slow ? Counter.MESSAGES_SKIPPED : Counter.JOURNAL_REPLAY_MISSED;
        services().counters().add(counter, gap.to() - gap.from() + 1);
        if (state() == State.OPEN) {
            outbox().gap(gap.from(), gap.to(), gap.reason());
        } else if (!slow) {
            // A plain one cannot be told, and was to get them all.
            close(CloseReason.SLOW_SUBSCRIBER, what + " are " + gap.reason().text());
        }
        return state() != State.CLOSING;
    }

    private boolean close(Refusal why) {
        close(why.reason(), why.text());
        return false;
    }

    // ---- what is said beside the stream -------------------------------------------------------------------------

    /** Says what is due. The stream stands between two frames, and may go on elsewhere afterwards. */
    private boolean say(Mark head) {
        if (state() == State.GREETED) {
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
        return delivery.say(said.flip(), tellsNext) == Step.AGAIN;
    }

    /** What is wanted is sent from here on. */
    private void chooseTypes() {
        types.choose();
        delivery.choose(types.inForce(), sequences);
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
        if (said.start() != StartFrom.LIVE) {
            long now = services().clock().nanoTime();
            String refusal = services().admission().refuseReplay(channel().remoteAddress(), now);
            if (refusal != null) {
                throw new FrameException(CloseReason.TOO_MANY_FROM_ADDRESS, refusal);
            }
        }
        if (delivery == null) {
            begin();
        }
        narrows = said.wants(Features.NARROWED);
        firstTypes = standing().grant(said.types(), narrows);
        types.want(firstTypes);
        hello = said;
        helloNanos = services().clock().nanoTime();
    }

    /** Whether it has had more of the stream at another relay than is here yet. */
    private boolean hasReadAhead(Mark head) {
        return shared.elsewhere
                && hello.start() == StartFrom.SEQUENCE
                && hello.number() > head.sequence()
                && Handshake.forkOf(services().durability(), hello) == Durability.TODAY;
    }

    /** What it has had comes here as well, and it is welcome then; but nobody waits for ever. */
    private void awaitStart(Mark head) {
        Duration most = services().clients().handshakeTimeout();
        if (services().clock().nanoTime() - helloNanos > most.toNanos()) {
            close(
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
            start = Start.of(said, services().durability(), head, replayed);
        } catch (FrameException e) {
            close(e.reason(), e.getMessage());
            return false;
        }
        // From here on: until now it was a plain one, and may have skipped what it would be cut off for.
        Policy granted = services().clients().grant(said.policy(), replayed);
        allowance.change(shared.policies.of(granted));
        if (!durableOnly && (level() == Level.WRITTEN || level() == Level.FORCED)) {
            durableOnly = true;
            delivery.durableOnly(shared.durable.join(level()));
        }
        Step stands = delivery.stand(start, head);
        if (stands == Step.JOURNAL) {
            toJournal();
        }
        if (stands != Step.AGAIN && stands != Step.GAP) {
            return false;
        }
        hello = null;
        sequences = said.wants(Features.SEQUENCES);
        types.choose(firstTypes);
        delivery.choose(firstTypes, sequences);
        // Who does not ask for it may not know it.
        boolean unknown = granted == Policy.REPLAY && said.policy() != Policy.REPLAY;
        int features = standing().types() == null ? Features.SEQUENCES : Features.SEQUENCES | Features.NARROWED;
        welcome(said, unknown ? Policy.RELAY_DEFAULT : granted, features, delivery.first(), 0, start.fork());
        if (stands == Step.GAP) {
            Gap gap = delivery.gap();
            if (gap.reason() == GapReason.NOT_HELD) {
                // It asks for what is gone: nothing has happened to it here.
                outbox().gap(gap.from(), gap.to(), gap.reason());
            } else {
                tell(gap);
            }
        }
        if (!delivery.catchUp().isLive()) {
            // How far it has to go, it learns from the first PING.
            ping(services().clock().nanoTime());
        }
        return true;
    }

    // ---- what it sends, and time --------------------------------------------------------------------------------

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        ByteBuf in = (ByteBuf) msg;
        try {
            if (state().compareTo(State.CLOSING) < 0) {
                heard();
                if (!speaks) {
                    // Also who speaks TLS: whoever has said something is told why it ends.
                    speaks = true;
                    refuseTls(in);
                }
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
        int at = in.readerIndex();
        if (in.readableBytes() > 1 && TlsRecords.mayBegin(in.getByte(at), in.getByte(at + 1))) {
            throw tlsOnPlainPort();
        }
    }

    private boolean onControl(int type, ByteBuffer body) throws FrameException {
        checkTurn(type);
        return control(type, body);
    }

    @Override
    protected long framesRead() {
        return inbox.frames();
    }

    @Override
    protected long bytesRead() {
        return inbox.bytes();
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
        return inbox.unfinished();
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
        if (delivery == null) {
            // It has not said who it is; a reload may have made that needless.
            if (standing().refusal() == null) {
                startPlain();
            }
            return;
        }
        // There are many that say nothing, and an idle relay does little else than this. What a socket with room takes
        // proves nothing: the kernel takes it for a peer that is gone.
        if ((outbox() != null || delivery.isWaitedFor()) && delivery.movesOn(takenBefore(), nowNanos)) {
            heard();
        }
        if (delivery.stalls(nowNanos)) {
            String who = replays() ? "others who get the stream from the journal" : "publishers";
            long millis = TimeUnit.NANOSECONDS.toMillis(shared.stallNanos);
            close(CloseReason.STALLED_SUBSCRIBER, "read nothing for " + millis + " ms while " + who + " waited");
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
        EngineLoop.move(channel(), to.loop(), there -> {
            if (there.isSuccess()) {
                walled(() -> arrived(to));
            } else {
                exceptionCaught(null, there.cause());
                gone();
            }
        });
        return false;
    }

    private void arrived(SendGroup to) {
        if (state() != State.GONE && (state() != State.CLOSING || farewell != null)) {
            group = to;
            to.add(this);
        }
        // What was said on the way, if only why it ends: the socket is not watched for it any more.
        channel().flush();
    }

    /** Its channel is closed: its seat is free. */
    public void leaveSeat() {
        seat.leaveSeat();
        seat = null;
    }

    /** It goes on in the journal, on the loop that may wait for the disk. Answers whether it is there. */
    private boolean toJournal() {
        Refusal refusal = delivery.catchUp().toJournal();
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
    protected void sayLast(State before, CloseReason reason, String text) {
        allowance.leave();
        if (delivery == null) {
            // It has been sent nothing, so this stands between two frames.
            release();
            Closing.say(channel(), reason, text);
            return;
        }
        if (!speaks && reason != CloseReason.REVOKED) {
            release();
            channel().close();
            return;
        }
        farewell = new Refusal(reason, text);
        readMore(true);
        // A slow reader takes a while to get there; a socket that takes nothing cannot be told.
        long atMost = Math.max(shared.stallNanos, TimeUnit.MILLISECONDS.toNanos(Closing.LINGER_MILLIS));
        patience = channel().eventLoop().schedule(() -> channel().close(), atMost, TimeUnit.NANOSECONDS);
        // At once where that is possible: the end of what it sends, which closes the channel, may be read next.
        while (farewell != null && !delivery.busy() && delivery.reader().atBoundary()) {
            sayFarewell();
        }
    }

    private boolean sayFarewell() {
        if (!delivery.reader().atBoundary()) {
            return delivery.finish() == Step.AGAIN;
        }
        // The relay may close in the very moment in which it begins to drain: GOAWAY is said all the same.
        ByteBuffer goAway = outbox() == null ? null : outbox().takeGoAway();
        if (goAway != null) {
            return delivery.say(goAway, false) == Step.AGAIN;
        }
        Refusal why = farewell;
        release();
        Closing.say(channel(), why.reason(), why.text());
        return false;
    }

    @Override
    protected void release() {
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
        return delivery != null && !delivery.catchUp().isLive();
    }

    /** See {@link LogReader#heldFrom}. */
    public long heldFrom() {
        return delivery == null ? LogReader.NOTHING : delivery.reader().heldFrom();
    }

    /** Messages handed to its socket so far: exact between two frames, otherwise some less. */
    @Override
    public long messages() {
        return delivery == null ? 0 : delivery.messages();
    }

    /** Bytes handed to its socket so far. */
    public long bytes() {
        return delivery == null ? 0 : delivery.bytes();
    }

    @Override
    protected ConnectionRow row(RowBase base, long headPosition) {
        long at = Math.min(position(), headPosition);
        TypeRanges chosen = types.inForce();
        Mark head = new Mark();
        shared.log.head().read(head);
        CatchUp now = replays() ? delivery.catchUp() : null;
        long nanos = services().clock().nanoTime();
        return new ConnectionRow(
                base.id(),
                base.name(),
                base.identity(),
                base.address(),
                false,
                base.state(),
                "",
                allowance.policy().wire(),
                chosen.isAll() ? "" : chosen.text(ROW_RANGES),
                at,
                Math.max(0, headPosition - at),
                now == null ? shared.log.messagesFrom(at, head) : Math.max(0, head.sequence() - now.sequence()),
                now == null ? ConnectionRow.LIVE : now.percent(at, headPosition),
                now == null ? 0 : now.leftMillis(at, headPosition, nanos),
                messages(),
                bytes(),
                base.messagesPerSecond(),
                base.ageMillis());
    }
}
