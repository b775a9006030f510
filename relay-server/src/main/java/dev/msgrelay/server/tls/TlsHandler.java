package dev.msgrelay.server.tls;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.memory.MemoryBudget.Pool;
import dev.msgrelay.server.memory.ReadWindow;
import dev.msgrelay.server.net.ReadSwitch;
import dev.msgrelay.server.net.SocketReads;
import dev.msgrelay.server.net.Wall;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/**
 * TLS of one connection, whose handshake {@link TlsHandshake} has made. Until then it is told of nothing, and tells nothing.
 *
 * <pre>
 *   SHAKING --> OPEN --> CLOSING --> GONE
 *                 '---------'--> BROKEN --^
 *
 *   socket --> TlsInput --> the connection --> TlsOutput --> socket
 * </pre>
 *
 * Both buffers are small, one record each, and reserved when the connection comes. While there is much to do, and memory for
 * it, they are large. While the connection does not read, the socket is not read either.
 *
 * <p>Owned by the channel's loop.
 */
public final class TlsHandler extends ChannelDuplexHandler {
    /** Is told how handshakes end. On the channel's loop, unless it says otherwise. */
    public interface Watch {
        /** A connection is open. */
        void opened();

        /** A connection has ended before it was open. */
        void ended(Channel channel, CloseReason reason, String text);

        /** That was by a fault of the relay's own. */
        void failed(Channel channel, Throwable cause);

        /** It was a client that does not speak TLS. */
        void plain();

        /** Where more was to be written than the small buffer takes, there was no memory for a large one. */
        void small();
    }

    private enum State {
        SHAKING,
        OPEN,
        /** Nothing is written any more; what comes is still read. */
        CLOSING,
        /** The client has broken the rules of TLS: what comes is thrown away. */
        BROKEN,
        GONE
    }

    /**
     * What BoringSSL has of a connection in memory of its own: 17 KiB for the record that it is at, each way, and its state.
     */
    private static final int SESSION = 40 << 10;

    /** What a subscriber, which says little, is handed at a time. */
    public static final int CONTROL_READ = 1 << 10;

    private final TlsContext context;
    private final Channel channel;
    private final Pool pool;
    private final ByteBufAllocator allocator;
    private final SocketReads.Reader reader;
    final ReadSwitch reads;
    final TlsOutput out;
    final TlsInput in;
    private final Runnable goOn = () -> Wall.run(this::goOn, this::tellFailure);

    private ChannelHandlerContext ctx;
    private State state = State.SHAKING;
    private SSLEngine engine;
    // Bytes; 0: they were given back.
    private int reserved;
    private boolean goesOn;
    private boolean delivering;
    // For another loop, which reads on: what this one began now, it would do while that one has the channel.
    private boolean leaving;

    private TlsHandler(
            TlsContext context,
            Channel channel,
            Pool pool,
            ByteBufAllocator allocator,
            SocketReads.Reader reader,
            Watch watch) {
        this.context = context;
        this.channel = channel;
        this.pool = pool;
        this.allocator = allocator;
        this.reader = reader;
        reserved = bytesOfOne(context.readsInParts());
        reads = new ReadSwitch(channel, () -> channel.pipeline().fireChannelInactive());
        out = new TlsOutput(pool, allocator, watch::small);
        try {
            in = new TlsInput(channel, pool, allocator, reads, reader, out);
        } catch (OutOfMemoryError none) {
            out.release();
            throw none;
        }
    }

    /**
     * Puts TLS before a connection, which is to be added next; the channel is not registered yet.
     *
     * @param pool that all its memory comes from
     * @param reader where a publisher wants its bytes; null: a subscriber, which says little
     * @return false where there is not so much memory
     */
    public static boolean add(
            Channel channel,
            TlsContext context,
            Pool pool,
            ByteBufAllocator allocator,
            SocketReads.Reader reader,
            Watch watch) {
        int bytes = bytesOfOne(context.readsInParts());
        if (!pool.tryTake(bytes)) {
            return false;
        }
        TlsHandler handler =
                pool.allocate(bytes, () -> new TlsHandler(context, channel, pool, allocator, reader, watch));
        context.came(channel);
        channel.config().setRecvByteBufAllocator(new SocketReads(handler.in, TlsInput.READS));
        channel.pipeline().addLast(new TlsHandshake(context, allocator, handler, watch), handler);
        return true;
    }

    private static int bytesOfOne(boolean readsInParts) {
        return SESSION + (readsInParts ? 2 : 3) * TlsRecords.SMALL;
    }

    /** Memory that one connection reserves, large buffers not counted. */
    public static int leastBytesOfOne() {
        return bytesOfOne(true);
    }

    /** That of a channel; null: it has none. */
    public static TlsHandler of(Channel channel) {
        return channel.pipeline().get(TlsHandler.class);
    }

    /** Whether the key has protected as many records as it may. */
    public boolean keyUsedUp() {
        return out.records() >= context.recordLimit();
    }

    /** Bytes that the socket has taken before the buffer that was written last. */
    public long takenBefore() {
        return out.takenBefore();
    }

    /** Bytes that have come of a record that is not whole, and so are no data yet. */
    public int begunBytes() {
        return open() ? in.begun() : 0;
    }

    /** A few times a second: what is large and was not needed goes back. */
    public void tick() {
        if (open()) {
            out.tick();
            in.tick();
        }
    }

    /** Whether the connection is told what comes. */
    private boolean open() {
        return state == State.OPEN || state == State.CLOSING;
    }

    // ---- its life ----------------------------------------------------------------------------------------------

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        ctx = added;
        out.added(added);
    }

    /** The handshake is done, and the buffers have the engine. */
    void open(SSLEngine shaken) {
        state = State.OPEN;
        engine = shaken;
        ctx.fireChannelActive();
        Wall.run(this::goOn, this::tellFailure);
    }

    /** Nothing is written any more: the client is told that this is the end of the stream, and no cut. */
    public void endOutput() {
        closeOutput();
        // Not before: an output that is shut down with something in flight is never told to be done with it.
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
        // Closed it is, whatever becomes of the word that it is.
        Wall.run(this::closeOutput, this::tellFailure);
        out.drop();
        closing.close(promise);
    }

    @Override
    public void channelInactive(ChannelHandlerContext inactive) {
        gone();
        inactive.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext removed) {
        gone();
    }

    private void gone() {
        if (state != State.SHAKING) {
            state = State.GONE;
            release(engine);
        }
    }

    /** Gives all memory back, that of the library as well. */
    void release(SSLEngine used) {
        if (reserved > 0) {
            context.left(channel);
            in.release();
            out.release();
            ReferenceCountUtil.release(used);
            pool.give(reserved);
            reserved = 0;
        }
    }

    /** The connection ends itself. */
    private void tellFailure(Throwable cause) {
        ctx.fireExceptionCaught(cause);
    }

    /** The client has broken the rules of TLS. */
    private void broken(SSLException cause) {
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

    @Override
    public void exceptionCaught(ChannelHandlerContext thrown, Throwable cause) {
        if (cause != SocketReads.Refused.INSTANCE) {
            thrown.fireExceptionCaught(cause);
        }
    }

    // ---- reading ---------------------------------------------------------------------------------------------------

    @Override
    public void channelRead(ChannelHandlerContext from, Object msg) {
        ((ByteBuf) msg).release();
        if (msg instanceof ReadWindow read && open()) {
            in.came(read.writerIndex());
            deliver();
        }
    }

    /** Hands on what has come, as long as the connection reads. */
    private void deliver() {
        if (delivering) {
            return;
        }
        delivering = true;
        try {
            while (open() && in.waits() && channel.config().isAutoRead() && deliverOnce()) {
                // The next part.
            }
        } catch (SSLException e) {
            broken(e);
        } finally {
            delivering = false;
        }
    }

    /** Answers whether there may be more. */
    private boolean deliverOnce() throws SSLException {
        ByteBuf window = reader == null ? allocator.directBuffer(CONTROL_READ, CONTROL_READ) : reader.whereToRead();
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
            // The connection has ended with it.
            return false;
        }
        if (out.mustWrap()) {
            pump();
            if (context.readsInParts()) {
                // All that BoringSSL wants to say by itself is an alert, and then it does not throw.
                throw new SSLException("a record cannot be read: it is none, or was changed on the way");
            }
        }
        if (in.ended()) {
            ctx.close();
            return false;
        }
        return true;
    }

    /** The connection reads again: what waits goes first. Not at once, since it is in the middle of something. */
    @Override
    public void read(ChannelHandlerContext reading) {
        if (open() && in.waits()) {
            goOnLater();
        } else {
            readSocket();
        }
    }

    @Override
    public void deregister(ChannelHandlerContext leaves, ChannelPromise promise) {
        leaving = true;
        leaves.deregister(promise);
    }

    /** A new loop has it. */
    @Override
    public void channelRegistered(ChannelHandlerContext registered) {
        leaving = false;
        if (open() && in.waits()) {
            goOnLater();
        }
        registered.fireChannelRegistered();
    }

    private void goOnLater() {
        if (!goesOn && !delivering && !leaving) {
            goesOn = true;
            channel.eventLoop().execute(goOn);
        }
    }

    private void goOn() {
        goesOn = false;
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

    /** The socket has taken what was in flight. Who waits for that is told once nothing is left. */
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext changed) {
        if (out.writing()) {
            return;
        }
        out.taken();
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
                broken(e);
            }
        }
        if (state == State.CLOSING) {
            endOutput();
        }
    }
}
