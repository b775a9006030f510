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
import java.util.function.IntUnaryOperator;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

/**
 * The output of one connection: frames and slices of the log wait until they are wrapped into the buffer, which is then
 * in flight until the socket has taken it.
 *
 * <pre>
 *   messages --wrap--> | records | --write--> in flight --the socket has taken it--> the next messages
 * </pre>
 *
 * Owned by the channel's loop; within a step of the handshake, by the thread of the handshakes.
 */
final class TlsOutput {
    static final ByteBuffer EMPTY = ByteBuffer.allocateDirect(0);

    /** Most bytes of a write. The rest of the large buffer is for the overhead of records. */
    private static final int MOST_WRITTEN = TlsRecords.LARGE - (1 << 10);

    private final Pool pool;
    private final ByteBufAllocator allocator;
    private final Runnable noMemory;
    private ChannelHandlerContext ctx;
    private SegmentSize segment;
    private SSLEngine engine;

    // The waiting messages, and their promises.
    private final ArrayDeque<ByteBuf> messages = new ArrayDeque<>();
    private final ArrayDeque<ChannelPromise> promises = new ArrayDeque<>();
    // The part of the first message that is not wrapped yet; null if none of it is wrapped.
    private ByteBuffer message;
    private long waiting;

    private ByteBuf buffer;
    private ByteBuffer target;
    private boolean large;
    // Whether, since the last tick, more bytes have waited at a time than the small buffer holds.
    private boolean filled;
    private boolean inFlight;
    // Whether a call that writes is running. The channel may report a change of its writability within that call.
    private boolean writing;
    private boolean mustWrap;
    private long records;
    // Number of bytes in all written buffers before the last one, and number of bytes in the last one.
    private long before;
    private int last;

    /** @param noMemory run if a large buffer is needed, and there is no memory for it */
    TlsOutput(Pool pool, ByteBufAllocator allocator, Runnable noMemory) {
        this.pool = pool;
        this.allocator = allocator;
        this.noMemory = noMemory;
        resize(TlsRecords.SMALL);
    }

    private void resize(int capacity) {
        ByteBuf old = buffer;
        // The new buffer is allocated first, so that the old one remains if there is no memory for the new one.
        buffer = allocator.directBuffer(capacity, capacity);
        if (old != null) {
            old.release();
        }
        target = buffer.nioBuffer(0, capacity);
    }

    void added(ChannelHandlerContext context) {
        ctx = context;
    }

    void open(SSLEngine shaken) {
        engine = shaken;
        segment = new SegmentSize(ctx.channel(), IntUnaryOperator.identity());
    }

    /** Gives the large buffer back if it was not needed since the last call; called a few times a second. */
    void tick() {
        if (large && !filled && !inFlight) {
            resize(TlsRecords.SMALL);
            large = false;
            pool.giveBack(TlsRecords.LARGE);
        }
        filled = false;
    }

    void release() {
        drop();
        buffer.release();
        if (large) {
            pool.giveBack(TlsRecords.LARGE);
        }
    }

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

    /** Empties the buffer for a step of the handshake. {@link #send} then sends the step's records. */
    void clear() {
        target.clear();
    }

    SSLEngineResult wrap(SSLEngine handshaking) throws SSLException {
        return handshaking.wrap(EMPTY, target);
    }

    void wrapEnd(SSLEngine ending) {
        try {
            ending.closeOutbound();
            ending.wrap(EMPTY, target);
        } catch (Throwable e) {
            // The connection ends without an alert.
        }
    }

    /** Sends the alert that ends the output, unless the buffer is {@link #busy}. */
    void sendEnd() {
        if (!busy()) {
            target.clear();
            wrapEnd(engine);
            if (ctx.channel().isActive()) {
                send();
            }
        }
    }

    void send() {
        if (target.position() > 0) {
            send(ctx.newPromise());
        }
    }

    /** Sends bytes in the clear, to a client that does not speak TLS. */
    ChannelFuture sendPlain(ByteBuffer bytes) {
        target.clear().put(bytes);
        ChannelPromise told = ctx.newPromise();
        send(told);
        return told;
    }

    /** Runs the tasks of the library, or notes that the library wants to write something, such as an alert. */
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

    boolean mustWrap() {
        return mustWrap;
    }

    void add(ByteBuf bytes, ChannelPromise promise) {
        messages.add(bytes);
        promises.add(promise);
        waiting += bytes.readableBytes();
    }

    /** Number of records that the key has protected. */
    long records() {
        return records;
    }

    long takenBefore() {
        return before;
    }

    /** Whether the socket has not taken all written bytes yet. */
    boolean inFlight() {
        return inFlight;
    }

    boolean busy() {
        return inFlight || writing;
    }

    boolean writing() {
        return writing;
    }

    /** Updates {@link #inFlight}. */
    void checkInFlight() {
        inFlight &= !ctx.channel().isWritable();
    }

    /** Wraps and writes until a buffer is in flight, or nothing is left. */
    void pump() throws SSLException {
        while (!busy() && (!messages.isEmpty() || mustWrap)) {
            ChannelPromise told = fill();
            if (target.position() == 0) {
                break;
            }
            send(told);
            segment.countTransfer();
        }
    }

    /** Fills the buffer, with whole segments of the link if enough bytes wait. Returns the promise for the write. */
    private ChannelPromise fill() throws SSLException {
        if (waiting > TlsRecords.MOST_PLAIN) {
            filled = true;
            if (!large && pool.tryTake(TlsRecords.LARGE)) {
                large = true;
                resize(TlsRecords.LARGE);
            } else if (!large) {
                noMemory.run();
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
                // The message's own promise is kept for the write of its last part.
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

    /** Wraps the message up to its limit, or until the buffer is full. */
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
        writing = true;
        try {
            before += last;
            last = target.position();
            buffer.setIndex(0, last);
            ctx.writeAndFlush(buffer.retain(), told);
            inFlight = !ctx.channel().isWritable();
        } finally {
            writing = false;
        }
    }
}
