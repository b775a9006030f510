package dev.msgrelay.server.tls;

import dev.msgrelay.server.memory.MemoryBudget.Pool;
import dev.msgrelay.server.memory.ReadWindow;
import dev.msgrelay.server.net.ReadSwitch;
import dev.msgrelay.server.net.SocketReads;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.OpenSslSession;
import io.netty.util.ReferenceCountUtil;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/**
 * TLS of one connection after its handshake, which {@link TlsHandshake} makes. No event of the channel passes this
 * handler before the handshake is done.
 *
 * <pre>
 *   SHAKING --> OPEN --> CLOSING --> GONE
 *                 '---------'--> BROKEN --^
 *
 *   socket --> TlsInput --> the connection --> TlsOutput --> socket
 * </pre>
 *
 * Both buffers are reserved when the connection comes, for one record each. They are large while there is much to move,
 * and memory for it. While the connection does not read, the socket is not read either.
 *
 * <p>Owned by the channel's loop.
 */
public final class TlsHandler extends ChannelDuplexHandler {
    private enum State {
        SHAKING,
        OPEN,
        /** The connection has ended its output; its input is still read. */
        CLOSING,
        /** The client has broken the rules of TLS: further input is thrown away. */
        BROKEN,
        GONE
    }

    private final TlsContext context;
    private final Channel channel;
    private final Pool pool;
    private final SocketReads.Reader reader;
    final ReadSwitch reads;
    final TlsOutput out;
    final TlsInput in;
    private final Runnable continueReading = () -> guarded(this::continueReading, this::tellFailure);

    private ChannelHandlerContext ctx;
    private State state = State.SHAKING;
    private SSLEngine engine;
    private String keyExchange = "";
    // Bytes reserved for this connection; 0: they were given back.
    private int reserved;
    private boolean readingContinues;
    private boolean delivering;
    // The channel is moving to another loop, which reads on: a read or a task begun here would run beside that loop.
    private boolean leaving;

    TlsHandler(
            TlsContext context,
            Channel channel,
            Pool pool,
            int reserved,
            SocketReads.Reader reader,
            TlsContext.Watch watch) {
        this.context = context;
        this.channel = channel;
        this.pool = pool;
        this.reader = reader;
        this.reserved = reserved;
        reads = new ReadSwitch(channel, () -> channel.pipeline().fireChannelInactive());
        out = new TlsOutput(pool, channel.alloc(), watch::small);
        try {
            in = new TlsInput(channel, pool, channel.alloc(), reads, reader, out);
        } catch (OutOfMemoryError none) {
            out.release();
            throw none;
        }
    }

    /** The TLS handler of a channel; null: a channel without TLS. */
    public static TlsHandler of(Channel channel) {
        return channel.pipeline().get(TlsHandler.class);
    }

    /** The key exchange that both sides agreed on, as X25519MLKEM768; empty: not known, since the JDK does not tell. */
    public String keyExchange() {
        return keyExchange;
    }

    private static String keyExchange(SSLEngine shaken) {
        String group = shaken.getSession() instanceof OpenSslSession session ? session.getNamedGroup() : null;
        return group == null ? "" : group;
    }

    public boolean keyUsedUp() {
        return out.records() >= context.recordLimit;
    }

    /** Bytes that the socket had taken before the buffer that was written last. */
    public long takenBefore() {
        return out.takenBefore();
    }

    /** Bytes that have come of an incomplete record, which are no data yet. */
    public int begunBytes() {
        return open() ? in.begun() : 0;
    }

    /** Gives large buffers back that were not filled since the last call; called a few times a second. */
    public void tick() {
        if (open()) {
            out.tick();
            in.tick();
        }
    }

    private boolean open() {
        return state == State.OPEN || state == State.CLOSING;
    }

    /**
     * Runs a step that no event of the channel began, and passes on all that it throws, as Netty does for its events:
     * else a failure would end the loop's task, and the connection never.
     */
    static void guarded(Runnable step, Consumer<Throwable> onFailure) {
        try {
            step.run();
        } catch (Throwable e) {
            onFailure.accept(e);
        }
    }

    // ---- life cycle -----------------------------------------------------------------------------------------------

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        ctx = added;
        out.added(added);
    }

    void open(SSLEngine shaken) {
        state = State.OPEN;
        engine = shaken;
        keyExchange = keyExchange(shaken);
        ctx.fireChannelActive();
        guarded(this::continueReading, this::tellFailure);
    }

    /** Ends the output: an alert tells the client that this is the end of the stream, and no cut. */
    public void endOutput() {
        closeOutput();
        // Only without a write in flight: Netty never reports the end of a write behind a shutdown of the output.
        if (state == State.CLOSING && !out.busy()) {
            shutdownOutput();
        }
    }

    private void closeOutput() {
        if (state == State.OPEN) {
            state = State.CLOSING;
            out.drop();
        }
        if (state == State.CLOSING && !engine.isOutboundDone()) {
            out.sendEnd();
        }
    }

    void shutdownOutput() {
        if (channel instanceof DuplexChannel duplex) {
            duplex.shutdownOutput();
        }
    }

    @Override
    public void close(ChannelHandlerContext closing, ChannelPromise promise) {
        // The channel is closed even if the alert cannot be sent.
        guarded(this::closeOutput, this::tellFailure);
        out.drop();
        closing.close(promise);
    }

    @Override
    public void channelInactive(ChannelHandlerContext inactive) {
        channelGone();
        inactive.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext removed) {
        channelGone();
    }

    private void channelGone() {
        if (state != State.SHAKING) {
            state = State.GONE;
            release(engine);
        }
    }

    void release(SSLEngine used) {
        if (reserved > 0) {
            context.remove(channel);
            in.release();
            out.release();
            ReferenceCountUtil.release(used);
            pool.giveBack(reserved);
            reserved = 0;
        }
    }

    /** Has the connection end itself: what a step throws that no channel event began, Netty would swallow. */
    private void tellFailure(Throwable cause) {
        ctx.fireExceptionCaught(cause);
    }

    private void endBroken(SSLException cause) {
        if (open()) {
            boolean mayTell = state == State.OPEN;
            state = State.BROKEN;
            if (mayTell) {
                out.sendEnd();
            }
            in.release();
            ctx.fireExceptionCaught(cause);
        }
    }

    // ---- reading ---------------------------------------------------------------------------------------------------

    @Override
    public void channelRead(ChannelHandlerContext from, Object msg) {
        ((ByteBuf) msg).release();
        if (msg instanceof ReadWindow read && open()) {
            in.received(read.writerIndex());
            deliver();
        }
    }

    private void deliver() {
        if (delivering) {
            return;
        }
        delivering = true;
        try {
            while (open() && in.waits() && channel.config().isAutoRead() && deliverOnce()) {
                // deliverOnce has handed on one part.
            }
        } catch (SSLException e) {
            endBroken(e);
        } finally {
            delivering = false;
        }
    }

    /** Hands on one part of the input. Returns whether there may be more. */
    private boolean deliverOnce() throws SSLException {
        if (reader.isDeaf()) {
            // Unwrapped, it might show the end of the client's output: BoringSSL writes nothing behind that.
            in.drop();
            return false;
        }
        ByteBuf window = reader.whereToRead();
        if (window == null) {
            return false;
        }
        int bytes = 0;
        try {
            ByteBuffer room = window instanceof ReadWindow read
                    ? read.room()
                    : window.nioBuffer(window.writerIndex(), window.writableBytes());
            int before = room.position();
            in.unwrap(room);
            bytes = room.position() - before;
        } finally {
            if (bytes == 0) {
                window.release();
            }
        }
        if (bytes > 0) {
            ctx.fireChannelRead(window.writerIndex(window.writerIndex() + bytes));
        }
        if (!open()) {
            // The connection has closed itself within this read.
            return false;
        }
        if (out.mustWrap()) {
            pump();
            if (context.readsInParts()) {
                // BoringSSL wants to write by itself only to send an alert, and it throws no exception then.
                throw new SSLException("a record cannot be read: it is none, or was changed on the way");
            }
        }
        if (in.hasEnded()) {
            if (reader.mayEnd()) {
                ctx.close();
            }
            return false;
        }
        return true;
    }

    /** Reads again: input that waits goes first. Later, in a task: the connection may be within a step of its own. */
    @Override
    public void read(ChannelHandlerContext reading) {
        if (open() && in.waits()) {
            continueReadingLater();
        } else {
            readSocket();
        }
    }

    @Override
    public void deregister(ChannelHandlerContext leaves, ChannelPromise promise) {
        leaving = true;
        leaves.deregister(promise);
    }

    @Override
    public void channelRegistered(ChannelHandlerContext registered) {
        leaving = false;
        if (open() && in.waits()) {
            continueReadingLater();
        }
        registered.fireChannelRegistered();
    }

    private void continueReadingLater() {
        if (!readingContinues && !delivering && !leaving) {
            readingContinues = true;
            channel.eventLoop().execute(continueReading);
        }
    }

    private void continueReading() {
        readingContinues = false;
        if (!open()) {
            return;
        }
        if (in.waits()) {
            deliver();
            ctx.fireChannelReadComplete();
        }
        if (open() && !in.waits() && channel.config().isAutoRead()) {
            readSocket();
        }
    }

    private void readSocket() {
        if (leaving) {
            return;
        }
        if (reads.hasRefused()) {
            reads.on();
        } else {
            ctx.read();
        }
    }

    // ---- writing -----------------------------------------------------------------------------------------------

    @Override
    public void write(ChannelHandlerContext from, Object msg, ChannelPromise promise) {
        if (state == State.OPEN) {
            out.add((ByteBuf) msg, promise);
        } else {
            TlsOutput.refuse((ByteBuf) msg, promise);
        }
    }

    @Override
    public void flush(ChannelHandlerContext from) {
        pump();
        from.flush();
    }

    /** Continues after the socket has taken the bytes in flight. The connection hears of it once all is written. */
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext changed) {
        if (out.writing()) {
            return;
        }
        out.checkInFlight();
        pump();
        if (!out.inFlight()) {
            changed.fireChannelWritabilityChanged();
        }
    }

    private void pump() {
        if (state == State.OPEN) {
            try {
                out.pump();
            } catch (SSLException e) {
                endBroken(e);
            }
        }
        if (state == State.CLOSING) {
            endOutput();
        }
    }
}
