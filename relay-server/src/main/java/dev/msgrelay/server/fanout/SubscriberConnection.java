package dev.msgrelay.server.fanout;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.protocol.SubscribeFrame;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.access.Refusal;
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
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A subscriber: a reader of the log and at most one write in flight. When the write is done, everything that has gathered
 * meanwhile is there to go out in the next one; what is to be said beside the stream goes out between two frames.
 *
 * <pre>
 *   Admittance  HELLO .. WELCOME     Delivery   the stream: what is sent     Seat      the loop that sends it
 *   TypeChoice  which types          Allowance  how slow the reader may be   Farewell  the last words
 * </pre>
 *
 * <p>This class decides which of them has its turn. Owned by its loop's thread, which may change while nothing is in flight;
 * {@link #position} and what reports ask may be read by any.
 */
public final class SubscriberConnection extends ChannelInboundHandlerAdapter
        implements SessionRole, SendGroup.Member, WindowGate.Limit {
    /** Ranges of types that a row of the report tells. */
    private static final int ROW_RANGES = 8;

    /** SUBSCRIBEs that wait to be answered; then no more is read until they are. One read may bring some more. */
    private static final int MAX_WAITING = 16;

    /** A read: control frames, and few of them; with TLS or without. */
    public static final int READ_BYTES = TlsHandler.CONTROL_READ;

    /** Bytes in flight beside the stream at most: a read, answers to what has come, a GAP between messages, and an ERROR. */
    public static final int SAID_BYTES = READ_BYTES
            + Outbox.MOST_BYTES
            + (MAX_WAITING + READ_BYTES / SubscribeFrame.LEAST_FRAME) * Outbox.ANSWER_BYTES
            + GapFrame.FRAME_LENGTH
            + Closing.ERROR_BYTES;

    /**
     * The parts of a relay that all its subscribers share.
     *
     * @param replays null: there is no journal, or nobody is sent what it has
     * @param elsewhere whether other relays have the same stream: a subscriber may have had more of it there than is here yet
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
     * The parts of a relay that subscribers share that the log has overtaken.
     *
     * @param journal has what the log has dropped
     * @param pages memory that the journal is read into
     * @param group sends to those subscribers meanwhile: its loop may wait for the disk
     * @param home takes a seat for a subscriber that has caught up: see {@link Placement}
     */
    public record Replays(Journal journal, ReplayPages pages, SendGroup group, Supplier<SendGroup> home) {}

    private final Services services;
    private final Session session;
    private final Shared shared;
    private final Inbox inbox;
    private final TypeChoice types;
    private final Allowance allowance;
    private final Admittance admittance;
    private final Seat seat;
    private final Farewell farewell = new Farewell();
    // Null until the subscriber may be sent to.
    private volatile Delivery delivery;
    // The client has said something: plain ones have not.
    private boolean speaks;
    // The log of the relay tells of its first gap already.
    private boolean missed;

    /** @param group counts a seat for the subscriber already: {@link #leaveSeat} gives it back */
    public SubscriberConnection(Services services, Shared shared, SendGroup group) {
        this.services = services;
        this.session = new Session(services, Role.SUBSCRIBER, this, SAID_BYTES);
        this.shared = shared;
        this.seat = new Seat(this, group);
        Pool control = services.budget().pool(Part.CONTROL);
        this.inbox = new Inbox(control);
        this.types = new TypeChoice(control, services.limits().controlBytesPerConnection());
        SlowPolicy policy = shared.policies.of(services.clients().slowSubscriber());
        this.allowance =
                new Allowance(session.standing(), this, policy, shared.logBytes, shared.stallNanos, services.clock());
        this.admittance = new Admittance(shared, services, session.standing(), allowance, types);
    }

    @Override
    public void opened() {
        if (session.standing().refusal() == null && !startPlain()) {
            return;
        }
        seat.enter();
    }

    /** Streams the types that access allows, from now on; returns whether the connection goes on. */
    private boolean startPlain() {
        begin();
        try {
            admittance.want(TypeRanges.ALL);
            admittance.chooseTypes(delivery);
            return true;
        } catch (FrameException e) {
            session.close(e.reason(), e.getMessage());
            return false;
        }
    }

    /** Begins the stream: the subscriber may be sent to from here on. */
    private void begin() {
        Replays replays = shared.replays;
        LogReader reader = new LogReader(shared.log);
        CatchUp catchUp = new CatchUp(
                shared.log,
                reader,
                allowance,
                session.standing(),
                services.counters(),
                services.clock(),
                replays == null ? null : replays.journal,
                replays == null ? null : replays.pages);
        delivery = new Delivery(
                shared.log, reader, catchUp, allowance, services.counters(), session.channel(), seat::buffers);
        allowance.join();
    }

    /** The connection's life. */
    @Override
    public Session session() {
        return session;
    }

    private Outbox outbox() {
        return session.dialogue().outbox();
    }

    // ---- sending ----------------------------------------------------------------------------------------------

    @Override
    public boolean send(Mark head, int stride, int least, boolean everything) {
        Delivery way = delivery;
        if (way == null) {
            // The client has not said yet who it is.
            return false;
        }
        Mark end = way.end(head);
        if (way.busy()) {
            // A subscriber that has said HELLO starts elsewhere, as soon as this write is done.
            if (session.state() != SessionState.GREETED
                    && session.state() != SessionState.CLOSING
                    && way.tooLate(end)) {
                close(allowance.tooSlow());
            }
            return false;
        }
        if (session.state() == SessionState.CLOSING) {
            return farewell.isDue() && sayFarewell(way);
        }
        if (session.state() == SessionState.GREETED || (outbox() != null && outbox().due())) {
            return way.reader().atBoundary() ? say(head) : way.finish() == Step.AGAIN;
        }
        return switch (way.next(end, stride, least, everything)) {
            case WAIT -> false;
            case AGAIN -> true;
            case GAP -> {
                tell(way.gap());
                yield session.state() != SessionState.CLOSING;
            }
            case TOO_SLOW -> {
                close(allowance.tooSlow());
                yield false;
            }
            case JOURNAL -> toJournal();
            case LOG -> {
                moveTo(shared.replays.home().get());
                yield false;
            }
            case OVERTAKEN -> throw new IllegalStateException("the log has moved on, and no policy was asked");
        };
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (delivery != null) {
            delivery.endWrite();
        }
    }

    /** Counts messages that the subscriber does not get, and tells it; a plain one cannot be told, and may end by that. */
    private void tell(Gap gap) {
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
            // A plain subscriber cannot be told, and was to get them all.
            session.close(
                    CloseReason.SLOW_SUBSCRIBER, what + " are " + gap.reason().text());
        }
    }

    private void close(Refusal why) {
        session.close(why.reason(), why.text());
    }

    // ---- what is said beside the stream -------------------------------------------------------------------------

    /** Says what is due. The stream stands between two frames, and may go on elsewhere afterwards. */
    private boolean say(Mark head) {
        if (session.state() == SessionState.GREETED && !letIn(head)) {
            return false;
        }
        if (outbox().answers() > 0) {
            admittance.chooseTypes(delivery);
        }
        ByteBuffer said = ByteBuffer.allocate(outbox().mostBytes());
        long next = delivery.reader().boundary().sequence();
        boolean tellsNext = outbox().putDue(said, next, delivery.end(head).sequence() - 1);
        readMore(true);
        return delivery.say(said.flip(), tellsNext) == Step.AGAIN;
    }

    // ---- HELLO --------------------------------------------------------------------------------------------------

    @Override
    public void greeted(HelloFrame said) throws FrameException {
        admittance.greeted(said, session.channel().remoteAddress());
        if (delivery == null) {
            begin();
        }
    }

    /** Places the subscriber in the stream, and welcomes it; returns whether that could be done at once. */
    private boolean letIn(Mark head) {
        Step step;
        try {
            step = admittance.stand(delivery, session.dialogue().level(), head);
        } catch (FrameException e) {
            session.close(e.reason(), e.getMessage());
            return false;
        }
        if (step == Step.JOURNAL) {
            toJournal();
        }
        if (step != Step.AGAIN && step != Step.GAP) {
            return false;
        }
        Admittance.Welcome welcome = admittance.admit(delivery);
        session.welcome(welcome.said(), welcome.policy(), welcome.features(), welcome.first(), 0, welcome.fork());
        if (step == Step.GAP) {
            Gap gap = delivery.gap();
            if (gap.reason() == GapReason.NOT_HELD) {
                // The client asks for messages that are gone: nothing has happened to it here.
                outbox().gap(gap.from(), gap.to(), gap.reason());
            } else {
                tell(gap);
            }
        }
        if (replays()) {
            // The first PING tells how far the subscriber has to go.
            session.dialogue().ping(services.clock().nanoTime());
        }
        return true;
    }

    // ---- input, and time ----------------------------------------------------------------------------------------

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        ByteBuf in = (ByteBuf) msg;
        try {
            if (!session.state().ended()) {
                session.dialogue().heard();
                if (!speaks) {
                    // Before it is refused: a client that has said something is told why it ends.
                    speaks = true;
                    refuseStrangers(in);
                }
                inbox.take(in, this::onControl);
            }
        } catch (FrameException e) {
            session.close(e.reason(), e.getMessage());
        } finally {
            in.release();
        }
    }

    /** Refuses a client of TLS or HTTP, which has the wrong port, by its first bytes. */
    private void refuseStrangers(ByteBuf in) throws FrameException {
        int at = in.readerIndex();
        if (in.readableBytes() > 1 && TlsRecords.mayBegin(in.getByte(at), in.getByte(at + 1))) {
            throw session.tlsOnPlainPort();
        }
        FrameException http = in.readableBytes() < Integer.BYTES ? null : session.http(in.getInt(at));
        if (http != null) {
            throw http;
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
        admittance.want(said.types());
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
            // The client has not said who it is; a reload may have made that needless.
            if (session.standing().refusal() == null) {
                startPlain();
            }
            return;
        }
        // Many clients say nothing, and an idle relay does little else than this. Bytes that a socket with room takes
        // prove nothing: the kernel takes them for a peer that is gone.
        if ((outbox() != null || delivery.isWaitedFor()) && delivery.noteProgress(session.takenBefore(), nowNanos)) {
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

    /** Hands the subscriber to the loop of another group, which counts a seat for it already; see {@link Seat#leaveFor}. */
    private void moveTo(SendGroup to) {
        if (seat.leaveFor(to)) {
            session.moveTo(to.loop(), () -> arrived(to));
        }
    }

    private void arrived(SendGroup to) {
        if (session.state() != SessionState.GONE && (session.state() != SessionState.CLOSING || farewell.isDue())) {
            seat.arriveIn(to);
        }
        // Words that were said on the way, if only the last ones: nobody watches the socket for them any more.
        session.channel().flush();
    }

    /** The channel is closed: its seat is free. */
    public void leaveSeat() {
        seat.free();
    }

    /** Goes on in the journal, on the loop that may wait for the disk; returns whether that is the subscriber's loop already. */
    private boolean toJournal() {
        Refusal refusal = delivery.catchUp().toJournal();
        if (refusal != null) {
            close(refusal);
            return false;
        }
        SendGroup readers = shared.replays.group();
        if (seat.isIn(readers)) {
            return true;
        }
        moveTo(readers.takeSeat());
        return false;
    }

    // ---- the end ----------------------------------------------------------------------------------------------

    /**
     * Tells a client that has said anything why it ends, between two frames, if it gets there within the stall timeout; a plain
     * one gets nothing but frames, unless access is taken back.
     */
    @Override
    public void lastWords(SessionState before, CloseReason reason, String text) {
        allowance.leave();
        Delivery way = delivery;
        if (way == null) {
            // Nothing has been sent, so this stands between two frames.
            release();
            Closing.say(session.channel(), reason, text);
            return;
        }
        if (!speaks && reason != CloseReason.REVOKED) {
            release();
            session.channel().close();
            return;
        }
        readMore(true);
        long most = Math.max(shared.stallNanos, TimeUnit.MILLISECONDS.toNanos(Closing.LINGER_MILLIS));
        farewell.begin(new Refusal(reason, text), session.channel(), most);
        // At once where that is possible: the end of the input, which closes the channel, may be read next.
        while (farewell.isDue() && !way.busy() && way.reader().atBoundary()) {
            sayFarewell(way);
        }
    }

    private boolean sayFarewell(Delivery way) {
        return farewell.say(session.channel(), way, outbox(), this::release);
    }

    @Override
    public void release() {
        farewell.end();
        allowance.leave();
        seat.leave();
        admittance.release();
        if (delivery != null) {
            delivery.release();
        }
        inbox.release();
    }

    // ---- reports: any thread ----------------------------------------------------------------------------------

    /** Returns the position in the stream before which everything has been handed to the socket. */
    @Override
    public long position() {
        return delivery == null ? Long.MAX_VALUE : delivery.reader().position();
    }

    /** Returns whether the subscriber has not caught up yet, which may take any time. */
    public boolean replays() {
        return delivery != null && !delivery.catchUp().isLive();
    }

    /** See {@link LogReader#heldFrom}. */
    public long heldFrom() {
        return delivery == null ? LogReader.NOTHING : delivery.reader().heldFrom();
    }

    /** Returns the messages handed to the socket so far: exact between two frames, otherwise some less. */
    public long messages() {
        return delivery == null ? 0 : delivery.messages();
    }

    /** Returns the bytes handed to the socket so far. */
    public long bytes() {
        return delivery == null ? 0 : delivery.bytes();
    }

    @Override
    public Report report(long headPosition) {
        long at = Math.min(position(), headPosition);
        TypeRanges chosen = types.inForce();
        Mark head = new Mark();
        shared.log.head().read(head);
        CatchUp now = replays() ? delivery.catchUp() : null;
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
