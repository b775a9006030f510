package dev.msgrelay.server.tls;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.server.access.Peer;
import dev.msgrelay.server.memory.ReadWindow;
import dev.msgrelay.server.net.ReadSwitch;
import dev.msgrelay.server.net.SocketReads;
import dev.msgrelay.server.net.Wall;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.cert.X509Certificate;
import java.util.Locale;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * The handshake of one connection: whoever stands behind it hears of nothing until it is done.
 *
 * <pre>
 *   SILENT --> WAITING <--a record--> WORKING --> DONE: it goes, and the handler is open
 *      |          |                      |
 *      |          |                      '--> LEFT
 *      '----------'-----> FAILED <------------'
 * </pre>
 *
 * Owned by the channel's loop. While it is WORKING or LEFT, the thread of the handshakes owns the engine and both buffers, and
 * the loop only notes what happens.
 */
final class TlsHandshake extends ChannelInboundHandlerAdapter {
    private enum State {
        /** No whole record has come. */
        SILENT,
        WAITING,
        WORKING,
        /** It has failed while the thread has it. */
        LEFT,
        /** What comes is thrown away. */
        FAILED,
        DONE
    }

    private static final int LINGER_MILLIS = 1000;
    private static final ByteBuffer EMPTY = ByteBuffer.allocateDirect(0);

    private final TlsContext context;
    private final ByteBufAllocator allocator;
    private final TlsHandler handler;
    private final TlsInput in;
    private final TlsOutput out;
    private final ReadSwitch reads;
    private final TlsHandler.Watch watch;
    private ChannelHandlerContext ctx;
    private Future<?> deadline;
    private State state = State.SILENT;
    private SSLEngine engine;
    // More than there was room for.
    private boolean hasMoreToSay;

    TlsHandshake(TlsContext context, ByteBufAllocator allocator, TlsHandler handler, TlsHandler.Watch watch) {
        this.context = context;
        this.allocator = allocator;
        this.handler = handler;
        this.watch = watch;
        in = handler.in;
        out = handler.out;
        reads = handler.reads;
    }

    // ---- on the loop -------------------------------------------------------------------------------------------

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        ctx = added;
    }

    @Override
    public void channelActive(ChannelHandlerContext active) {
        deadline = ctx.channel()
                .eventLoop()
                .schedule(
                        () -> Wall.run(this::tooLate, this::failed), context.handshakeMillis(), TimeUnit.MILLISECONDS);
    }

    private void tooLate() {
        String text = "no TLS handshake within " + context.handshakeMillis() + " ms";
        if (begun()) {
            fail(text);
        } else {
            // It has said nothing: perhaps it waits for messages.
            sayPlain(text + ": on this port clients speak TLS first");
        }
    }

    private boolean begun() {
        return state != State.SILENT || in.any();
    }

    @Override
    public void channelRead(ChannelHandlerContext from, Object msg) {
        ((ByteBuf) msg).release();
        if (msg instanceof ReadWindow read && state.compareTo(State.WAITING) <= 0) {
            in.came(read.writerIndex());
            goOn();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext from) {
        // Nothing that the connection has to know.
    }

    /** The socket has taken what was in flight. */
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext changed) {
        if (!out.writing()) {
            out.taken();
            if (state == State.WAITING && !out.inFlight()) {
                reads.on();
                goOn();
            }
        }
    }

    private void goOn() {
        if (state == State.SILENT && !in.mayBegin()) {
            watch.plain();
            sayPlain(String.format(
                    Locale.ROOT,
                    "this port is for TLS, and the first byte is 0x%02X, not the 0x16 of a TLS handshake: the client"
                            + " has to speak TLS 1.3, or go to the port for plain clients",
                    in.first()));
        } else if (in.recordLength() > TlsRecords.MOST_BYTES) {
            fail("a record of " + in.recordLength() + " bytes; the limit is " + TlsRecords.MOST_BYTES);
        } else if ((in.hasRecord() || hasMoreToSay) && !out.inFlight()) {
            EventLoop loop = ctx.channel().eventLoop();
            reads.off();
            state = State.WORKING;
            context.execute(() -> work(loop));
        }
    }

    private void worked(boolean done, Throwable failure) {
        if (state == State.LEFT) {
            state = State.FAILED;
            handler.release(engine);
            return;
        }
        state = State.WAITING;
        out.send();
        if (failure instanceof SSLException) {
            fail(TlsFailure.text(failure));
        } else if (failure != null) {
            failed(failure);
        } else if (done) {
            deadline.cancel(false);
            tellSubject();
            out.open(engine);
            in.open(engine);
            reads.on();
            state = State.DONE;
            watch.opened();
            ctx.pipeline().remove(this);
            handler.open(engine);
        } else if (!out.inFlight()) {
            reads.on();
            goOn();
        }
    }

    /** Of the client's certificate, where it has shown one: the connection finds there who its peer is. */
    private void tellSubject() {
        try {
            X509Certificate shown = (X509Certificate) engine.getSession().getPeerCertificates()[0];
            ctx.channel().attr(Peer.CERTIFICATE).set(shown.getSubjectX500Principal());
        } catch (SSLPeerUnverifiedException e) {
            // It has shown none.
        }
    }

    // ---- on the thread of the handshakes -----------------------------------------------------------------------

    private void work(EventLoop loop) {
        boolean done = false;
        Throwable failure = null;
        try {
            done = step();
        } catch (Throwable e) {
            // Whatever it is, the loop has to hear of it: until then it does not touch the connection.
            failure = e;
            if (engine != null) {
                out.wrapEnd(engine);
            }
        }
        boolean isDone = done;
        Throwable why = failure;
        try {
            loop.execute(() -> Wall.run(() -> worked(isDone, why), this::failed));
        } catch (RejectedExecutionException e) {
            // The loop has ended, and with it the channel.
            state = State.FAILED;
            handler.release(engine);
        }
    }

    /** Goes as far as what has come allows, and wraps what is to be said; answers whether the handshake is done. */
    private boolean step() throws SSLException {
        out.clear();
        hasMoreToSay = false;
        if (engine == null) {
            engine = context.newEngine(allocator);
            engine.beginHandshake();
        }
        while (true) {
            switch (engine.getHandshakeStatus()) {
                case NOT_HANDSHAKING, FINISHED -> {
                    return true;
                }
                case NEED_TASK -> TlsOutput.runTasks(engine);
                case NEED_WRAP -> {
                    SSLEngineResult result = out.wrap(engine);
                    if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
                        throw new SSLException("closed within the handshake");
                    }
                    if (result.getStatus() == SSLEngineResult.Status.BUFFER_OVERFLOW) {
                        hasMoreToSay = true;
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
        if (!in.hasRecord()) {
            return false;
        }
        int length = in.recordLength();
        SSLEngineResult result = in.unwrapRecord(engine, context.nothing());
        if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
            throw new SSLException("the client has closed it within the handshake");
        }
        if (result.bytesConsumed() == 0 && wantsRecord(result.getHandshakeStatus())) {
            throw new SSLException("a record of " + length + " bytes is not taken");
        }
        return true;
    }

    // ---- its end -----------------------------------------------------------------------------------------------

    /** A client without TLS reads this. */
    private void sayPlain(String text) {
        if (end(CloseReason.TLS_FAILED, text)) {
            out.sendPlain(ErrorFrame.encode(CloseReason.TLS_FAILED, text))
                    .addListener(done -> handler.shutdownOutput());
            linger();
        }
    }

    /** The client has broken the rules, or is too slow. */
    private void fail(String text) {
        if (end(CloseReason.TLS_FAILED, text)) {
            if (!out.inFlight()) {
                handler.shutdownOutput();
            }
            linger();
        }
    }

    /** The network, or the relay itself. */
    private void failed(Throwable cause) {
        if (cause instanceof IOException) {
            end(CloseReason.TLS_FAILED, "connection lost within the handshake: " + cause.getMessage());
        } else if (end(CloseReason.INTERNAL_ERROR, "a fault of the relay within the handshake: " + cause)) {
            watch.failed(ctx.channel(), cause);
        }
        ctx.close();
    }

    /** The first end counts; false: it was over. */
    private boolean end(CloseReason reason, String text) {
        if (state.compareTo(State.WORKING) > 0) {
            return false;
        }
        state = state == State.WORKING ? State.LEFT : State.FAILED;
        if (deadline != null) {
            deadline.cancel(false);
        }
        watch.ended(ctx.channel(), reason, text);
        return true;
    }

    /** Reads for a while what still comes, and throws it away: a reset would overtake what the client is told. */
    private void linger() {
        ctx.channel().eventLoop().schedule(() -> ctx.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
        if (state == State.FAILED) {
            ctx.channel().eventLoop().execute(reads::on);
            in.release();
            if (!out.inFlight()) {
                handler.release(engine);
            }
        }
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
        if (begun()) {
            end(CloseReason.TLS_FAILED, "closed within the handshake");
        } else {
            end(CloseReason.PEER_CLOSED, "");
        }
        if (state == State.FAILED) {
            handler.release(engine);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext thrown, Throwable cause) {
        if (cause != SocketReads.Refused.INSTANCE) {
            failed(cause);
        }
    }
}
