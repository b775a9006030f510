package dev.msgrelay.server.tls;

import dev.msgrelay.server.memory.MemoryBudget.Pool;
import dev.msgrelay.server.net.SegmentSize;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

/**
 * What is to be sent on one connection: it waits as it is, slices of the log among it, until it is wrapped straight into the
 * one buffer, which is then in flight. There is never more than that.
 *
 * <pre>
 *   messages --wrap--> | records | --write--> in flight --the socket has taken it--> the next ones
 * </pre>
 *
 * Owned as its {@link TlsHandler} is.
 */
final class TlsOutput {
    private static final ByteBuffer EMPTY = ByteBuffer.allocateDirect(0);

    /** Less than the large buffer, so that records of several messages fit. */
    private static final int MOST_WRITTEN = TlsRecords.LARGE - (1 << 10);

    private final Pool pool;
    private final ByteBufAllocator allocator;
    private final Runnable noMemory;
    private ChannelHandlerContext ctx;
    private SegmentSize segment;
    private SSLEngine engine;

    // What waits, and who is to be told.
    private final ArrayDeque<ByteBuf> messages = new ArrayDeque<>();
    private final ArrayDeque<ChannelPromise> promises = new ArrayDeque<>();
    // Of the first one, what is not wrapped yet.
    private ByteBuffer message;
    private long waiting;

    private ByteBuf buffer;
    private ByteBuffer target;
    private boolean large;
    // Since the last tick.
    private boolean filled;
    private boolean inFlight;
    // What the socket does meanwhile is looked at when it is done.
    private boolean writing;
    private boolean mustWrap;
    private long records;
    // Bytes written before the buffer that is in flight, and its own.
    private long before;
    private int last;

    /** @param noMemory told where there is none for a large buffer that would be filled */
    TlsOutput(Pool pool, ByteBufAllocator allocator, Runnable noMemory) {
        this.pool = pool;
        this.allocator = allocator;
        this.noMemory = noMemory;
        resize(TlsRecords.SMALL);
    }

    private void resize(int capacity) {
        ByteBuf old = buffer;
        // First: where there is no memory, the old one is still there to be released.
        buffer = allocator.directBuffer(capacity, capacity);
        if (old != null) {
            old.release();
        }
        target = buffer.nioBuffer(0, capacity);
    }

    /** Where records go. */
    void added(ChannelHandlerContext context) {
        ctx = context;
    }

    /** The handshake is done: from now on messages are wrapped. */
    void open(SSLEngine shaken) {
        engine = shaken;
        segment = SegmentSize.of(ctx.channel());
    }

    /** A few times a second: what is large and was not needed goes back. */
    void tick() {
        if (large && !filled && !inFlight) {
            resize(TlsRecords.SMALL);
            large = false;
            pool.give(TlsRecords.LARGE);
        }
        filled = false;
    }

    void release() {
        drop();
        buffer.release();
        if (large) {
            pool.give(TlsRecords.LARGE);
        }
    }

    /** What waits is sent no more. */
    void drop() {
        message = null;
        waiting = 0;
        for (ByteBuf left = messages.poll(); left != null; left = messages.poll()) {
            refuse(left, promises.poll());
        }
    }

    static void refuse(ByteBuf bytes, ChannelPromise promise) {
        bytes.release();
        if (!promise.isVoid()) {
            promise.tryFailure(new ClosedChannelException());
        }
    }

    // ---- what the library says by itself -------------------------------------------------------------------------

    /** Begins a step of the handshake, whose records are then sent with {@link #send}. */
    void clear() {
        target.clear();
    }

    /** Wraps what the handshake says next. */
    SSLEngineResult wrap(SSLEngine handshaking) throws SSLException {
        return handshaking.wrap(EMPTY, target);
    }

    /** Wraps what tells the client that this is the end: an alert. */
    void wrapEnd(SSLEngine ending) {
        try {
            ending.closeOutbound();
            ending.wrap(EMPTY, target);
        } catch (Throwable e) {
            // Then it is not told, and it is the end all the same.
        }
    }

    /** Tells the client that this is the end, unless it is {@link #busy}. */
    void sendEnd() {
        if (!busy()) {
            target.clear();
            wrapEnd(engine);
            if (ctx.channel().isActive()) {
                send();
            }
        }
    }

    /** Sends what was wrapped by itself, if anything. */
    void send() {
        if (target.position() > 0) {
            send(ctx.newPromise());
        }
    }

    /** Sends bytes as they are, to a client that does not speak TLS. */
    ChannelFuture sendPlain(ByteBuffer bytes) {
        target.clear().put(bytes);
        ChannelPromise told = ctx.newPromise();
        send(told);
        return told;
    }

    /** What the library wants for itself: a new key, or an alert to be sent. */
    void obey(HandshakeStatus status) {
        switch (status) {
            case NEED_TASK -> runTasks(engine);
            case NEED_WRAP -> mustWrap = true;
            default -> {}
        }
    }

    static void runTasks(SSLEngine engine) {
        for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
            task.run();
        }
    }

    /** Whether the library wants to say something. */
    boolean mustWrap() {
        return mustWrap;
    }

    // ---- messages ------------------------------------------------------------------------------------------------

    /** This is to be sent as well. */
    void add(ByteBuf bytes, ChannelPromise promise) {
        messages.add(bytes);
        promises.add(promise);
        waiting += bytes.readableBytes();
    }

    /** Records that the key has protected. */
    long records() {
        return records;
    }

    /** Bytes that the socket has taken before the buffer that was written last. */
    long takenBefore() {
        return before;
    }

    /** Whether the socket has not taken all that was written. */
    boolean inFlight() {
        return inFlight;
    }

    /** Whether its buffer is in use. */
    boolean busy() {
        return inFlight || writing;
    }

    /** Whether something is being written just now. */
    boolean writing() {
        return writing;
    }

    /** The socket has taken something. */
    void taken() {
        if (inFlight && ctx.channel().isWritable()) {
            inFlight = false;
        }
    }

    /** Wraps and writes until something is in flight, or nothing is left. */
    void pump() throws SSLException {
        if (writing) {
            return;
        }
        writing = true;
        try {
            while (!inFlight && (!messages.isEmpty() || mustWrap)) {
                ChannelPromise told = fill();
                if (target.position() == 0) {
                    break;
                }
                send(told);
                segment.written();
            }
        } finally {
            writing = false;
        }
    }

    /** Wraps what fits the buffer, with whole segments where there is so much; answers whom to tell once it is written. */
    private ChannelPromise fill() throws SSLException {
        if (waiting > TlsRecords.MOST_PLAIN) {
            filled = true;
            if (!large) {
                grow();
            }
        }
        int room = large ? TlsRecords.plainWithin(segment.wholeUpTo(MOST_WRITTEN)) : TlsRecords.MOST_PLAIN;
        ChannelPromise told = ctx.voidPromise();
        target.clear();
        if (mustWrap) {
            mustWrap = false;
            obey(wrap(engine).getHandshakeStatus());
        }
        while (room > 0 && !messages.isEmpty()) {
            if (message == null) {
                message = messages.peek().nioBuffer();
            }
            int part = Math.min(message.remaining(), room);
            int end = message.limit();
            message.limit(message.position() + part);
            wrapMessage();
            int done = part - message.remaining();
            message.limit(end);
            room -= done;
            waiting -= done;
            if (message.hasRemaining()) {
                // Its own promise is told once all of it is written.
                told = promises.peek().isVoid() ? promises.peek() : ctx.newPromise();
                if (done < part) {
                    break;
                }
            } else {
                message = null;
                messages.poll().release();
                told = promises.poll();
                if (!told.isVoid()) {
                    break;
                }
            }
        }
        return told;
    }

    private void grow() {
        if (pool.tryTake(TlsRecords.LARGE)) {
            large = true;
            resize(TlsRecords.LARGE);
        } else {
            noMemory.run();
        }
    }

    /** As much of the message, up to its limit, as there is room for. */
    private void wrapMessage() throws SSLException {
        while (message.hasRemaining()) {
            SSLEngineResult result = engine.wrap(message, target);
            obey(result.getHandshakeStatus());
            records += (result.bytesConsumed() + TlsRecords.MOST_PLAIN - 1) / TlsRecords.MOST_PLAIN;
            if (result.getStatus() == SSLEngineResult.Status.BUFFER_OVERFLOW) {
                return;
            }
            if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
                throw new SSLException("the client has closed its side");
            }
            if (result.bytesConsumed() == 0 && result.bytesProduced() == 0) {
                throw new SSLException("nothing can be written: " + result);
            }
        }
    }

    private void send(ChannelPromise told) {
        boolean outer = writing;
        writing = true;
        try {
            before += last;
            last = target.position();
            buffer.setIndex(0, last);
            ctx.writeAndFlush(buffer.retain(), told);
            inFlight = !ctx.channel().isWritable();
        } finally {
            writing = outer;
        }
    }
}
