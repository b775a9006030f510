package dev.msgrelay.server.tls;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.server.access.Peer;
import dev.msgrelay.server.memory.MemoryBudget.Pool;
import dev.msgrelay.server.memory.ReadBuffer;
import dev.msgrelay.server.memory.ReadWindow;
import dev.msgrelay.server.net.ReadSwitch;
import dev.msgrelay.server.net.SegmentSize;
import dev.msgrelay.server.net.SocketReads;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.security.cert.X509Certificate;
import java.util.ArrayDeque;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * TLS of one connection, which learns that it is connected once the handshake is done, and of nothing else:
 *
 * <pre>
 *   HANDSHAKE --done--> OPEN --closed, failed--> ENDED
 *       |                                          ^   what comes is thrown away
 *       '-----------failed, too late, not TLS------'
 * </pre>
 *
 * What is written waits as it is, slices of the log among it, until it is wrapped straight into the connection's one buffer,
 * which is then in flight: there is never more than that. What is read goes from the connection's buffer of records to where
 * the connection wants it; while that one does not read, the socket is not read either.
 *
 * <p>Both buffers are small, one record each, and reserved when the connection comes. While there is much to do, and memory
 * for it, they are large.
 *
 * <p>Owned by the channel's loop. While the thread of the handshakes has it ({@code working}), the loop only notes what happens.
 */
public final class TlsHandler extends ChannelDuplexHandler {
    /** Is told how handshakes end. On the channel's loop, unless it says otherwise. */
    public interface Watch {
        /** A connection is open. */
        void opened();

        /** A connection has ended before it was open. */
        void ended(Channel channel, CloseReason reason, String text);

        /** It was a client that does not speak TLS. */
        void plain();

        /** Where more was to be written than the small buffer takes, there was no memory for a large one. */
        void small();
    }

    private enum State {
        HANDSHAKE,
        OPEN,
        ENDED
    }

    /** One record, and what the JDK wants to have room for beyond it. */
    static final int SMALL = 17 << 10;

    /** What one read or write moves at most: a segment of loopback. */
    static final int LARGE = 66 << 10;

    /**
     * What BoringSSL has of a connection in memory of its own: 17 KiB for the record that it is at, each way, and its state.
     */
    private static final int SESSION = 40 << 10;

    /** What a subscriber, which says little, is handed at a time. */
    public static final int CONTROL_READ = 1 << 10;

    private static final int LINGER_MILLIS = 1000;
    private static final int THROWN_AWAY = 4 << 10;

    private static final ByteBuffer EMPTY = ByteBuffer.allocateDirect(0);

    private final TlsContext context;
    private final Pool pool;
    private final ByteBufAllocator allocator;
    private final SocketReads.Reader reader;
    private final Watch watch;
    private final int reserved;
    private final Runnable goOn = () -> walled(this::goOn);

    private ChannelHandlerContext ctx;
    private Channel channel;
    private ReadSwitch reads;
    private SegmentSize segment;
    private State state = State.HANDSHAKE;
    private Future<?> deadline;
    private SSLEngine engine;
    private boolean begun;
    private boolean working;
    // It was open, or still is: the connection knows of it.
    private boolean opened;
    private boolean gone;
    private boolean freed;

    // Records that have come: from inStart to inEnd.
    private ReadBuffer in;
    private ByteBuffer source;
    private boolean inLarge;
    private boolean inUsed;
    private int inStart;
    private int inEnd;
    // Whether the next unwrap may bring something.
    private boolean more;
    private boolean goesOn;
    private boolean delivering;
    // Plain text that found too little room, where the library gives a record as a whole only.
    private ByteBuffer rest;
    private ByteBuffer spare;
    private boolean peerClosed;

    // What waits to be wrapped, and who is to be told.
    private final ArrayDeque<ByteBuf> messages = new ArrayDeque<>();
    private final ArrayDeque<ChannelPromise> promises = new ArrayDeque<>();
    private ByteBuffer message;
    private long waiting;
    private ByteBuf out;
    private ByteBuffer target;
    private boolean outLarge;
    private boolean outUsed;
    private boolean inFlight;
    private boolean pumping;
    private boolean mustWrap;
    private boolean noMore;
    private long records;

    private TlsHandler(
            TlsContext context,
            Pool pool,
            ByteBufAllocator allocator,
            SocketReads.Reader reader,
            Watch watch,
            int reserved) {
        this.context = context;
        this.pool = pool;
        this.allocator = allocator;
        this.reader = reader;
        this.watch = watch;
        this.reserved = reserved;
        in = new ReadBuffer(allocator, SMALL);
        source = in.view().duplicate();
        out = allocator.directBuffer(SMALL, SMALL);
        target = out.nioBuffer(0, SMALL);
    }

    /**
     * One for a connection.
     *
     * @param pool that all its memory comes from
     * @param reader where a publisher wants its bytes; null: a subscriber, which says little
     * @return null where there is not so much memory
     */
    public static TlsHandler of(
            TlsContext context, Pool pool, ByteBufAllocator allocator, SocketReads.Reader reader, Watch watch) {
        int bytes = bytesOfOne(context.readsInParts());
        return pool.tryTake(bytes) ? new TlsHandler(context, pool, allocator, reader, watch, bytes) : null;
    }

    private static int bytesOfOne(boolean readsInParts) {
        return SESSION + (readsInParts ? 2 : 3) * SMALL;
    }

    /** Memory that one connection reserves, large buffers not counted. */
    public static int leastBytesOfOne() {
        return bytesOfOne(true);
    }

    /** That of a channel; null: it has none. */
    public static TlsHandler of(Channel channel) {
        return channel.pipeline().get(TlsHandler.class);
    }

    /** To be set on the channel before it is registered. */
    public RecvByteBufAllocator reads() {
        return new SocketReads(new Socket());
    }

    /** Whether the key has protected as many records as it may. */
    public boolean keyUsedUp() {
        return records >= context.recordLimit();
    }

    /** A few times a second: what is large and was not needed goes back. */
    public void tick() {
        if (gone) {
            return;
        }
        if (outLarge && !outUsed && !inFlight) {
            useOut(SMALL);
            outLarge = false;
            pool.give(LARGE);
        }
        if (inLarge && !inUsed && inStart == inEnd) {
            inStart = 0;
            inEnd = 0;
            useIn(SMALL);
            inLarge = false;
            pool.give(LARGE);
        }
        outUsed = false;
        inUsed = false;
    }

    // ---- the handshake -----------------------------------------------------------------------------------------

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        ctx = context;
        channel = context.channel();
        reads = new ReadSwitch(channel, () -> channelInactive(ctx));
        this.context.came(this);
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        segment = SegmentSize.of(channel);
        deadline = channel.eventLoop()
                .schedule(() -> walled(this::tooLate), this.context.handshakeMillis(), TimeUnit.MILLISECONDS);
    }

    private void tooLate() {
        if (state != State.HANDSHAKE) {
            return;
        }
        String text = "no TLS handshake within " + context.handshakeMillis() + " ms";
        if (begun || inEnd > 0) {
            fail(text);
        } else {
            // It has said nothing: perhaps it waits for messages.
            sayPlain(text + ": on this port clients speak TLS first");
        }
    }

    private void shakeHands() {
        if (!begun && inEnd > 0) {
            int second = inEnd > 1 ? in.view().get(1) : 3;
            if (!TlsRecords.mayBegin(in.view().get(0), second)) {
                watch.plain();
                sayPlain(String.format(
                        "this port is for TLS, and the first byte is 0x%02X, not the 0x16 of a TLS handshake: the client"
                                + " has to speak TLS 1.3, or go to the port for plain clients",
                        in.view().get(0)));
                return;
            }
        }
        int length = recordLength();
        if (length > TlsRecords.MOST_BYTES) {
            fail("a record of " + length + " bytes; the limit is " + TlsRecords.MOST_BYTES);
        } else if (length > 0 && inEnd - inStart >= length && !inFlight) {
            begun = true;
            working = true;
            reads.off();
            context.execute(this::work);
        }
    }

    /** Of the record that comes next, header included; 0: not known yet. */
    private int recordLength() {
        if (inEnd - inStart < TlsRecords.HEADER) {
            return 0;
        }
        ByteBuffer view = in.view();
        int high = view.get(inStart + 3) & 0xFF;
        return TlsRecords.HEADER + (high << 8 | view.get(inStart + 4) & 0xFF);
    }

    /** On the thread of the handshakes: as far as what has come allows. */
    private void work() {
        boolean done = false;
        Throwable failure = null;
        try {
            if (engine == null) {
                engine = context.newEngine(allocator);
                engine.beginHandshake();
            }
            target.clear();
            done = step();
        } catch (Throwable e) {
            // Whatever it is, the loop has to hear of it: until then it does not touch the connection.
            failure = e;
            wrapAlert();
        }
        boolean isDone = done;
        Throwable why = failure;
        try {
            channel.eventLoop().execute(() -> walled(() -> worked(isDone, why)));
        } catch (RejectedExecutionException e) {
            // The loop has ended, and with it the channel.
            working = false;
            free();
        }
    }

    private boolean step() throws SSLException {
        while (true) {
            switch (engine.getHandshakeStatus()) {
                case NOT_HANDSHAKING, FINISHED -> {
                    return true;
                }
                case NEED_TASK -> runTasks();
                case NEED_WRAP -> {
                    SSLEngineResult result = engine.wrap(EMPTY, target);
                    if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
                        throw new SSLException("closed within the handshake");
                    }
                    if (result.getStatus() == SSLEngineResult.Status.BUFFER_OVERFLOW) {
                        return false;
                    }
                }
                default -> {
                    // BoringSSL learns that it is done when it is asked for more. What follows is no part of the
                    // handshake.
                    HandshakeStatus status =
                            engine.unwrap(EMPTY, context.nothing()).getHandshakeStatus();
                    boolean done = status == HandshakeStatus.FINISHED || status == HandshakeStatus.NOT_HANDSHAKING;
                    if (done || (wantsRecord(status) && !unwrapRecord())) {
                        return done;
                    }
                }
            }
        }
    }

    private static boolean wantsRecord(HandshakeStatus status) {
        return status == HandshakeStatus.NEED_UNWRAP || status == HandshakeStatus.NEED_UNWRAP_AGAIN;
    }

    /** One record of the handshake; false: it is not there yet. */
    private boolean unwrapRecord() throws SSLException {
        int length = recordLength();
        if (length == 0 || inEnd - inStart < length) {
            return false;
        }
        source.limit(inStart + length).position(inStart);
        SSLEngineResult result = engine.unwrap(source, context.nothing());
        if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
            throw new SSLException("the client has closed it within the handshake");
        }
        if (source.position() == inStart && wantsRecord(result.getHandshakeStatus())) {
            throw new SSLException("a record of " + length + " bytes is not taken");
        }
        inStart = source.position();
        return true;
    }

    private void runTasks() {
        for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
            task.run();
        }
    }

    /** What the client is to be told of the failure. */
    private void wrapAlert() {
        try {
            if (engine != null) {
                engine.closeOutbound();
                engine.wrap(EMPTY, target);
            }
        } catch (SSLException | RuntimeException e) {
            // Then it is not told.
        }
    }

    private void worked(boolean done, Throwable failure) {
        working = false;
        if (gone) {
            free();
            return;
        }
        if (target.position() > 0) {
            send(ctx.newPromise());
        }
        if (failure != null) {
            fail(TlsFailure.text(failure));
        } else if (done) {
            open();
        } else if (!inFlight) {
            reads.on();
            shakeHands();
        }
    }

    private void open() {
        deadline.cancel(false);
        tellSubject();
        state = State.OPEN;
        opened = true;
        watch.opened();
        compact();
        reads.on();
        ctx.fireChannelActive();
        more = inEnd > inStart;
        goOn();
    }

    /** Of the client's certificate, where it has shown one: the connection finds there who its peer is. */
    private void tellSubject() {
        try {
            X509Certificate shown = (X509Certificate) engine.getSession().getPeerCertificates()[0];
            channel.attr(Peer.CERTIFICATE).set(shown.getSubjectX500Principal());
        } catch (SSLPeerUnverifiedException e) {
            // It has shown none.
        }
    }

    // ---- the end -------------------------------------------------------------------------------------------------

    /** A client without TLS reads this. */
    private void sayPlain(String text) {
        if (!end(CloseReason.TLS_FAILED, text)) {
            return;
        }
        ctx.writeAndFlush(Unpooled.wrappedBuffer(ErrorFrame.encode(CloseReason.TLS_FAILED, text)))
                .addListener(done -> endOutput());
        linger();
    }

    private void fail(String text) {
        if (end(CloseReason.TLS_FAILED, text)) {
            if (channel instanceof DuplexChannel duplex && !inFlight) {
                duplex.shutdownOutput();
            }
            linger();
        }
    }

    private boolean end(CloseReason reason, String text) {
        if (state != State.HANDSHAKE) {
            return false;
        }
        state = State.ENDED;
        if (deadline != null) {
            deadline.cancel(false);
        }
        watch.ended(channel, reason, text);
        return true;
    }

    /** Reads for a while what still comes, and throws it away: a reset would overtake what the client is told. */
    private void linger() {
        channel.eventLoop().schedule(() -> ctx.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
        if (!working) {
            channel.eventLoop().execute(reads::on);
        }
        free();
    }

    /** Nothing is written any more: the client is told that this is the end of the stream, and no cut. */
    public void endOutput() {
        closeNotify();
        if (channel instanceof DuplexChannel duplex) {
            duplex.shutdownOutput();
        }
    }

    private void closeNotify() {
        if (state != State.OPEN || noMore) {
            return;
        }
        noMore = true;
        dropMessages();
        if (inFlight) {
            return;
        }
        try {
            engine.closeOutbound();
            target.clear();
            engine.wrap(EMPTY, target);
            if (target.position() > 0 && channel.isActive()) {
                send(ctx.newPromise());
            }
        } catch (SSLException e) {
            // Then it is not told.
        }
    }

    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) {
        closeNotify();
        dropMessages();
        context.close(promise);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        gone();
        context.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        gone();
    }

    /** The relay ends. Any thread. */
    void abandon() {
        channel.close();
    }

    private void gone() {
        if (begun || inEnd > 0) {
            end(CloseReason.TLS_FAILED, "closed within the handshake");
        } else {
            end(CloseReason.PEER_CLOSED, "");
        }
        state = State.ENDED;
        free();
    }

    private void free() {
        gone = true;
        if (working || freed) {
            // The thread looks into its memory, and brings it back.
            return;
        }
        freed = true;
        context.left(this);
        dropMessages();
        in.release();
        out.release();
        ReferenceCountUtil.release(engine);
        pool.give(reserved + (inLarge ? LARGE : 0) + (outLarge ? LARGE : 0));
    }

    private void dropMessages() {
        message = null;
        waiting = 0;
        for (ByteBuf left = messages.poll(); left != null; left = messages.poll()) {
            left.release();
            ChannelPromise promise = promises.poll();
            if (!promise.isVoid()) {
                promise.tryFailure(new ClosedChannelException());
            }
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause == ReadSwitch.Refused.INSTANCE) {
            return;
        }
        if (opened) {
            context.fireExceptionCaught(cause);
        } else {
            end(CloseReason.TLS_FAILED, "connection lost within the handshake: " + cause.getMessage());
            context.close();
        }
    }

    /** A step that no event of the channel began: what it throws would end nowhere, and the connection never. */
    private void walled(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            if (opened) {
                ctx.fireExceptionCaught(e);
            } else {
                end(CloseReason.INTERNAL_ERROR, "a fault of the relay within the handshake: " + e);
                ctx.close();
            }
        }
    }

    // ---- reading ---------------------------------------------------------------------------------------------------

    /** The socket's side: where records are read to. */
    private final class Socket implements SocketReads.Reader {
        @Override
        public boolean mayRead() {
            return channel.config().isAutoRead() && !undelivered();
        }

        @Override
        public ByteBuf whereToRead() {
            if (state == State.ENDED) {
                return allocator.directBuffer(THROWN_AWAY);
            }
            if (!mayRead()) {
                throw reads.refuse();
            }
            compact();
            return in.window(inEnd, in.capacity()).retain();
        }

        @Override
        public boolean readsOn() {
            return state == State.ENDED || mayRead();
        }

        @Override
        public void moreExpected() {
            if (reader != null) {
                reader.moreExpected();
            }
        }
    }

    /** Moves what has come to the front; there is always room behind it for the rest of a record. */
    private void compact() {
        if (inStart == inEnd) {
            inStart = 0;
            inEnd = 0;
        } else if (inStart > 0) {
            in.view().put(0, in.view(), inStart, inEnd - inStart);
            inEnd -= inStart;
            inStart = 0;
        }
        if (inUsed && !inLarge && pool.tryTake(LARGE)) {
            inLarge = true;
            useIn(LARGE);
        }
    }

    private void useIn(int capacity) {
        ReadBuffer old = in;
        in = new ReadBuffer(allocator, capacity);
        in.view().put(0, old.view(), 0, inEnd);
        source = in.view().duplicate();
        old.release();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object msg) {
        ((ByteBuf) msg).release();
        if (!(msg instanceof ReadWindow read) || state == State.ENDED) {
            return;
        }
        inEnd = read.writerIndex();
        if (state == State.HANDSHAKE) {
            shakeHands();
        } else {
            // It took all that there was room for: more room would have taken more.
            inUsed |= inEnd == in.capacity();
            more = true;
            deliver();
        }
    }

    /** Whether something waits that the connection has not taken. */
    private boolean undelivered() {
        return more || rest != null;
    }

    /** Hands on what has come, as long as the connection reads. */
    private void deliver() {
        if (delivering) {
            return;
        }
        delivering = true;
        try {
            while (state == State.OPEN && undelivered() && channel.config().isAutoRead() && deliverOnce()) {
                // The next part.
            }
        } catch (SSLException e) {
            broken(e);
        } finally {
            delivering = false;
        }
    }

    /** The client has broken the rules of TLS. */
    private void broken(SSLException cause) {
        if (gone) {
            return;
        }
        state = State.ENDED;
        if (!inFlight && !noMore) {
            target.clear();
            wrapAlert();
            if (target.position() > 0) {
                send(ctx.newPromise());
            }
        }
        ctx.fireExceptionCaught(cause);
    }

    private boolean deliverOnce() throws SSLException {
        if (reader != null && !reader.mayRead()) {
            return false;
        }
        ByteBuf window = reader == null ? allocator.directBuffer(CONTROL_READ, CONTROL_READ) : reader.whereToRead();
        int bytes = 0;
        try {
            ByteBuffer room = window instanceof ReadWindow read
                    ? read.room()
                    : window.nioBuffer(window.writerIndex(), window.writableBytes());
            int before = room.position();
            if (rest != null) {
                pourRest(room);
            } else {
                unwrap(room);
            }
            bytes = room.position() - before;
        } finally {
            if (bytes == 0) {
                window.release();
            }
        }
        if (bytes > 0) {
            ctx.fireChannelRead(window.writerIndex(window.writerIndex() + bytes));
        }
        if (state != State.OPEN) {
            // The connection has ended with it.
            return false;
        }
        if (mustWrap) {
            pump();
            if (context.readsInParts()) {
                // All that BoringSSL wants to say by itself is an alert, and then it does not throw.
                throw new SSLException("a record cannot be read: it is none, or was changed on the way");
            }
        }
        if (peerClosed && rest == null) {
            ctx.close();
            return false;
        }
        return true;
    }

    /** Unwraps records until there is no room, or none is whole. */
    private void unwrap(ByteBuffer room) throws SSLException {
        int before = room.position();
        while (true) {
            source.limit(inEnd).position(inStart);
            SSLEngineResult result = engine.unwrap(source, room);
            boolean moved = source.position() > inStart;
            inStart = source.position();
            if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
                peerClosed = true;
                more = false;
                return;
            }
            obey(result.getHandshakeStatus());
            switch (result.getStatus()) {
                case BUFFER_UNDERFLOW -> {
                    more = false;
                    return;
                }
                case BUFFER_OVERFLOW -> {
                    if (room.position() == before && !moved) {
                        unwrapToRest(room);
                    }
                    return;
                }
                default -> {
                    if (inStart == inEnd || (!moved && result.bytesProduced() == 0)) {
                        more = false;
                        return;
                    }
                }
            }
        }
    }

    /** A record that the library gives as a whole only, and for which there is too little room. */
    private void unwrapToRest(ByteBuffer room) throws SSLException {
        if (spare == null) {
            spare = ByteBuffer.allocateDirect(SMALL);
        }
        if (room == spare) {
            throw new SSLException("a record for which " + SMALL + " bytes are too little");
        }
        rest = spare.clear();
        unwrap(rest);
        rest.flip();
        pourRest(room);
    }

    private void pourRest(ByteBuffer room) {
        int part = Math.min(room.remaining(), rest.remaining());
        room.put(room.position(), rest, rest.position(), part).position(room.position() + part);
        rest.position(rest.position() + part);
        if (!rest.hasRemaining()) {
            rest = null;
        }
    }

    /** The connection reads again: what waits goes first. Not at once, since it is in the middle of something. */
    @Override
    public void read(ChannelHandlerContext context) {
        if (state == State.OPEN && undelivered()) {
            goOnLater();
        } else {
            readSocket();
        }
    }

    /** A new loop has it. */
    @Override
    public void channelRegistered(ChannelHandlerContext context) {
        if (state == State.OPEN && undelivered()) {
            goOnLater();
        }
        context.fireChannelRegistered();
    }

    private void goOnLater() {
        if (!goesOn && !delivering) {
            goesOn = true;
            channel.eventLoop().execute(goOn);
        }
    }

    private void goOn() {
        goesOn = false;
        if (state != State.OPEN) {
            return;
        }
        if (undelivered()) {
            deliver();
            ctx.fireChannelReadComplete();
        }
        if (state == State.OPEN && !undelivered() && channel.config().isAutoRead()) {
            readSocket();
        }
    }

    private void readSocket() {
        if (reads.hasRefused()) {
            reads.on();
        } else {
            ctx.read();
        }
    }

    // ---- writing -----------------------------------------------------------------------------------------------

    @Override
    public void write(ChannelHandlerContext context, Object msg, ChannelPromise promise) {
        ByteBuf bytes = (ByteBuf) msg;
        if (state != State.OPEN || noMore) {
            bytes.release();
            if (!promise.isVoid()) {
                promise.tryFailure(new ClosedChannelException());
            }
            return;
        }
        messages.add(bytes);
        promises.add(promise);
        waiting += bytes.readableBytes();
    }

    @Override
    public void flush(ChannelHandlerContext context) {
        pump();
        context.flush();
    }

    /** The socket has taken what was in flight. Who waits for that is told once nothing is left. */
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (pumping) {
            return;
        }
        if (inFlight && channel.isWritable()) {
            inFlight = false;
        }
        if (state == State.HANDSHAKE && !working && !inFlight) {
            reads.on();
            shakeHands();
        }
        pump();
        if (opened && !inFlight) {
            context.fireChannelWritabilityChanged();
        }
    }

    /** Wraps and writes until something is in flight, or nothing is left. */
    private void pump() {
        if (pumping || state != State.OPEN) {
            return;
        }
        pumping = true;
        try {
            while (!inFlight && (!messages.isEmpty() || mustWrap)) {
                ChannelPromise told = fill();
                if (target.position() == 0) {
                    break;
                }
                send(told);
            }
        } catch (SSLException e) {
            broken(e);
        } finally {
            pumping = false;
        }
    }

    /** Wraps what fits the buffer, with whole segments where there is so much; answers whom to tell once it is written. */
    private ChannelPromise fill() throws SSLException {
        boolean much = waiting > TlsRecords.MOST_PLAIN;
        if (much) {
            outUsed = true;
            if (!outLarge) {
                grow();
            }
        }
        int room = outLarge ? TlsRecords.plainWithin(segment.wholeUpTo(LARGE - (1 << 10))) : TlsRecords.MOST_PLAIN;
        ChannelPromise told = ctx.voidPromise();
        target.clear();
        if (mustWrap) {
            mustWrap = false;
            wrap(EMPTY);
        }
        while (room > 0 && !messages.isEmpty()) {
            ByteBuf first = messages.peek();
            if (message == null) {
                message = first.nioBuffer();
            }
            int left = message.remaining();
            int part = Math.min(left, room);
            int end = message.limit();
            message.limit(message.position() + part);
            wrapAll();
            int done = part - message.remaining();
            message.limit(end);
            room -= done;
            waiting -= done;
            ChannelPromise promise = promises.peek();
            if (message.hasRemaining()) {
                told = promise.isVoid() ? promise : ctx.newPromise();
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

    /** As much of the message, up to its limit, as there is room for. */
    private void wrapAll() throws SSLException {
        while (message.hasRemaining()) {
            SSLEngineResult result = wrap(message);
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

    private SSLEngineResult wrap(ByteBuffer bytes) throws SSLException {
        SSLEngineResult result = engine.wrap(bytes, target);
        obey(result.getHandshakeStatus());
        return result;
    }

    /** What the library wants for itself: a new key, or an alert to be sent. */
    private void obey(HandshakeStatus status) {
        switch (status) {
            case NEED_TASK -> runTasks();
            case NEED_WRAP -> mustWrap = true;
            default -> {}
        }
    }

    private void grow() {
        if (pool.tryTake(LARGE)) {
            outLarge = true;
            useOut(LARGE);
        } else {
            watch.small();
        }
    }

    private void useOut(int capacity) {
        out.release();
        out = allocator.directBuffer(capacity, capacity);
        target = out.nioBuffer(0, capacity);
    }

    private void send(ChannelPromise told) {
        boolean before = pumping;
        pumping = true;
        out.setIndex(0, target.position());
        ctx.writeAndFlush(out.retain(), told);
        inFlight = !channel.isWritable();
        segment.written();
        pumping = before;
    }
}
