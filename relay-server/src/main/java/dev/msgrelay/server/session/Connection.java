package dev.msgrelay.server.session;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.GoAwayFrame;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.PongFrame;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.access.Peer;
import dev.msgrelay.server.access.Refusal;
import dev.msgrelay.server.access.Standing;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.net.PeerName;
import dev.msgrelay.server.net.ReadSwitch;
import dev.msgrelay.server.net.Wall;
import dev.msgrelay.server.ops.Admission;
import dev.msgrelay.server.ops.ConnectionRow;
import dev.msgrelay.server.ops.Counter;
import dev.msgrelay.server.ops.PeerText;
import dev.msgrelay.server.tls.TlsHandler;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/**
 * The life of a connection, whatever its role:
 *
 * <pre>
 *   CONNECTED --message--> PLAIN -------------------------------.
 *       |                                                       +--> CLOSING --> GONE
 *       '------HELLO-----> GREETED --WELCOME--> OPEN -----------'    is told why, is read and thrown away
 * </pre>
 *
 * It ends once, for the first reason; that is counted and logged. It has a wall: what goes wrong in it ends it alone, as
 * INTERNAL_ERROR. Owned by the thread of its channel's loop, but for what says otherwise.
 */
public abstract class Connection extends ChannelInboundHandlerAdapter {
    /** Where in its life it is. */
    public enum State {
        /** It has said nothing: a plain subscriber stays so. */
        CONNECTED,
        /** It has sent a message without HELLO: a plain publisher. */
        PLAIN,
        /** It has said HELLO, and has not been welcomed. */
        GREETED,
        /** It has been welcomed. */
        OPEN,
        /** Its end is counted; it may still be told why. */
        CLOSING,
        /** Its channel is closed, and all its memory given back. */
        GONE
    }

    /** From GOAWAY to the end of a connection whose TLS key is used up. */
    private static final int KEY_MILLIS = 500;

    /** Rates are over at least this, however many ask and however often: a second, less what timers are early. */
    private static final long RATE_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

    /**
     * Java heap of a connection: Netty's channel and pipeline, the relay's objects, and the views of chunks that it writes
     * from. Measured with 1,024 to 4,096 of them: a plain subscriber 2,160 bytes, a plain publisher 1,870, with HELLO and a
     * name of 255 bytes 3,030 and 3,210, with types 2,960; 64 views 2,820 more.
     */
    public static final int HEAP_BYTES = 7 << 10;

    private final Services services;
    private final Role role;
    private final long id;
    private final Heartbeat heartbeat;
    private final Standing standing;

    private Channel channel;
    // Null: it is a plain one.
    private TlsHandler tls;
    // Of a record that was not whole at the last look.
    private int begunBytes;
    private long keyUsedUpNanos;
    private Outbox outbox;
    // With LEVELS granted how far messages are to get, or must have got; null without.
    private Level level;
    private FrameProgress progress;
    private long sinceNanos;
    private Admission.Ticket place;
    private boolean added;
    private boolean reserved;
    private volatile State state = State.CONNECTED;
    private volatile String name = "";

    // Of whoever asks for rows, one at a time.
    private long rateMessages;
    private long rateNanos;
    private double rate;

    protected Connection(Services services, Role role) {
        this.services = services;
        this.role = role;
        this.id = services.table().nextId();
        this.heartbeat = new Heartbeat(services.clients(), services.limits());
        this.standing = new Standing(services.access(), role);
    }

    // ---- the roles' own ----------------------------------------------------------------------------------------

    /** The channel is there; what it may do by its peer alone, {@link #standing} says. */
    protected abstract void opened();

    /** It has come while the relay drains. */
    protected abstract void late();

    /** HELLO has been read and is lawful. */
    protected abstract void greeted(HelloFrame hello) throws FrameException;

    /** A control frame that only one of the roles may send, or that is of a later version and may be passed over. */
    protected abstract void handle(int type, ByteBuffer body) throws FrameException;

    /** Why a control frame but HELLO may not come first. */
    protected abstract FrameException beforeHello(int type);

    /** Something is due in the outbox. */
    protected abstract void speak();

    /** Its end has been counted: what is left to say is said, or scheduled, and the channel closed in the end. */
    protected abstract void sayLast(State before, CloseReason reason, String text);

    /** It is over, at once: nothing is said and nothing sent any more. More than once without harm. */
    protected abstract void release();

    /**
     * Bytes that it may have in flight beside the stream, and beside memory that it keeps: the transport copies them to
     * direct memory.
     */
    protected abstract int saidBytes();

    /** Whether it holds memory that others wait for in line. */
    protected abstract boolean holdsUpOthers();

    /** Whether a control frame is there in part. */
    protected abstract boolean unfinishedControl();

    /** What is there of a frame in part, for people; empty: nothing. */
    protected abstract String unfinished();

    /** Frames that it has sent so far, whole ones. */
    protected abstract long framesRead();

    /** Bytes that it has sent so far. */
    protected abstract long bytesRead();

    /** Whether it can be heard at present: what the relay does not read it cannot hear. */
    protected abstract boolean listening();

    /** The time, a few times a second, while it is not closing. */
    protected abstract void onTick(long nowNanos);

    /** Its row, with what only the role knows. Any thread. */
    protected abstract ConnectionRow row(RowBase base, long headPosition);

    /** What is common to all rows. */
    protected record RowBase(
            long id,
            String name,
            String identity,
            String address,
            String state,
            double messagesPerSecond,
            long ageMillis) {}

    /** Messages so far. Any thread. */
    public abstract long messages();

    // ---- life --------------------------------------------------------------------------------------------------

    /**
     * It has been let in, and takes its place until its memory is given back.
     *
     * @param on its channel, to which it has been added
     */
    public final void admitted(Admission.Ticket ticket, Channel on) {
        place = ticket;
        on.closeFuture().addListener(closed -> {
            // Of one that is closed before it has come to its loop nothing else is told.
            if (!added) {
                services.admission().left(place);
            }
        });
    }

    @Override
    public final void handlerAdded(ChannelHandlerContext ctx) {
        added = true;
    }

    @Override
    public final void channelActive(ChannelHandlerContext ctx) {
        channel = ctx.channel();
        tls = TlsHandler.of(channel);
        reserve();
        sinceNanos = services.clock().nanoTime();
        rateNanos = sinceNanos;
        progress = new FrameProgress(services.limits(), sinceNanos);
        standing.opened(Peer.of(channel));
        audit();
        opened();
        // Counted once it has its place: who sees it counted may count on it.
        services.table().opened(this);
        if (services.table().draining()) {
            late();
        }
    }

    private void reserve() {
        MemoryBudget budget = services.budget();
        boolean direct = budget.pool(Part.CONNECTIONS).tryTake(saidBytes());
        reserved = direct && budget.pool(Part.SESSIONS).tryTake(HEAP_BYTES);
        if (direct && !reserved) {
            budget.pool(Part.CONNECTIONS).give(saidBytes());
        }
        if (!reserved) {
            throw new IllegalStateException("connections take more than what is planned for them: "
                    + budget.pool(Part.CONNECTIONS).limit() + " bytes of direct memory, "
                    + budget.pool(Part.SESSIONS).limit() + " of heap");
        }
    }

    private void giveBack() {
        if (reserved) {
            reserved = false;
            services.budget().pool(Part.CONNECTIONS).give(saidBytes());
            services.budget().pool(Part.SESSIONS).give(HEAP_BYTES);
        }
    }

    /** The time, a few times a second. */
    public final void tick(long nowNanos) {
        try {
            if (state.compareTo(State.CLOSING) < 0 && !refused(nowNanos) && !overdue(nowNanos)) {
                onTick(nowNanos);
            }
            if (tls != null) {
                tick(tls, nowNanos);
            }
        } catch (Throwable e) {
            failed(e);
        }
    }

    /** Counts a TLS client that has come to a port for plain ones; answers why it ends. */
    protected final FrameException tlsOnPlainPort() {
        services.counters().increment(Counter.TLS_ON_PLAIN_PORT);
        return new FrameException(CloseReason.TLS_FAILED, "the client speaks TLS, and this port is for plain ones");
    }

    /** Bytes that the socket has taken before what is in flight, where that is not what the connection has written; else 0. */
    protected final long takenBefore() {
        return tls == null ? 0 : tls.takenBefore();
    }

    private void tick(TlsHandler secured, long nowNanos) {
        secured.tick();
        if (!secured.keyUsedUp() || state.compareTo(State.CLOSING) >= 0) {
            return;
        }
        if (keyUsedUpNanos == 0) {
            keyUsedUpNanos = nowNanos;
            goAway(CloseReason.TLS_KEY_USED_UP, KEY_MILLIS);
        } else if (nowNanos - keyUsedUpNanos > TimeUnit.MILLISECONDS.toNanos(KEY_MILLIS)) {
            close(CloseReason.TLS_KEY_USED_UP, "connect again, for a new key");
        }
    }

    /** Whether it may not stay: it has not said in time who it is, or what it may do was taken back. */
    private boolean refused(long nowNanos) {
        standing.review();
        Refusal refusal = standing.refusal();
        long timeout = services.clients().handshakeTimeout().toNanos();
        boolean over = refusal != null && (refusal.reason() == CloseReason.REVOKED || nowNanos - sinceNanos > timeout);
        if (over) {
            close(refusal.reason(), refusal.text());
        }
        return over;
    }

    private boolean overdue(long nowNanos) {
        CloseReason over = null;
        int part = tls == null ? 0 : tls.begunBytes();
        if (part > begunBytes) {
            heartbeat.heard();
        }
        begunBytes = part;
        if (outbox == null) {
            over = heartbeat.handshakeOver(nowNanos, unfinishedControl()) ? CloseReason.HANDSHAKE_TIMEOUT : null;
        } else {
            if (!listening()) {
                heartbeat.heard();
            }
            over = heartbeat.tick(nowNanos) ? CloseReason.IDLE_TIMEOUT : null;
            if (over == null && heartbeat.pingDue() && state == State.OPEN) {
                ping(nowNanos);
                speak();
            }
        }
        if (over != null) {
            close(over, heartbeat.text(over));
            return true;
        }
        boolean underWay = listening() && !unfinished().isEmpty();
        if (progress.tooSlow(nowNanos, underWay, holdsUpOthers(), framesRead(), bytesRead(), part)) {
            close(CloseReason.FRAME_TIMEOUT, progress.text() + ": " + unfinished());
            return true;
        }
        return false;
    }

    /** The relay begins to drain: who said HELLO is told. */
    public void goAway(int closesInMillis) {
        goAway(CloseReason.SHUTDOWN, closesInMillis);
    }

    private void goAway(CloseReason reason, int closesInMillis) {
        if (saidHello()) {
            outbox.goAway(new GoAwayFrame(reason, closesInMillis, reason.text()));
            speak();
        }
    }

    // ---- what it says ------------------------------------------------------------------------------------------

    /** Something has come. */
    protected final void heard() {
        heartbeat.heard();
    }

    /**
     * The header of a control frame has come, or all of it: whether it may come now.
     *
     * @throws FrameException it may not
     */
    protected final void checkTurn(int type) throws FrameException {
        if (type == ControlFrames.HELLO) {
            if (saidHello()) {
                throw Handshake.outOfOrder(type, "a second time");
            }
            if (state == State.PLAIN) {
                throw Handshake.outOfOrder(type, "behind a message: it must be the first frame");
            }
        } else if (!saidHello()) {
            throw beforeHello(type);
        } else if (type == ControlFrames.SUBSCRIBE && role == Role.PUBLISHER) {
            throw new FrameException(CloseReason.WRONG_ROLE, ControlFrames.name(type) + " on the port of publishers");
        } else if (type != ControlFrames.SUBSCRIBE
                && type != ControlFrames.PING
                && type != ControlFrames.PONG
                && type != ControlFrames.ERROR) {
            Handshake.other(type);
        }
    }

    /**
     * A whole control frame, whose turn it is.
     *
     * @param body big-endian, between position and limit
     * @return false where the client has ended the connection with it
     */
    protected final boolean control(int type, ByteBuffer body) throws FrameException {
        switch (type) {
            case ControlFrames.HELLO -> hello(Handshake.hello(body, role));
            case ControlFrames.PING -> {
                PingFrame.check(body);
                outbox.pong(PingFrame.id(body));
            }
            case ControlFrames.PONG -> PongFrame.check(body);
            case ControlFrames.ERROR -> {
                endedByPeer(body);
                return false;
            }
            // Of a later version, and such that it may be passed over.
            default -> handle(type, body);
        }
        return true;
    }

    private void hello(HelloFrame said) throws FrameException {
        name = PeerText.printable(said.name());
        standing.said(said.token());
        if (standing.refusal() != null) {
            throw standing.refusal().exception();
        }
        audit();
        heartbeat.wanted(said.heartbeatMillis());
        level = role == Role.SUBSCRIBER || said.wants(Features.ACKS)
                ? Handshake.level(services.durability(), said)
                : null;
        outbox = new Outbox();
        state = State.GREETED;
        greeted(said);
    }

    private void audit() {
        if (!standing.name().isEmpty() && standing.refusal() == null) {
            services.closes()
                    .decided(
                            who() + " is " + standing.name() + " by its " + standing.proof(),
                            services.clock().nanoTime());
        }
    }

    /**
     * It is welcome.
     *
     * @param policy granted to a subscriber; otherwise {@link Policy#RELAY_DEFAULT}
     * @param features that its role can have
     * @param next see {@link Handshake#welcome}
     * @param accepted likewise
     * @param fork likewise
     */
    protected final void welcome(HelloFrame said, Policy policy, int features, long next, long accepted, long fork) {
        int granted = level == null ? features : features | Features.LEVELS;
        outbox.welcome(Handshake.welcome(services.identity(), said, heartbeat, policy, granted, next, accepted, fork));
        heartbeat.restart();
        state = State.OPEN;
    }

    /** The next PING is due. */
    protected final void ping(long nowNanos) {
        outbox.ping(heartbeat.ping(nowNanos));
    }

    /** A message has been taken before any HELLO. */
    protected final void plain() {
        if (state == State.CONNECTED) {
            state = State.PLAIN;
        }
    }

    // ---- the end -----------------------------------------------------------------------------------------------

    /** Nothing more is written or forced: whoever waits for that is told. */
    public final void journalFailed() {
        if (level != null && level != Level.STREAM) {
            FrameException why = Handshake.noMore(level);
            close(why.reason(), why.getMessage());
        }
    }

    /** Ends the connection for a reason; the first one counts. */
    public final void close(CloseReason reason, String text) {
        State before = state;
        if (before.compareTo(State.CLOSING) >= 0) {
            return;
        }
        end(reason, text);
        sayLast(before, reason, text);
    }

    /** Ends it at once, without a word: what it holds is needed. */
    public final void cutOff(CloseReason reason, String text) {
        if (state.compareTo(State.CLOSING) < 0) {
            end(reason, text);
        }
        try {
            release();
        } finally {
            channel.close();
        }
    }

    private void endedByPeer(ByteBuffer body) throws FrameException {
        ErrorFrame.check(body);
        CloseReason reason = CloseReason.ofCode(ErrorFrame.code(body));
        String what = "ERROR " + (reason == null ? ErrorFrame.code(body) : reason) + " "
                + PeerText.printable(ErrorFrame.text(body));
        services.closes().warn(CloseReason.PEER_CLOSED, services.clock().nanoTime(), who() + " closes: " + what);
        end(CloseReason.PEER_CLOSED, what);
        release();
        Closing.sayNothing(channel);
    }

    private void end(CloseReason reason, String text) {
        state = State.CLOSING;
        standing.leave();
        services.table().closed(this);
        services.closes().closed(who(), reason, text, services.clock().nanoTime());
    }

    /**
     * Something in it went wrong that is not its peer's doing: it ends, and nobody else. The wall around each step of a
     * connection, whatever is thrown there, errors of the JVM as well; never throws.
     */
    public final void failed(Throwable cause) {
        try {
            services.closes().failed(who(), cause, services.clock().nanoTime());
            cutOff(CloseReason.INTERNAL_ERROR, String.valueOf(cause.getMessage()));
        } catch (Throwable again) {
            services.closes().failed(who(), again, services.clock().nanoTime());
            channel.close();
        }
    }

    @Override
    public final void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause == ReadSwitch.Refused.INSTANCE || cause instanceof ClosedChannelException) {
            // The channel was closed while a write was in flight, for example because the peer ended. Netty calls
            // channelInactive next, and that ends the connection.
            return;
        }
        if (cause instanceof SSLException) {
            cutOff(CloseReason.TLS_FAILED, String.valueOf(cause.getMessage()));
        } else if (cause instanceof IOException) {
            cutOff(CloseReason.CONNECTION_LOST, String.valueOf(cause.getMessage()));
        } else {
            failed(cause);
        }
    }

    @Override
    public final void channelInactive(ChannelHandlerContext ctx) {
        gone();
    }

    /** Of a channel that is closed between two loops nothing else is told. */
    @Override
    public final void handlerRemoved(ChannelHandlerContext ctx) {
        gone();
        if (place != null) {
            services.admission().left(place);
        }
    }

    /** The channel is closed. More than once without harm. */
    protected final void gone() {
        if (channel == null || state == State.GONE) {
            return;
        }
        if (state != State.CLOSING) {
            String rest = unfinished();
            if (rest.isEmpty()) {
                end(CloseReason.PEER_CLOSED, "");
            } else {
                end(CloseReason.TRUNCATED_FRAME, rest + " dropped");
            }
        }
        state = State.GONE;
        try {
            release();
        } finally {
            giveBack();
            services.table().gone(this);
        }
    }

    // ---- who it is ---------------------------------------------------------------------------------------------

    protected final Services services() {
        return services;
    }

    protected final Channel channel() {
        return channel;
    }

    /** What is due to be said; null before HELLO. */
    protected final Outbox outbox() {
        return outbox;
    }

    /** What it may do. */
    protected final Standing standing() {
        return standing;
    }

    /** With LEVELS granted how far messages are to get, or must have got; null without. */
    protected final Level level() {
        return level;
    }

    /** Where in its life it is. Any thread. */
    public final State state() {
        return state;
    }

    /** Whether it is one that understands control frames, and may be told something. */
    protected final boolean saidHello() {
        return state == State.GREETED || state == State.OPEN;
    }

    public final Role role() {
        return role;
    }

    /** Role, peer and name, for people. */
    public final String who() {
        String peer = role.name().toLowerCase(java.util.Locale.ROOT) + " " + PeerName.of(channel);
        return name.isEmpty() ? peer : peer + " (" + name + ")";
    }

    /** By its number: whoever walks over a set of connections does so in the same order in each run. */
    @Override
    public final int hashCode() {
        return Long.hashCode(id);
    }

    /** Its row; one caller at a time. */
    public final ConnectionRow row(long headPosition, long nowNanos) {
        if (nowNanos - rateNanos >= RATE_NANOS) {
            long messages = messages();
            rate = Math.max(0, (messages - rateMessages) / ((nowNanos - rateNanos) / 1e9));
            rateMessages = messages;
            rateNanos = nowNanos;
        }
        return row(
                new RowBase(
                        id,
                        name,
                        standing.name(),
                        PeerName.of(channel),
                        state.name().toLowerCase(java.util.Locale.ROOT),
                        rate,
                        TimeUnit.NANOSECONDS.toMillis(nowNanos - sinceNanos)),
                headPosition);
    }

    /** Whether this is the thread that may touch its state. */
    public final boolean onItsThread() {
        return channel.eventLoop().inEventLoop();
    }

    /** Has its thread, the only one that may touch its state, do something. Any thread. */
    public final void execute(Runnable task) {
        EventLoop loop = channel.eventLoop();
        loop.execute(() -> {
            if (channel.eventLoop() == loop) {
                walled(task);
            } else {
                // It has moved meanwhile.
                execute(task);
            }
        });
    }

    /** Does something, on its thread: what goes wrong ends this connection. */
    public final void walled(Runnable task) {
        Wall.run(task, this::failed);
    }
}
