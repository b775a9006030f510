package dev.msgrelay.server.tls;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.server.access.Peer;
import dev.msgrelay.server.memory.ReadWindow;
import dev.msgrelay.server.net.SocketReads;
import dev.msgrelay.server.net.Stranger;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.security.cert.X509Certificate;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * The handshake of one connection. Later handlers of the pipeline get no event until the handshake is done.
 *
 * <pre>
 *   SILENT --> WAITING <--a record--> WORKING --> DONE: this handler is removed, and TlsHandler is open
 *      |          |                      |
 *      |          |                      '--> LEFT
 *      '----------'-----> FAILED <------------'
 * </pre>
 *
 * Owned by the channel's loop. In WORKING and LEFT the thread of the handshakes owns the engine and both buffers, and
 * the loop only changes the state.
 */
final class TlsHandshake extends ChannelInboundHandlerAdapter {
    private enum State {
        /** No complete record has arrived yet. */
        SILENT,
        WAITING,
        WORKING,
        /** The handshake has failed while the thread of the handshakes still runs a step of it. */
        LEFT,
        /** Further input is dropped. */
        FAILED,
        DONE
    }

    private static final int LINGER_MILLIS = 1000;

    private final TlsContext context;
    private final TlsHandler handler;
    private final TlsInput in;
    private final TlsOutput out;
    private final TlsContext.Watch watch;
    private ChannelHandlerContext ctx;
    // The timer of the handshake; until the channel is active, a future that is done.
    private Future<?> deadline = CompletableFuture.completedFuture(null);
    private State state = State.SILENT;
    private SSLEngine engine;
    // Whether the engine has more to write than fitted into the output buffer.
    private boolean hasMoreOutput;

    TlsHandshake(TlsContext context, TlsHandler handler, TlsContext.Watch watch) {
        this.context = context;
        this.handler = handler;
        this.watch = watch;
        in = handler.in;
        out = handler.out;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        ctx = added;
    }

    @Override
    public void channelActive(ChannelHandlerContext active) {
        deadline = ctx.channel()
                .eventLoop()
                .schedule(
                        () -> TlsHandler.guarded(this::timedOut, this::abort),
                        context.handshakeMillis,
                        TimeUnit.MILLISECONDS);
    }

    private void timedOut() {
        String text = "no TLS handshake within " + context.handshakeMillis + " ms";
        // A client that sent nothing may be a subscriber without TLS, so the text is sent in the clear.
        refuse(
                CloseReason.TLS_FAILED,
                begun() ? text : text + ": on this port clients speak TLS first",
                !begun() || state == State.SILENT && !in.mayBegin());
    }

    private boolean begun() {
        return state != State.SILENT || in.any();
    }

    @Override
    public void channelRead(ChannelHandlerContext from, Object msg) {
        ((ByteBuf) msg).release();
        if (msg instanceof ReadWindow read && state.compareTo(State.WAITING) <= 0) {
            in.received(read.writerIndex());
            continueHandshake();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext from) {
        // The connection gets no event before the handshake is done.
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext changed) {
        if (!out.writing()) {
            out.checkInFlight();
            if (state == State.WAITING && !out.inFlight()) {
                handler.reads.on();
                continueHandshake();
            }
        }
    }

    private void continueHandshake() {
        if (state == State.SILENT && !in.mayBegin()) {
            refuseStranger();
        } else if (in.recordLength() > TlsRecords.MOST_BYTES) {
            String text = "a record of " + in.recordLength() + " bytes; the limit is " + TlsRecords.MOST_BYTES;
            refuse(CloseReason.TLS_FAILED, text, false);
        } else if ((in.hasRecord() || hasMoreOutput) && !out.inFlight()) {
            EventLoop loop = ctx.channel().eventLoop();
            handler.reads.off();
            state = State.WORKING;
            context.thread.execute(() -> runStep(loop));
        }
    }

    /** Refuses a client that does not speak TLS, once its bytes match a known protocol, or can match none any more. */
    private void refuseStranger() {
        Optional<Stranger> who = in.stranger();
        if (who.isEmpty() && in.strangerMayFollow()) {
            return;
        }
        watch.plain();
        if (who.filter(Stranger::isProxy).isPresent()) {
            refuse(CloseReason.UNSUPPORTED, who.get().refusalOfProxy(), true);
            return;
        }
        String first = who.map(it -> "the first bytes are those of " + it.words())
                .orElseGet(() -> String.format(
                        Locale.ROOT, "the first byte is 0x%02X, not the 0x16 of a TLS handshake", in.first()));
        refuse(
                CloseReason.TLS_FAILED,
                "this port is for TLS, and " + first
                        + ": the client has to speak TLS 1.3, or go to the port for plain clients",
                true);
    }

    private void stepDone(boolean done, Throwable failure) {
        if (state == State.LEFT) {
            state = State.FAILED;
            handler.release(engine);
            return;
        }
        state = State.WAITING;
        out.send();
        if (failure instanceof SSLException) {
            refuse(CloseReason.TLS_FAILED, TlsFailure.describe(failure), false);
        } else if (failure != null) {
            abort(failure);
        } else if (done) {
            deadline.cancel(false);
            try {
                X509Certificate shown = (X509Certificate) engine.getSession().getPeerCertificates()[0];
                ctx.channel().attr(Peer.CERTIFICATE).set(shown.getSubjectX500Principal());
            } catch (SSLPeerUnverifiedException e) {
                // The client has shown no certificate.
            }
            out.open(engine);
            in.open(engine);
            handler.reads.on();
            state = State.DONE;
            watch.opened();
            ctx.pipeline().remove(this);
            handler.open(engine);
        } else if (!out.inFlight()) {
            handler.reads.on();
            continueHandshake();
        }
    }

    /** Runs a step, and passes its outcome to the loop. Called on the thread of the handshakes. */
    private void runStep(EventLoop loop) {
        Runnable outcome = tryStep();
        try {
            loop.execute(() -> TlsHandler.guarded(outcome, this::abort));
        } catch (RejectedExecutionException e) {
            // The loop has ended, and the channel with it.
            state = State.FAILED;
            handler.release(engine);
        }
    }

    private Runnable tryStep() {
        try {
            boolean done = step();
            return () -> stepDone(done, null);
        } catch (Throwable e) {
            if (engine != null) {
                out.wrapEnd(engine);
            }
            return () -> stepDone(false, e);
        }
    }

    /** Runs the handshake as far as the input allows, and wraps its output. Returns whether the handshake is done. */
    private boolean step() throws SSLException {
        out.clear();
        hasMoreOutput = false;
        if (engine == null) {
            engine = context.newHandler(ctx.alloc()).engine();
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
                        hasMoreOutput = true;
                        return false;
                    }
                }
                default -> {
                    // BoringSSL notices the end of the handshake only in an unwrap. This unwrap gets no input, since
                    // the next record may have data already.
                    HandshakeStatus status = engine.unwrap(TlsOutput.EMPTY, context.nothing.clear())
                            .getHandshakeStatus();
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

    /** Unwraps a record of the handshake. Returns false if the record is not complete yet. */
    private boolean unwrapRecord() throws SSLException {
        if (!in.hasRecord()) {
            return false;
        }
        int length = in.recordLength();
        SSLEngineResult result = in.unwrapRecord(engine, context.nothing.clear());
        if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
            throw new SSLException("the client has closed it within the handshake");
        }
        if (result.bytesConsumed() == 0 && wantsRecord(result.getHandshakeStatus())) {
            throw new SSLException("a record of " + length + " bytes is not taken");
        }
        return true;
    }

    /** @param plain whether the client gets an ERROR frame in the clear, since the client does not speak TLS */
    private void refuse(CloseReason reason, String text, boolean plain) {
        if (!endHandshake(reason, text, Optional.empty())) {
            return;
        }
        if (plain) {
            out.sendPlain(ErrorFrame.encode(reason, text)).addListener(done -> handler.shutdownOutput());
        } else if (!out.inFlight()) {
            handler.shutdownOutput();
        }
        linger();
    }

    private void abort(Throwable cause) {
        if (cause instanceof IOException) {
            peerClosed("connection lost within the handshake: " + cause.getMessage());
        } else {
            String text = "a fault of the relay within the handshake: " + cause;
            endHandshake(CloseReason.INTERNAL_ERROR, text, Optional.of(cause));
        }
        ctx.close();
    }

    /** Ends the handshake as failed. If it has ended before, changes nothing, and returns false. */
    private boolean endHandshake(CloseReason reason, String text, Optional<Throwable> fault) {
        if (state.compareTo(State.WORKING) > 0) {
            return false;
        }
        state = state == State.WORKING ? State.LEFT : State.FAILED;
        deadline.cancel(false);
        watch.ended(ctx.channel(), reason, text, fault);
        return true;
    }

    /** Ends the handshake of a peer that has closed or reset the connection. A peer that sent no byte was a probe. */
    private void peerClosed(String text) {
        if (begun()) {
            endHandshake(CloseReason.TLS_FAILED, text, Optional.empty());
        } else {
            state = State.FAILED;
            deadline.cancel(false);
            watch.probed(ctx.channel());
        }
    }

    /** Drops input for a second, then closes. A close with unread input would reset the connection at once. */
    private void linger() {
        ctx.channel().eventLoop().schedule(() -> ctx.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
        if (state == State.FAILED) {
            ctx.channel().eventLoop().execute(handler.reads::on);
            in.release();
            if (!out.inFlight()) {
                handler.release(engine);
            }
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext inactive) {
        handlerRemoved(inactive);
        inactive.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext removed) {
        peerClosed("closed within the handshake");
        if (state == State.FAILED) {
            handler.release(engine);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext thrown, Throwable cause) {
        if (cause != SocketReads.Refused.INSTANCE) {
            abort(cause);
        }
    }
}
