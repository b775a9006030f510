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
import dev.msgrelay.server.connection.Dialogue;
import dev.msgrelay.server.connection.EngineLoop;
import dev.msgrelay.server.connection.Services;
import dev.msgrelay.server.connection.Session;
import dev.msgrelay.server.connection.SessionRole;
import dev.msgrelay.server.connection.SessionState;
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
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A subscriber, with only one write in flight. When the write is done, the next one sends what has come meanwhile.
 * Control frames are sent between two frames of the stream.
 *
 * <p>A {@link SendGroup} sends to the subscriber. The group is chosen when the subscriber connects, and again when it
 * leaves the journal. The chosen group counts the subscriber (its seat) at once, so that the next choice allows for it.
 *
 * <p>Owned by its loop's thread, which may change while nothing is in flight. {@link #position} and reports are for any
 * thread.
 */
public final class SubscriberConnection extends ChannelInboundHandlerAdapter
        implements SessionRole, SocketReads.Reader, Inbox.Handler, SendGroup.Member, WindowGate.Limit {
    /** The most bytes of a read. Control frames are few, so no more are needed. */
    private static final int READ_BYTES = 1 << 10;

    /** Most ranges of types in a report. */
    private static final int ROW_RANGES = 8;

    /** When this many SUBSCRIBEs wait for an answer, reading stops. The last read may bring more of them. */
    private static final int MAX_WAITING = 16;

    /** Most bytes in flight other than the stream: a read, its answers, a GAP between messages, and an ERROR. */
    public static final int SAID_BYTES = READ_BYTES
            + Dialogue.MOST_BYTES
            + (MAX_WAITING + READ_BYTES / SubscribeFrame.LEAST_FRAME) * Dialogue.ANSWER_BYTES
            + GapFrame.FRAME_LENGTH
            + Closing.ERROR_BYTES;

    private static final Future<?> NO_LIMIT = ImmediateEventExecutor.INSTANCE.newSucceededFuture(null);

    private final Services services;
    private final Session session;
    private final FanoutParts shared;
    private final Inbox inbox;
    private final SlowReader slowness;
    private final Join join;
    // Null until the channel is active.
    private Delivery delivery;

    private SendGroup group;
    // Whether the subscriber is in the group, with its channel on the group's loop.
    private boolean present;
    private boolean seatIsFree;

    // Whether the client still has to be told why the connection ends.
    private boolean lastDue;
    private Refusal last;
    private Future<?> lastLimit = NO_LIMIT;

    public SubscriberConnection(Services services, FanoutParts shared) {
        this.services = services;
        this.session = new Session(services, Role.SUBSCRIBER, this, SAID_BYTES);
        this.shared = shared;
        this.inbox = new Inbox(services.budget().pool(Part.CONTROL));
        this.slowness = new SlowReader(shared, services, session.rights(), this);
        this.join = new Join(shared, services, session, slowness);
    }

    @Override
    public void opened() {
        delivery = new Delivery(shared, services, session, slowness);
        if (!session.rights().mayAct() || startPlain()) {
            enterGroup();
        }
    }

    /** Starts the stream of a client without HELLO, at the head; returns whether the connection goes on. */
    private boolean startPlain() {
        delivery.start();
        try {
            join.wantTypes(TypeRanges.ALL);
            join.chooseTypes(delivery);
            return true;
        } catch (FrameException e) {
            session.close(e);
            return false;
        }
    }

    @Override
    public Session session() {
        return session;
    }

    /** Returns whether the stream has started. If the opening failed, {@code delivery} is null. */
    private boolean isStarted() {
        return delivery != null && delivery.isStarted();
    }

    // ---- sending ----------------------------------------------------------------------------------------------

    @Override
    public boolean send(Mark head, int least, boolean everything) {
        if (!isStarted()) {
            return false;
        }
        SessionState state = session.state();
        Mark end = delivery.streamEnd(head);
        if (delivery.busy()) {
            delivery.isBusy(end);
            // After HELLO the lag does not matter, because the stream moves to another start after this write.
            if (state != SessionState.GREETED && state != SessionState.CLOSING && delivery.tooLate(end)) {
                session.close(slowness.tooSlow());
            }
            return false;
        }
        if (state == SessionState.CLOSING) {
            return lastDue && sayLast();
        }
        if (!delivery.hasPlace()) {
            // With a place, a PING would say that all before it has come; at the stream's end, that the state is whole.
            boolean atEnd = delivery.nextSequence() >= head.sequence();
            session.dialogue().hold(true, delivery.state().hidesPlace(atEnd));
        }
        if (state.speaks()
                && (state == SessionState.GREETED || session.dialogue().due())) {
            return delivery.atBoundary() ? say(head) : delivery.finish();
        }
        return switch (delivery.next(end, least, everything)) {
            case WAIT -> false;
            case AGAIN -> true;
            case GAP -> {
                reportMissed(delivery.gap());
                yield session.state() != SessionState.CLOSING;
            }
            case CUT -> {
                session.close(slowness.tooSlow());
                yield false;
            }
            case STATE -> {
                session.dialogue().hold(false, false);
                session.dialogue().ping(services.clock().nanoTime());
                yield true;
            }
            case CONFLATE -> {
                if (!delivery.isCounted()) {
                    // The ranges left out the messages before this place. Without a GAP the count would be wrong.
                    session.dialogue().ping(services.clock().nanoTime());
                }
                yield true;
            }
            case REST -> {
                group.rest(this, delivery.state().restsUntil());
                yield false;
            }
            case JOURNAL -> toJournal();
            case LOG -> {
                moveTo(shared.seats().get());
                yield false;
            }
        };
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (delivery != null) {
            delivery.finishWrite();
        }
        session.writabilityChanged();
    }

    // ---- control frames, between two frames of the stream -------------------------------------------------------

    /** Sends the control frames that are due; returns whether the stream may go on at once. */
    private boolean say(Mark head) {
        if (session.state() == SessionState.GREETED && !letIn(head)) {
            return false;
        }
        if (session.dialogue().answers() > 0 && delivery.hasPlace()) {
            join.chooseTypes(delivery);
        }
        ByteBuffer words = ByteBuffer.allocate(session.dialogue().mostBytes());
        boolean tellsNext = session.dialogue().putDue(words, delivery.nextSequence(), delivery.newest(head));
        readMore(session.dialogue().answers() < MAX_WAITING);
        return delivery.say(words.flip(), tellsNext);
    }

    /** Counts missing messages and sends GAP. Without HELLO, closes the connection unless its policy is to skip. */
    private void reportMissed(CatchUp.Gap gap) {
        slowness.missed(gap, session.who());
        if (session.state() == SessionState.OPEN) {
            session.dialogue().gap(gap.from(), gap.to(), gap.reason());
        } else if (gap.reason() != GapReason.SLOW) {
            // Without HELLO a subscriber cannot be told that messages are missing, but expects all of them.
            session.close(
                    CloseReason.SLOW_SUBSCRIBER,
                    gap.what() + " are " + gap.reason().text());
        }
    }

    // ---- HELLO --------------------------------------------------------------------------------------------------

    @Override
    public void greeted(HelloFrame hello) throws FrameException {
        join.greeted(hello);
        if (!delivery.isStarted()) {
            delivery.start();
        }
    }

    /** Moves the stream to its start, and welcomes the subscriber; returns whether that could be done at once. */
    private boolean letIn(Mark head) {
        CatchUp.Seek seek;
        try {
            seek = join.seekStart(delivery, head);
        } catch (FrameException e) {
            session.close(e);
            return false;
        }
        switch (seek) {
            case WAIT -> {
                return false;
            }
            case IN_JOURNAL -> {
                startInJournal();
                return false;
            }
            case FOUND -> {
                join.admit(delivery, delivery.nextSequence());
                if (delivery.getsState()) {
                    session.dialogue().hold(true, true);
                    beginState(delivery.nextSequence() >= head.sequence());
                }
            }
            case AFTER_A_GAP -> {
                CatchUp.Gap gap = delivery.gap();
                join.admit(delivery, gap.from());
                if (gap.reason() == GapReason.NOT_HELD) {
                    // The messages were gone before the client asked for them, so they do not count as missed.
                    session.dialogue().gap(gap.from(), gap.to(), gap.reason());
                } else {
                    reportMissed(gap);
                }
            }
        }
        if (replays()) {
            // PING tells the client the newest sequence, and so how many messages it has to catch up with.
            session.dialogue().ping(services.clock().nanoTime());
        }
        return true;
    }

    /**
     * Begins to send the state, if the limits of the subscriber's address allow one more start now.
     *
     * @param nothing whether there is nothing to send, which is not limited
     */
    private void beginState(boolean nothing) {
        if (nothing || join.takeTurn()) {
            delivery.state().begin(services.clock().nanoTime());
        }
    }

    /**
     * Starts in the journal, if the limits of the subscriber's address and identity allow one more start now. If not,
     * this is called again, until the subscriber has waited for too long.
     */
    private void startInJournal() {
        boolean turn = join.takeTurn();
        Optional<Refusal> full = turn ? delivery.toJournal() : Optional.empty();
        if (turn && full.isEmpty()) {
            moveToReplays();
        } else if (join.hasWaited()) {
            session.close(full.orElseGet(join::noTurn));
        }
    }

    // ---- input, and time ----------------------------------------------------------------------------------------

    @Override
    public ByteBuf whereToRead() {
        return session.channel().alloc().directBuffer(READ_BYTES, READ_BYTES);
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
                inbox.receive(in, this);
                wakeIfDue();
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
        join.wantTypes(asked.types());
        session.dialogue().subscribed(asked.request());
        readMore(session.dialogue().answers() < MAX_WAITING);
    }

    private void readMore(boolean more) {
        session.channel().config().setAutoRead(more);
    }

    @Override
    public Progress progress() {
        boolean begun = inbox.unfinished();
        String unfinished = begun ? "part of a control frame" : "";
        // Until WELCOME, which may have to wait for memory, the relay expects nothing from the client.
        boolean listening = session.state() != SessionState.GREETED;
        return new Progress(inbox.frames(), inbox.bytes(), unfinished, begun, listening, false);
    }

    @Override
    public void tick(long nowNanos) {
        if (!isStarted()) {
            // A reload of the access policy may have allowed the client to act without HELLO.
            if (session.rights().mayAct()) {
                startPlain();
            }
            return;
        }
        wakeIfDue();
        if (delivery.getsState()) {
            StateFeed state = delivery.state();
            if (state.isWaiting()) {
                beginState(false);
            }
            state.tick(nowNanos);
        }
        // Skipped for most clients without HELLO, because it would be nearly all the work of an idle relay. A socket
        // with room takes bytes even if its peer is gone, so only the progress of a write in flight is a sign of life.
        if ((session.state().speaks() || delivery.isWaitedFor()) && delivery.noteProgress(nowNanos)) {
            session.heard();
        }
        if (delivery.stalls(nowNanos)) {
            String who = getsState()
                    ? "others who get the state"
                    : replays() ? "others who get the stream from the journal" : "publishers";
            long millis = TimeUnit.NANOSECONDS.toMillis(shared.stallNanos());
            session.close(
                    CloseReason.STALLED_SUBSCRIBER, "read nothing for " + millis + " ms while " + who + " waited");
        }
    }

    /** Ends the rest of a subscriber with an interval if anything but the state may be sent now. */
    private void wakeIfDue() {
        Dialogue dialogue = session.dialogue();
        if (dialogue.due() || dialogue.answers() > 0 || services.table().draining()) {
            wake();
        }
    }

    /** On its way to another loop it does not rest, and the group is not this thread's. */
    private void wake() {
        if (present) {
            group.wake(this);
        }
    }

    // ---- from one loop to another ------------------------------------------------------------------------------

    /** Chooses a group, which counts the subscriber, and returns its loop. Called before the channel is registered. */
    public EngineLoop takeSeat() {
        group = shared.seats().get();
        if (seatIsFree) {
            group.leaveSeat();
        }
        return group.loop();
    }

    private void enterGroup() {
        present = true;
        delivery.buffers(group.buffers);
        group.add(this);
    }

    private void leaveGroup() {
        if (present) {
            present = false;
            group.remove(this);
        }
    }

    @Override
    public void channelClosed() {
        if (!seatIsFree && group != null) {
            group.leaveSeat();
        }
        seatIsFree = true;
    }

    @Override
    public boolean isServed() {
        return session.state() != SessionState.GONE && (session.state() != SessionState.CLOSING || lastDue);
    }

    /** Goes on in the journal; returns whether the subscriber already is on the loop that reads the journal. */
    private boolean toJournal() {
        Optional<Refusal> refusal = delivery.toJournal();
        if (refusal.isPresent()) {
            session.close(refusal.get());
            return false;
        }
        return moveToReplays();
    }

    /** Moves to the loop that reads the journal; returns whether the subscriber is there already. */
    private boolean moveToReplays() {
        SendGroup replays = shared.replays().orElseThrow().group();
        if (present && group == replays) {
            return true;
        }
        moveTo(replays.takeSeat());
        return false;
    }

    /**
     * Moves to the loop of another group, only while no write is in flight. The stream is not sent until the channel
     * has arrived there. The other loop handles the channel only when this loop no longer does.
     *
     * @param to the other group, which has counted this subscriber already, see {@link SendGroup#takeSeat}
     */
    private void moveTo(SendGroup to) {
        if (seatIsFree) {
            // The channel is closed already, and its handlers will be called for that.
            to.leaveSeat();
            return;
        }
        leaveGroup();
        group.leaveSeat();
        group = to;
        session.moveTo(to.loop(), () -> {
            if (isServed()) {
                enterGroup();
            }
            // Frames that were written during the move, such as an ERROR, are flushed by nothing else.
            session.channel().flush();
        });
    }

    // ---- the end ----------------------------------------------------------------------------------------------

    /**
     * Tells a client that has sent bytes why its connection ends. The ERROR is sent after the frame in flight, if that
     * is complete within the stall timeout. A client that has sent nothing is told only if its access was revoked.
     */
    @Override
    public void lastWords(SessionState before, Refusal why) {
        slowness.leaveGate();
        Channel channel = session.channel();
        if (!isStarted()) {
            // No part of the stream has been sent, so no frame is cut if the ERROR is written now.
            release();
            Closing.say(channel, why);
            return;
        }
        if (inbox.bytes() == 0 && why.reason() != CloseReason.REVOKED) {
            release();
            channel.close();
            return;
        }
        readMore(true);
        wake();
        last = why;
        lastDue = true;
        // If a slow client has not taken the rest of its frame by then, the channel is closed without an ERROR.
        lastLimit = channel.eventLoop().schedule(() -> channel.close(), lastMillis(), TimeUnit.MILLISECONDS);
        while (lastDue && !delivery.busy() && delivery.atBoundary()) {
            sayLast();
        }
    }

    /**
     * Sends the next of these: the rest of a begun frame, GOAWAY if it is due, ERROR. Called only while no write is in
     * flight; returns whether the socket has taken the bytes and there is more to send.
     */
    private boolean sayLast() {
        if (!delivery.atBoundary()) {
            return delivery.finish();
        }
        // GOAWAY is still due if the connection ends just when the relay begins to drain. It is sent before the ERROR.
        ByteBuffer goAway = session.dialogue().takeGoAway();
        if (goAway.hasRemaining()) {
            return delivery.say(goAway, false);
        }
        release();
        Closing.say(session.channel(), last, lastMillis());
        return false;
    }

    private long lastMillis() {
        return Math.max(TimeUnit.NANOSECONDS.toMillis(shared.stallNanos()), Closing.LINGER_MILLIS);
    }

    @Override
    public void release() {
        lastDue = false;
        lastLimit.cancel(false);
        slowness.leaveGate();
        leaveGroup();
        join.release();
        if (delivery != null) {
            delivery.release();
        }
        inbox.release();
    }

    // ---- reports: any thread ----------------------------------------------------------------------------------

    @Override
    public long position() {
        return delivery == null ? Long.MAX_VALUE : delivery.position();
    }

    /** Returns whether the subscriber has not caught up yet. */
    public boolean replays() {
        return delivery != null && delivery.replays();
    }

    /** Returns whether the subscriber gets the state, and not the stream yet. */
    public boolean getsState() {
        return delivery != null && delivery.getsState();
    }

    /** Returns whether the subscriber gets the state when it is too far behind, so that its lag harms nobody. */
    public boolean conflates() {
        return slowness.conflates();
    }

    /** Returns whether the subscriber gets the state at an interval, and never the stream. */
    public boolean hasInterval() {
        return slowness.intervalMillis() > 0;
    }

    public long pinnedFrom() {
        return delivery == null ? LogReader.NOTHING : delivery.pinnedFrom();
    }

    @Override
    public Report report(long headPosition) {
        TypeRanges types = join.types();
        String text = types.isAll() ? "" : types.text(ROW_RANGES);
        return delivery.report(text, headPosition, services.clock().nanoTime());
    }
}
