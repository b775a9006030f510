package dev.msgrelay.server.subscribe;

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
import dev.msgrelay.server.connection.Closing;
import dev.msgrelay.server.connection.EngineLoop;
import dev.msgrelay.server.connection.Outbox;
import dev.msgrelay.server.connection.Services;
import dev.msgrelay.server.connection.Session;
import dev.msgrelay.server.connection.SessionRole;
import dev.msgrelay.server.connection.SessionState;
import dev.msgrelay.server.figures.ConnectionRow;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.net.SocketReads;
import dev.msgrelay.server.net.Stranger;
import dev.msgrelay.server.stream.LogReader;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.WindowGate;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * A subscriber: a reader of the log and at most one write in flight. When the write is done, everything that has gathered
 * meanwhile is there to go out in the next one; what is to be said beside the stream goes out between two frames.
 *
 * <p>It decides which of its parts has its turn. Owned by its loop's thread, which may change while nothing is in flight;
 * {@link #position} and what reports ask may be read by any.
 */
public final class SubscriberConnection extends ChannelInboundHandlerAdapter
        implements SessionRole, SocketReads.Reader, Inbox.Handler, SendGroup.Member, WindowGate.Limit {
    /** A read: control frames, and few of them; with TLS or without. */
    private static final int READ_BYTES = 1 << 10;

    /** Ranges of types that a row of the report tells. */
    private static final int ROW_RANGES = 8;

    /** SUBSCRIBEs that wait to be answered; then no more is read until they are. One read may bring some more. */
    private static final int MAX_WAITING = 16;

    /** Bytes in flight beside the stream at most: a read, answers to what has come, a GAP between messages, and an ERROR. */
    public static final int SAID_BYTES = READ_BYTES
            + Outbox.MOST_BYTES
            + (MAX_WAITING + READ_BYTES / SubscribeFrame.LEAST_FRAME) * Outbox.ANSWER_BYTES
            + GapFrame.FRAME_LENGTH
            + Closing.ERROR_BYTES;

    private final Services services;
    private final Session session;
    private final FanoutParts shared;
    private final Inbox inbox;
    private final SlowReader slowness;
    private final Admittance admittance;
    private final Seat seat;
    // Null until the subscriber may be sent to.
    private volatile Delivery delivery;
    // The client has said something: plain ones have not.
    private boolean said;
    private boolean missedIsLogged;
    // The end that is to be told; null: none is.
    private Refusal farewell;
    private Future<?> farewellLimit;

    public SubscriberConnection(Services services, FanoutParts shared) {
        this.services = services;
        this.session = new Session(services, Role.SUBSCRIBER, this, SAID_BYTES);
        this.shared = shared;
        this.seat = new Seat(this);
        this.inbox = new Inbox(services.budget().pool(Part.CONTROL));
        this.slowness = new SlowReader(shared, services, session.rights(), this);
        this.admittance = new Admittance(shared, services, session.rights(), slowness);
    }

    /** Takes a seat, and returns the loop that it is on. Called before the channel is registered. */
    public EngineLoop takeSeat() {
        return seat.take(shared.seats().get());
    }

    @Override
    public void opened() {
        if (!session.rights().mayAct() || startPlain()) {
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
        delivery = new Delivery(shared, services, session, slowness, seat);
        slowness.join();
    }

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
                session.close(slowness.tooSlow());
            }
            return false;
        }
        if (session.state() == SessionState.CLOSING) {
            return farewell != null && sayFarewell(way);
        }
        if (session.state() == SessionState.GREETED || (outbox() != null && outbox().due())) {
            return way.reader.atBoundary() ? say(head) : way.finish();
        }
        return switch (way.next(end, stride, least, everything)) {
            case WAIT -> false;
            case AGAIN -> true;
            case GAP -> {
                tellMissed(way.gap());
                yield session.state() != SessionState.CLOSING;
            }
            case CUT -> {
                session.close(slowness.tooSlow());
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
        ByteBuffer words = ByteBuffer.allocate(outbox().mostBytes());
        long next = delivery.reader.boundary().sequence();
        boolean tellsNext = outbox().putDue(words, next, delivery.end(head).sequence() - 1);
        readMore(true);
        return delivery.say(words.flip(), tellsNext);
    }

    /** Counts messages that the subscriber does not get, and tells it; a plain one cannot be told, and may end by that. */
    private void tellMissed(Gap gap) {
        boolean slow = gap.reason() == GapReason.SLOW;
        String what = "messages " + gap.from() + " to " + gap.to();
        if (!missedIsLogged) {
            missedIsLogged = true;
            String text = slow
                    ? " is too slow: it skips " + what
                    : " misses " + what + ", " + gap.reason().text();
            String line = session.who() + text + " (logged once, counted always)";
            services.closes().warn(CloseReason.SLOW_SUBSCRIBER, services.clock().nanoTime(), line);
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

    // ---- HELLO --------------------------------------------------------------------------------------------------

    @Override
    public void greeted(HelloFrame hello) throws FrameException {
        admittance.greeted(hello);
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
                    tellMissed(gap);
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
    public boolean mayRead() {
        return true;
    }

    @Override
    public ByteBuf whereToRead() {
        return session.channel().alloc().directBuffer(READ_BYTES, READ_BYTES);
    }

    @Override
    public void refused() {
        // No read is refused.
    }

    @Override
    public void readWasFull() {
        // Nobody waits for it.
    }

    @Override
    public boolean isDeaf() {
        return session.state().ended();
    }

    @Override
    public boolean mayEnd() {
        return session.mayEnd();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        ByteBuf in = (ByteBuf) msg;
        try {
            if (!session.state().ended()) {
                session.dialogue().heard();
                // Before it is refused: a client that has said something is told why it ends.
                said = true;
                inbox.take(in, this);
            }
        } catch (FrameException e) {
            session.close(e);
        } finally {
            in.release();
        }
    }

    @Override
    public boolean onControl(int type, ByteBuffer body) throws FrameException {
        session.dialogue().checkTurn(type, session.state());
        return session.control(type, body);
    }

    @Override
    public FrameException onStranger(Stranger who, FrameException fault) {
        return session.dialogue().refusalOf(who, fault.reason(), fault.getMessage());
    }

    @Override
    public void control(int type, ByteBuffer body) throws FrameException {
        if (type != ControlFrames.SUBSCRIBE) {
            return;
        }
        SubscribeFrame asked = SubscribeFrame.decode(body);
        admittance.want(asked.types());
        outbox().subscribed(asked.request());
        readMore(outbox().answers() < MAX_WAITING);
    }

    private void readMore(boolean more) {
        session.channel().config().setAutoRead(more);
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
            if (session.rights().mayAct()) {
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
        return session.state() != SessionState.GONE && (session.state() != SessionState.CLOSING || farewell != null);
    }

    @Override
    public void channelClosed() {
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
        slowness.leave();
        Delivery way = delivery;
        if (way == null) {
            // Nothing has been sent, so this stands between two frames.
            release();
            Closing.say(session.channel(), why);
            return;
        }
        if (!said && why.reason() != CloseReason.REVOKED) {
            release();
            session.channel().close();
            return;
        }
        readMore(true);
        long most = Math.max(shared.stallNanos(), TimeUnit.MILLISECONDS.toNanos(Closing.LINGER_MILLIS));
        farewell = why;
        Channel channel = session.channel();
        // A slow reader takes a while to get there; a socket that takes nothing cannot be told.
        farewellLimit = channel.eventLoop().schedule(() -> channel.close(), most, TimeUnit.NANOSECONDS);
        while (farewell != null && !way.busy() && way.reader.atBoundary()) {
            sayFarewell(way);
        }
    }

    /**
     * Says the next of the last words: the rest of the frame that is being sent, GOAWAY where that is due, then ERROR. Only while
     * no write is in flight; returns whether the socket has taken it and another one is due.
     */
    private boolean sayFarewell(Delivery way) {
        if (!way.reader.atBoundary()) {
            return way.finish();
        }
        // The relay may close in the very moment in which it begins to drain: GOAWAY is said all the same.
        ByteBuffer goAway = outbox() == null ? null : outbox().takeGoAway();
        if (goAway != null) {
            return way.say(goAway, false);
        }
        Refusal last = farewell;
        release();
        Closing.say(session.channel(), last);
        return false;
    }

    @Override
    public void release() {
        farewell = null;
        if (farewellLimit != null) {
            farewellLimit.cancel(false);
        }
        slowness.leave();
        seat.leave();
        admittance.release();
        if (delivery != null) {
            delivery.release();
        }
        inbox.release();
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

    public long pinnedFrom() {
        return delivery == null ? LogReader.NOTHING : delivery.reader.pinnedFrom();
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
                slowness.policy(),
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
