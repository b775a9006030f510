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
import java.util.Optional;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/**
 * TLS of one connection after its {@link TlsHandshake}. No event of the channel passes this handler before the end of
 * the handshake.
 *
 * <pre>
 *   SHAKING --> OPEN --> CLOSING --> GONE
 *                 '---------'--> BROKEN --^
 *
 *   socket --> TlsInput --> the connection --> TlsOutput --> socket
 * </pre>
 *
 * Each connection has an input buffer and an output buffer, each for one record. A buffer grows under load, if the
 * budget has memory for that. While the connection does not read, the socket is not read either.
 *
 * <p>Owned by the channel's loop.
 */
public final class TlsHandler extends ChannelDuplexHandler {
    private enum State {
        SHAKING,
        OPEN,
        /** The connection has ended its output; its input is still read. */
        CLOSING,
        /** The client has broken the rules of TLS, so further input is dropped. */
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
    private final Runnable continueReading =
            () -> guarded(this::continueReading, cause -> this.ctx.fireExceptionCaught(cause));

    private ChannelHandlerContext ctx;
    private State state = State.SHAKING;
    private SSLEngine engine;
    private String keyExchange = "";
    // Bytes reserved for this connection; 0 once they are given back.
    private int reserved;
    private boolean readingContinues;
    private boolean delivering;
    // Whether the channel is moving to another loop. Until the end of the move no read or task may begin here.
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

    /** The TLS handler of a channel; null if the channel has no TLS. */
    public static TlsHandler of(Channel channel) {
        return channel.pipeline().get(TlsHandler.class);
    }

    /** The key exchange of the handshake, such as X25519MLKEM768; empty if unknown, as always with the JDK's TLS. */
    public String keyExchange() {
        return keyExchange;
    }

    public boolean keyUsedUp() {
        return out.records() >= context.recordLimit;
    }

    /** Number of bytes in all buffers that were written before the last one. The socket has taken all these bytes. */
    public long takenBefore() {
        return out.takenBefore();
    }

    /** Number of bytes received of a record that is still incomplete. */
    public int begunBytes() {
        return isOpen() ? in.begun() : 0;
    }

    /** Gives large buffers back that were not filled since the last call; called a few times a second. */
    public void tick() {
        if (isOpen()) {
            out.tick();
            in.tick();
        }
    }

    private boolean isOpen() {
        return state == State.OPEN || state == State.CLOSING;
    }

    /**
     * Runs a step, and passes every exception and error to {@code onFailure}. Netty would only log what a task or a
     * listener throws, and the connection would stay open for ever.
     */
    static void guarded(Runnable step, Consumer<Throwable> onFailure) {
        try {
            step.run();
        } catch (Throwable e) {
            onFailure.accept(e);
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        ctx = added;
        out.added(added);
    }

    void open(SSLEngine shaken) {
        state = State.OPEN;
        engine = shaken;
        if (shaken.getSession() instanceof OpenSslSession session) {
            keyExchange = Optional.ofNullable(session.getNamedGroup()).orElse("");
        }
        ctx.fireChannelActive();
        continueReading.run();
    }

    /** Ends the output with an alert, so that the client can distinguish this end from a lost connection. */
    public void endOutput() {
        closeOutput();
        // Not while a write is in flight, which Netty would never complete after the shutdown of the output.
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
        guarded(this::closeOutput, ctx::fireExceptionCaught);
        out.drop();
        closing.close(promise);
    }

    @Override
    public void channelInactive(ChannelHandlerContext inactive) {
        handlerRemoved(inactive);
        inactive.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext removed) {
        if (state != State.SHAKING) {
            state = State.GONE;
            release(engine);
        }
    }

    void release(SSLEngine used) {
        if (reserved > 0) {
            context.present.remove(channel);
            in.release();
            out.release();
            ReferenceCountUtil.release(used);
            pool.giveBack(reserved);
            reserved = 0;
        }
    }

    private void endBroken(SSLException cause) {
        if (isOpen()) {
            boolean outputOpen = state == State.OPEN;
            state = State.BROKEN;
            if (outputOpen) {
                out.sendEnd();
            }
            in.release();
            ctx.fireExceptionCaught(cause);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext from, Object msg) {
        ((ByteBuf) msg).release();
        if (msg instanceof ReadWindow read && isOpen()) {
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
            boolean more = true;
            while (more && isOpen() && in.waits() && channel.config().isAutoRead()) {
                more = deliverOnce();
            }
        } catch (SSLException e) {
            endBroken(e);
        } finally {
            delivering = false;
        }
    }

    /** Unwraps a part of the input into the connection's memory. Returns whether there may be more input. */
    private boolean deliverOnce() throws SSLException {
        if (reader.isDeaf()) {
            // The input may contain the client's closing alert. After unwrapping an alert, BoringSSL writes nothing.
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
        if (!isOpen()) {
            // The connection has closed itself within this read.
            return false;
        }
        if (out.mustWrap()) {
            pump();
            if (context.readsInParts()) {
                // BoringSSL asks for a write here only to send an alert, which is the only sign of the client's error.
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

    /** Reads on. Buffered input comes first, in a task, since the caller may be in the middle of a step. */
    @Override
    public void read(ChannelHandlerContext reading) {
        if (isOpen() && in.waits()) {
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
        if (isOpen() && in.waits()) {
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
        if (isOpen() && in.waits()) {
            deliver();
            ctx.fireChannelReadComplete();
        }
        if (isOpen() && !in.waits() && channel.config().isAutoRead()) {
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

    /** Continues when the socket has taken the bytes in flight. Passes the event on once all messages are written. */
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
