package dev.msgrelay.server.connection;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.GoAwayFrame;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.access.Peer;
import dev.msgrelay.server.access.Refusal;
import dev.msgrelay.server.access.Rights;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.net.AcceptedSocket;
import dev.msgrelay.server.net.SocketReads;
import dev.msgrelay.server.tls.TlsHandler;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import javax.net.ssl.SSLException;

/**
 * One connection from start to end: its state, ticket, memory, and client's rights. An exception in one connection ends
 * no other one, see {@link #walled(Runnable)}. The role comes before the session in the pipeline:
 *
 * <pre>
 *   socket --> [TLS] --> PublisherConnection | SubscriberConnection --> Session
 *                        handles reads                                  handles start, end, exceptions
 * </pre>
 *
 * A connection ends once, and only the first reason is counted and logged. Owned by the thread of its channel's loop,
 * except where a method says otherwise.
 */
public final class Session extends ChannelInboundHandlerAdapter {
    /**
     * Java heap of a connection: Netty's channel and pipeline, the relay's objects, and buffers that are views of the
     * log's chunks. Measured were about 2 KiB without HELLO, about 3 KiB with HELLO and a name of 255 bytes, and 2,820
     * bytes for 64 views.
     */
    public static final int HEAP_BYTES = 7 << 10;

    /** A connection that its peer ends within this time, without having sent a byte, counts as a probe. */
    private static final long PROBE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Shortest time over which a rate is measured: a second, minus a tolerance for inexact timers. */
    private static final long LEAST_RATE_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

    private final Services services;
    private final Role kind;
    private final SessionRole role;
    private final int saidBytes;
    private boolean memoryTaken;
    private final long id;
    private final Rights rights;
    private final Timeouts timeouts;
    private final Dialogue dialogue;

    private Channel channel;
    // Null without TLS.
    private TlsHandler tls;
    private Admission.Ticket place;
    private boolean added;
    // Whether the client ended its output before it was told why the connection ends.
    private boolean inputEnded;
    private long openedNanos;
    // Whether the client's identity is logged. Without HELLO it is logged when the connection can no longer be a probe.
    private boolean audited;
    private volatile SessionState state = SessionState.CONNECTED;
    private volatile String name = "";

    private long sinceMessages;
    private long sinceNanos;
    private double rate;

    /** @param saidBytes the most bytes in flight apart from the stream. The transport copies them to direct memory */
    public Session(Services services, Role kind, SessionRole role, int saidBytes) {
        this.services = services;
        this.kind = kind;
        this.role = role;
        this.saidBytes = saidBytes;
        this.id = services.table().nextId();
        this.rights = new Rights(services.access(), kind);
        this.timeouts = new Timeouts(services.clients(), services.limits(), rights);
        this.dialogue = new Dialogue(kind, services.identity(), services.durability(), services.counters(), timeouts);
    }

    // ---- start, memory and time ---------------------------------------------------------------------------------

    /**
     * Adds two handlers to an accepted channel's pipeline: the role, then this session. At its end the session gives
     * back its memory, and then the ticket.
     */
    public void join(Channel accepted, Admission.Ticket ticket) {
        accepted.pipeline().addLast(role, this);
        place = ticket;
        accepted.closeFuture().addListener(closed -> {
            role.channelClosed();
            // If a channel closes before it is registered with a loop, no handler is called.
            if (!added) {
                services.admission().left(place);
            }
        });
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        added = true;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        channel = ctx.channel();
        tls = TlsHandler.of(channel);
        takeMemory();
        long now = services.clock().nanoTime();
        openedNanos = now;
        sinceNanos = now;
        timeouts.opened(tls, now);
        rights.opened(Peer.of(channel));
        if (!keyExchange().isEmpty()) {
            services.closes().agreed(who(), keyExchange());
        }
        role.opened();
        // Added only now, so that whoever finds this connection in the table may rely on its memory and rights.
        services.table().add(this);
        dialogue.opened();
        if (services.table().draining()) {
            close(CloseReason.SHUTDOWN, CloseReason.SHUTDOWN.text());
        }
    }

    /** Takes the connection's own memory. The budget has enough for as many connections as are admitted. */
    private void takeMemory() {
        MemoryBudget.Pool direct = services.budget().pool(Part.CONNECTIONS);
        MemoryBudget.Pool heap = services.budget().pool(Part.SESSIONS);
        boolean half = direct.tryTake(saidBytes);
        memoryTaken = half && heap.tryTake(HEAP_BYTES);
        if (half && !memoryTaken) {
            direct.giveBack(saidBytes);
        }
        if (!memoryTaken) {
            throw new IllegalStateException("connections take more than what is planned for them: " + direct.limit()
                    + " bytes of direct memory, " + heap.limit() + " of heap");
        }
    }

    private void giveMemoryBack() {
        if (memoryTaken) {
            memoryTaken = false;
            services.budget().pool(Part.CONNECTIONS).giveBack(saidBytes);
            services.budget().pool(Part.SESSIONS).giveBack(HEAP_BYTES);
        }
    }

    /** Returns the key exchange of TLS, for the log; empty without TLS, or if the key exchange is not known. */
    private String keyExchange() {
        return tls == null ? "" : tls.keyExchange();
    }

    private void state(SessionState next) {
        if (!state.mayBecome(next)) {
            throw new IllegalStateException(who() + ": " + state + " cannot become " + next);
        }
        state = next;
    }

    public void tick(long nowNanos) {
        walled(() -> {
            if (!state.ended()) {
                lookAtTheTime(nowNanos);
            }
            if (tls != null) {
                tls.tick();
            }
        });
    }

    private void lookAtTheTime(long nowNanos) {
        Refusal over = timeouts.look(nowNanos, state.speaks(), role.progress());
        if (over != null) {
            close(over);
            return;
        }
        if (timeouts.keyUsedUp(nowNanos)) {
            goAway(CloseReason.TLS_KEY_USED_UP, Timeouts.KEY_MILLIS);
        }
        if (state == SessionState.OPEN && timeouts.pingDue()) {
            dialogue.ping(nowNanos);
        }
        if (!audited && nowNanos - openedNanos >= PROBE_NANOS) {
            audit();
        }
        role.tick(nowNanos);
    }

    // ---- loop and thread -----------------------------------------------------------------------------------------

    public boolean isHere() {
        return channel.eventLoop().inEventLoop();
    }

    /** Runs a task on the loop's thread, in {@link #walled(Runnable)}. Any thread. */
    public void execute(Runnable task) {
        EventLoop loop = channel.eventLoop();
        loop.execute(() -> {
            if (channel.eventLoop() == loop) {
                walled(task);
            } else {
                execute(task);
            }
        });
    }

    /** Runs a step. If it throws an exception, only this connection ends. */
    public void walled(Runnable step) {
        walled(step, Runnable::run);
    }

    /** Like {@link #walled(Runnable)}, but the step can be one object for all calls, as it is passed {@code part}. */
    public <T> void walled(T part, Consumer<T> step) {
        try {
            step.accept(part);
        } catch (Throwable e) {
            failed(e);
        }
    }

    /** Moves the connection to another loop, as {@link EngineLoop#move} does. */
    public void moveTo(EngineLoop to, Runnable arrived) {
        EngineLoop.move(channel, to, there -> {
            if (there.isSuccess()) {
                walled(arrived);
            } else {
                exceptionCaught(null, there.cause());
                releaseClosed();
            }
        });
    }

    // ---- what the client says ------------------------------------------------------------------------------------

    /** Handles a control frame that {@link Dialogue#checkTurn} has allowed; returns whether the connection goes on. */
    public boolean control(int type, ByteBuffer body) throws FrameException {
        if (type == ControlFrames.ERROR) {
            endedByPeer(body);
            return false;
        }
        if (type == ControlFrames.HELLO) {
            Role other = kind == Role.PUBLISHER ? Role.SUBSCRIBER : Role.PUBLISHER;
            hello(dialogue.hello(body, services.identity().hint(other, tls != null)));
        } else if (!dialogue.answer(type, body)) {
            role.control(type, body);
        }
        // An answer that cannot be written may have ended the connection.
        return !state.ended();
    }

    private void hello(HelloFrame said) throws FrameException {
        name = Peer.printable(said.name());
        rights.said(said.token());
        if (!rights.mayAct()) {
            throw rights.whyRefused().orElseThrow().exception();
        }
        audit();
        dialogue.greeted(said);
        state(SessionState.GREETED);
        role.greeted(said);
    }

    private void audit() {
        audited = true;
        if (!rights.name().isEmpty() && rights.mayAct()) {
            String line = who() + " is " + rights.name() + " by its " + rights.proof()
                    + (keyExchange().isEmpty() ? "" : ", key exchange " + keyExchange());
            services.closes().decided(line, services.clock().nanoTime());
        }
    }

    /**
     * Welcomes the client.
     *
     * @param features the optional features for the client's role
     * @param interval a subscriber's interval in ms; 0: it has none
     * @param next for a subscriber the sequence of its first message, for a publisher the newest sequence plus 1
     * @param accepted for a publisher the number of the last message that was accepted under its name; otherwise 0
     * @param fork the result of {@link Durability#forkOf} for the epoch in HELLO
     */
    public void welcome(
            HelloFrame said, Policy policy, int features, int interval, long next, long accepted, long fork) {
        String address = AcceptedSocket.clientAddress(channel);
        dialogue.welcome(said, policy, features, interval, next, accepted, fork, address, rights.name());
        state(SessionState.OPEN);
    }

    /** Notes a sign of life other than input. */
    public void heard() {
        timeouts.heard();
    }

    /** Notes that a message has come without HELLO. */
    public void plain() {
        if (state == SessionState.CONNECTED) {
            state(SessionState.PLAIN);
            audit();
        }
    }

    public void goAway(CloseReason reason, int closesInMillis) {
        if (state.speaks()) {
            dialogue.goAway(new GoAwayFrame(reason, closesInMillis, reason.text()));
        }
    }

    // ---- the end -----------------------------------------------------------------------------------------------

    /** Called when the journal has failed: ends the connection if its client waits for the journal. */
    public void journalFailed() {
        dialogue.journalFailed().ifPresent(this::close);
    }

    /** Ends the connection for a reason, unless it has ended already. */
    public void close(Refusal why) {
        SessionState before = state;
        if (!before.ended()) {
            recordEnd(why.reason(), why.text());
            role.lastWords(before, why);
        }
    }

    public void close(CloseReason reason, String text) {
        close(new Refusal(reason, text));
    }

    public void close(FrameException why) {
        close(Refusal.of(why));
    }

    /** Ends the connection at once, without telling the client why. */
    public void cutOff(CloseReason reason, String text) {
        if (!state.ended()) {
            recordEnd(reason, text);
        }
        giveUp();
    }

    private void giveUp() {
        try {
            role.release();
        } finally {
            channel.close();
        }
    }

    /**
     * Notes that the client has ended its output, see {@link SocketReads.Reader#mayEnd}. The client may still read, so
     * the channel stays open until the client has been told why the connection ends.
     */
    public boolean mayEnd() {
        if (state != SessionState.CLOSING || Closing.outputEnded(channel)) {
            return true;
        }
        inputEnded = true;
        // An epoll socket that waits for no event leaves the epoll set, and the rest of its write would never be sent.
        // So a writable socket reads the end of input again in each cycle, while a full one only waits for room.
        channel.config().setAutoRead(channel.isWritable());
        return false;
    }

    public void writabilityChanged() {
        if (inputEnded && channel.isWritable()) {
            channel.config().setAutoRead(true);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (inputEnded && event == ChannelOutputShutdownEvent.INSTANCE) {
            channel.close();
        }
    }

    private void endedByPeer(ByteBuffer body) throws FrameException {
        ErrorFrame.check(body);
        CloseReason reason = CloseReason.ofCode(ErrorFrame.code(body));
        String what = "ERROR " + (reason == null ? ErrorFrame.code(body) : reason) + " "
                + Peer.printable(ErrorFrame.text(body));
        services.closes().warn(CloseReason.PEER_CLOSED, services.clock().nanoTime(), who() + " closes: " + what);
        recordEnd(CloseReason.PEER_CLOSED, what);
        role.release();
        Closing.endOutput(channel);
        Closing.closeLater(channel);
    }

    private void recordEnd(CloseReason reason, String text) {
        recordEnd(now -> services.closes().closed(who(), reason, text, now));
    }

    /** Ends a connection that has brought no byte. The log line includes its identity, which was not logged before. */
    private void closeProbe() {
        String identity = rights.mayAct() ? rights.name() : "";
        String who = identity.isEmpty() ? who() : who() + ", " + identity + " by its " + rights.proof();
        recordEnd(now -> services.closes().probed(who, Peer.address(channel), now));
    }

    private void recordEnd(LongConsumer count) {
        state(SessionState.CLOSING);
        rights.giveBackPlace();
        // Counted first, so that whoever no longer finds the connection in the table finds its end in the counts.
        count.accept(services.clock().nanoTime());
        services.table().removeLive(this);
    }

    private boolean isProbe() {
        return state == SessionState.CONNECTED
                && role.progress().bytesRead() == 0
                && (tls == null || tls.begunBytes() == 0)
                && services.clock().nanoTime() - openedNanos < PROBE_NANOS;
    }

    /** Ends only this connection, because of a fault of the relay. Never throws. */
    public void failed(Throwable cause) {
        try {
            services.closes().failed(who(), cause, services.clock().nanoTime());
            cutOff(CloseReason.INTERNAL_ERROR, String.valueOf(cause.getMessage()));
        } catch (Throwable again) {
            services.closes().failed(who(), again, services.clock().nanoTime());
            channel.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause == SocketReads.Refused.INSTANCE || cause instanceof ClosedChannelException) {
            // There was no memory for a read, or the channel was closed during a write and channelInactive follows.
            return;
        }
        if (cause instanceof SSLException) {
            cutOff(CloseReason.TLS_FAILED, String.valueOf(cause.getMessage()));
        } else if (cause instanceof IOException && isProbe()) {
            closeProbe();
            giveUp();
        } else if (cause instanceof IOException) {
            cutOff(CloseReason.CONNECTION_LOST, String.valueOf(cause.getMessage()));
        } else {
            failed(cause);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        releaseClosed();
    }

    /** Also releases here, because this is the only event of a channel that closes while it is on no loop. */
    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        releaseClosed();
        if (place != null) {
            services.admission().left(place);
        }
    }

    /** Called when the channel is closed. Ends the connection and gives everything back. Further calls do nothing. */
    public void releaseClosed() {
        if (channel == null || state == SessionState.GONE) {
            return;
        }
        if (!state.ended()) {
            String rest = role.progress().unfinished();
            if (isProbe()) {
                closeProbe();
            } else if (rest.isEmpty()) {
                recordEnd(CloseReason.PEER_CLOSED, "");
            } else {
                recordEnd(CloseReason.TRUNCATED_FRAME, rest + " dropped");
            }
        }
        state(SessionState.GONE);
        try {
            role.release();
        } finally {
            giveMemoryBack();
            services.table().remove(this);
        }
    }

    // ---- parts of the connection ---------------------------------------------------------------------------------

    public Channel channel() {
        return channel;
    }

    public Dialogue dialogue() {
        return dialogue;
    }

    public Rights rights() {
        return rights;
    }

    /** Any thread. */
    public SessionState state() {
        return state;
    }

    public Role kind() {
        return kind;
    }

    public SessionRole role() {
        return role;
    }

    long id() {
        return id;
    }

    // ---- reports -----------------------------------------------------------------------------------------------

    long ageMillis(long nowNanos) {
        return TimeUnit.NANOSECONDS.toMillis(nowNanos - openedNanos);
    }

    /** Returns the messages a second, over {@link #LEAST_RATE_NANOS} or a longer time. Only one caller at a time. */
    double rate(long messages, long nowNanos) {
        if (nowNanos - sinceNanos >= LEAST_RATE_NANOS) {
            rate = Math.max(0, (messages - sinceMessages) / ((nowNanos - sinceNanos) / 1e9));
            sinceMessages = messages;
            sinceNanos = nowNanos;
        }
        return rate;
    }

    /** Returns the name in HELLO, made printable; empty if there is none. Any thread. */
    String name() {
        return name;
    }

    public String who() {
        String peer = kind.name().toLowerCase(Locale.ROOT) + " " + AcceptedSocket.peerName(channel);
        return name.isEmpty() ? peer : peer + " (" + name + ")";
    }

    // Not the default hash code, so that a set of connections has the same order in each run.
    @Override
    public int hashCode() {
        return Long.hashCode(id);
    }
}
