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
import dev.msgrelay.server.core.EngineLoop;
import dev.msgrelay.server.flow.WindowGate;
import dev.msgrelay.server.log.LogReader;
import dev.msgrelay.server.log.Mark;
import dev.msgrelay.server.net.SocketReads;
import dev.msgrelay.server.ops.ConnectionRow;
import dev.msgrelay.server.session.Closing;
import dev.msgrelay.server.session.Outbox;
import dev.msgrelay.server.session.Progress;
import dev.msgrelay.server.session.Services;
import dev.msgrelay.server.session.Session;
import dev.msgrelay.server.session.SessionRole;
import dev.msgrelay.server.session.SessionState;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * A subscriber: a reader of the log and at most one write in flight. When the write is done, everything that has gathered
 * meanwhile is there to go out in the next one; what is to be said beside the stream goes out between two frames.
 *
 * <p>It decides which of its parts has its turn. Owned by its loop's thread, which may change while nothing is in flight;
 * {@link #position} and what reports ask may be read by any.
 */
public final class SubscriberConnection extends ChannelInboundHandlerAdapter
        implements SessionRole, SendGroup.Member, WindowGate.Limit {
    /** Ranges of types that a row of the report tells. */
    private static final int ROW_RANGES = 8;

    /** SUBSCRIBEs that wait to be answered; then no more is read until they are. One read may bring some more. */
    private static final int MAX_WAITING = 16;

    /** Bytes in flight beside the stream at most: a read, answers to what has come, a GAP between messages, and an ERROR. */
    public static final int SAID_BYTES = SubscriberInput.READ_BYTES
            + Outbox.MOST_BYTES
            + (MAX_WAITING + SubscriberInput.READ_BYTES / SubscribeFrame.LEAST_FRAME) * Outbox.ANSWER_BYTES
            + GapFrame.FRAME_LENGTH
            + Closing.ERROR_BYTES;

    private final Services services;
    private final Session session;
    private final FanoutParts shared;
    private final SubscriberInput input;
    private final Allowance allowance;
    private final Admittance admittance;
    private final Seat seat;
    private final Missed missed;
    private final Farewell farewell = new Farewell();
    // Null until the subscriber may be sent to.
    private volatile Delivery delivery;

    public SubscriberConnection(Services services, FanoutParts shared) {
        this.services = services;
        this.session = new Session(services, Role.SUBSCRIBER, this, SAID_BYTES);
        this.shared = shared;
        this.seat = new Seat(this);
        this.input = new SubscriberInput(services, session);
        this.missed = new Missed(services, session);
        this.allowance = new Allowance(shared, services, session.standing(), this);
        this.admittance = new Admittance(shared, services, session.standing(), allowance);
    }

    /** Takes a seat, and returns the loop that it is on. Called before the channel is registered. */
    public EngineLoop takeSeat() {
        return seat.take(shared.seats().get());
    }

    @Override
    public void opened() {
        if (session.standing().refusal() != null || startPlain()) {
            seat.enter();
        }
    }

    /** Streams the types that access allows, from now on; returns whether the connection goes on. */
    private boolean startPlain() {
        begin();
        try {
            admittance.want(TypeRanges.ALL);
            admittance.chooseTypes(delivery);
            return true;
        } catch (FrameException e) {
            session.close(e);
            return false;
        }
    }

    private void begin() {
        delivery = new Delivery(shared, services, session, allowance, seat);
        allowance.join();
    }

    @Override
    public Session session() {
        return session;
    }

    /** The memory that the socket, or TLS, reads to. */
    public SocketReads.Reader reader() {
        return input;
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
                session.close(allowance.tooSlow());
            }
            return false;
        }
        if (session.state() == SessionState.CLOSING) {
            return farewell.isDue() && sayFarewell(way);
        }
        if (session.state() == SessionState.GREETED || (outbox() != null && outbox().due())) {
            return way.reader.atBoundary() ? say(head) : way.finish();
        }
        return switch (way.next(end, stride, least, everything)) {
            case WAIT -> false;
            case AGAIN -> true;
            case GAP -> {
                missed.tell(way.gap());
                yield session.state() != SessionState.CLOSING;
            }
            case CUT -> {
                session.close(allowance.tooSlow());
                yield false;
            }
            case JOURNAL -> toJournal();
            case LOG -> {
                seat.moveTo(shared.seats().get());
                yield false;
            }
        };
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (delivery != null) {
            delivery.endWrite();
        }
        session.writabilityChanged();
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
        long next = delivery.reader.boundary().sequence();
        boolean tellsNext = outbox().putDue(said, next, delivery.end(head).sequence() - 1);
        readMore(true);
        return delivery.say(said.flip(), tellsNext);
    }

    // ---- HELLO --------------------------------------------------------------------------------------------------

    @Override
    public void greeted(HelloFrame said) throws FrameException {
        admittance.greeted(said);
        if (delivery == null) {
            begin();
        }
    }

    /** Places the subscriber in the stream, and welcomes it; returns whether that could be done at once. */
    private boolean letIn(Mark head) {
        CatchUp.Place place;
        try {
            place = admittance.stand(delivery, session.dialogue().level(), head);
        } catch (FrameException e) {
            session.close(e);
            return false;
        }
        switch (place) {
            case WAIT -> {
                return false;
            }
            case IN_JOURNAL -> {
                startInJournal();
                return false;
            }
            case FOUND -> admittance.admit(delivery, delivery.reader.boundary().sequence(), session);
            case BEHIND_A_GAP -> {
                Gap gap = delivery.gap();
                admittance.admit(delivery, gap.from(), session);
                if (gap.reason() == GapReason.NOT_HELD) {
                    // The client asks for messages that are gone: nothing has happened to it here.
                    outbox().gap(gap.from(), gap.to(), gap.reason());
                } else {
                    missed.tell(gap);
                }
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
        input.came((ByteBuf) msg);
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
        session.channel().config().setAutoRead(more);
    }

    @Override
    public Progress progress() {
        return input.progress();
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
        if ((outbox() != null || delivery.isWaitedFor()) && delivery.noteProgress(nowNanos)) {
            session.dialogue().heard();
        }
        if (delivery.stalls(nowNanos)) {
            String who = replays() ? "others who get the stream from the journal" : "publishers";
            long millis = TimeUnit.NANOSECONDS.toMillis(shared.stallNanos());
            session.close(
                    CloseReason.STALLED_SUBSCRIBER, "read nothing for " + millis + " ms while " + who + " waited");
        }
    }

    // ---- from one loop to another ------------------------------------------------------------------------------

    @Override
    public boolean isServed() {
        return session.state() != SessionState.GONE && (session.state() != SessionState.CLOSING || farewell.isDue());
    }

    /** The channel is closed: its seat is free, if it has taken one. */
    public void leaveSeat() {
        seat.free();
    }

    /**
     * Starts in the journal, once the subscriber's turn has come: its address, and its identity, have only so many. Otherwise
     * it is asked again at the next tick, until it has waited long enough.
     */
    private void startInJournal() {
        SocketAddress from = session.channel().remoteAddress();
        boolean turn = admittance.takeTurn(from);
        Refusal refusal = turn ? delivery.catchUp.toJournal() : null;
        if (turn && refusal == null) {
            moveToReaders();
        } else if (admittance.hasWaited()) {
            session.close(turn ? refusal : admittance.noTurn(from));
        }
    }

    /** Goes on in the journal; returns whether this loop is the one that may wait for the disk. */
    private boolean toJournal() {
        Refusal refusal = delivery.catchUp.toJournal();
        if (refusal != null) {
            session.close(refusal);
            return false;
        }
        return moveToReaders();
    }

    /** Moves to the loop that may wait for the disk; returns whether that is the subscriber's loop already. */
    private boolean moveToReaders() {
        SendGroup readers = shared.replays().group();
        if (seat.isIn(readers)) {
            return true;
        }
        seat.moveTo(readers.takeSeat());
        return false;
    }

    // ---- the end ----------------------------------------------------------------------------------------------

    /**
     * Tells a client that has said anything why it ends, between two frames, if it gets there within the stall timeout; a plain
     * one gets nothing but frames, unless access is taken back.
     */
    @Override
    public void lastWords(SessionState before, Refusal why) {
        allowance.leave();
        Delivery way = delivery;
        if (way == null) {
            // Nothing has been sent, so this stands between two frames.
            release();
            Closing.say(session.channel(), why);
            return;
        }
        if (!input.any() && why.reason() != CloseReason.REVOKED) {
            release();
            session.channel().close();
            return;
        }
        readMore(true);
        long most = Math.max(shared.stallNanos(), TimeUnit.MILLISECONDS.toNanos(Closing.LINGER_MILLIS));
        farewell.begin(why, session.channel(), most);
        while (farewell.isDue() && !way.busy() && way.reader.atBoundary()) {
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
        input.release();
    }

    // ---- reports: any thread ----------------------------------------------------------------------------------

    @Override
    public long position() {
        return delivery == null ? Long.MAX_VALUE : delivery.reader.position();
    }

    /** Returns whether the subscriber has not caught up yet, which may take any time. */
    public boolean replays() {
        return delivery != null && !delivery.catchUp.isLive();
    }

    public long heldFrom() {
        return delivery == null ? LogReader.NOTHING : delivery.reader.heldFrom();
    }

    @Override
    public Report report(long headPosition) {
        long at = Math.min(position(), headPosition);
        TypeRanges chosen = admittance.types();
        Mark head = shared.log().head().mark();
        CatchUp now = replays() ? delivery.catchUp : null;
        long nanos = services.clock().nanoTime();
        return new Report(
                "",
                allowance.policy().wire(),
                chosen.isAll() ? "" : chosen.text(ROW_RANGES),
                at,
                Math.max(0, headPosition - at),
                now == null ? shared.log().messagesFrom(at, head) : Math.max(0, head.sequence() - now.sequence()),
                now == null ? ConnectionRow.LIVE : now.way().percent(at, headPosition),
                now == null ? 0 : now.way().leftMillis(at, headPosition, nanos),
                delivery == null ? 0 : delivery.messages(),
                delivery == null ? 0 : delivery.bytes());
    }
}
