package dev.msgrelay.server.admin;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.access.Peer;
import dev.msgrelay.server.admin.Answers.Answer;
import dev.msgrelay.server.net.AcceptedSocket;
import dev.msgrelay.server.net.Stranger;
import dev.msgrelay.server.tls.TlsFailure;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpChunkedInput;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.stream.ChunkedStream;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.ScheduledFuture;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/**
 * A connection to the admin port, for one request and its answer.
 *
 * <pre>
 *   ASKING --a whole request--> ANSWERING --written--> LEAVING --closed by the peer, or a second later--> closed
 *      |                            '------/events---> STREAMING
 *      '--wrong, or too slow--> ANSWERING, with the reason
 * </pre>
 *
 * Input after the request is read and dropped. A close with unread input would reset the connection, and the peer could
 * lose the answer. Owned by the admin port's thread.
 */
final class AdminConnection extends ChannelInboundHandlerAdapter {
    /** Longest time for a client to send its whole request; also the longest time for it to read the answer. */
    static final long REQUEST_MILLIS = 5_000;

    /** Name of the pipeline's handler that decodes requests. */
    static final String CODEC = "http";

    private static final long RELOAD_MILLIS = 30_000;
    private static final long LEAVE_MILLIS = 1_000;
    /** A stream is closed after more dropped events than this in a row, since its peer does not read. */
    private static final int MOST_MISSED = 10;

    private static final String EVENTS = "text/event-stream";
    private static final String OWN_FILES_ONLY =
            "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'";

    private enum State {
        ASKING,
        ANSWERING,
        STREAMING,
        LEAVING
    }

    private final AdminServer server;
    private ChannelHandlerContext ctx;
    private State state = State.ASKING;
    private HttpRequest request;
    private String path = "";
    private ScheduledFuture<?> deadline;
    private ChannelFuture lastEvent;
    private int missed;

    AdminConnection(AdminServer server) {
        this.server = server;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        ctx = context;
        setDeadline(
                REQUEST_MILLIS,
                () -> refuse(Answer.text(
                        HttpResponseStatus.REQUEST_TIMEOUT,
                        "no whole request within " + REQUEST_MILLIS / 1000 + " s")));
        server.opened(this);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            if (state == State.ASKING && message instanceof HttpObject part) {
                readPart(part);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void readPart(HttpObject part) {
        if (part.decoderResult().isFailure()) {
            refuse(malformedRequest(part.decoderResult().cause()));
            return;
        }
        if (part instanceof HttpRequest head) {
            request = head;
            path = Refusals.path(head);
            Optional<Answer> refusal = server.refusals.of(head);
            if (refusal.isPresent()) {
                refuse(refusal.get());
                return;
            }
        }
        if (part instanceof HttpContent content && content.content().isReadable()) {
            refuse(Answer.text(HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE, "a request has no body here"));
        } else if (part instanceof LastHttpContent) {
            answerRequest();
        }
    }

    private static Answer malformedRequest(Throwable cause) {
        if (cause instanceof TooLongHttpHeaderException) {
            return Answer.text(
                    HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
                    "headers of more than " + AdminServer.MOST_HEADER_BYTES + " bytes");
        }
        if (cause instanceof TooLongHttpLineException) {
            return Answer.text(
                    HttpResponseStatus.REQUEST_URI_TOO_LONG,
                    "a first line of more than " + AdminServer.MOST_LINE_BYTES + " bytes");
        }
        return Answer.text(HttpResponseStatus.BAD_REQUEST, "this is no HTTP request");
    }

    private static Answer anotherProtocol(Stranger who) {
        return Answer.text(
                HttpResponseStatus.BAD_REQUEST,
                who.isProxy()
                        ? CloseReason.UNSUPPORTED + ": " + who.refusalAtAdminPort()
                        : "this is no HTTP request: it begins as " + who.words() + " does");
    }

    private void refuse(Answer refusal) {
        server.refused(peer(), refusal.bodyText());
        sendAnswer(refusal);
    }

    private void answerRequest() {
        if (server.answers.isEmpty()) {
            sendAnswer(server.recovering(path));
            return;
        }
        boolean headOnly = request.method().equals(HttpMethod.HEAD);
        switch (path) {
            case "/events" -> answerLong(EVENTS, headOnly, this::beginStream);
            case "/connections" -> answerLong(Answers.JSON, headOnly, this::answerRows);
            case "/peek" -> peek();
            case Refusals.RELOAD -> reload();
            default -> {
                String accept = String.join(",", request.headers().getAll(HttpHeaderNames.ACCEPT));
                sendAnswer(server.answers().of(path, accept));
            }
        }
    }

    private void answerLong(String type, boolean headOnly, Runnable answer) {
        if (headOnly) {
            beginAnswer();
            ctx.write(head(type));
            ctx.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT).addListener(written -> endOutput());
        } else {
            answer.run();
        }
    }

    private void sendAnswer(Answer answer) {
        beginAnswer();
        write(answer);
    }

    private void write(Answer answer) {
        ByteBuf body = Unpooled.wrappedBuffer(answer.body());
        DefaultFullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, answer.status(), body);
        headers(response, answer.type());
        HttpUtil.setContentLength(response, answer.body().length);
        if (answer.status().equals(HttpResponseStatus.METHOD_NOT_ALLOWED)) {
            response.headers().set(HttpHeaderNames.ALLOW, Refusals.allowed(path));
        }
        if (answer.status().equals(HttpResponseStatus.UNAUTHORIZED)) {
            String basic = path.equals(Refusals.RELOAD) ? "" : "Basic realm=\"relay\", ";
            response.headers().set(HttpHeaderNames.WWW_AUTHENTICATE, basic + "Bearer realm=\"relay\"");
        }
        ctx.writeAndFlush(response).addListener(written -> endOutput());
    }

    private void answerRows() {
        if (!server.beginList()) {
            refuse(Answer.text(HttpResponseStatus.SERVICE_UNAVAILABLE, "too many lists at once: try again"));
            return;
        }
        beginAnswer();
        HttpResponse response = head(Answers.JSON);
        HttpUtil.setTransferEncodingChunked(response, request.protocolVersion().equals(HttpVersion.HTTP_1_1));
        ctx.write(response);
        InputStream rows =
                new SequenceInputStream(new RowsInput(server.answers().look()));
        ctx.writeAndFlush(new HttpChunkedInput(new ChunkedStream(rows, 2 * RowsInput.PIECE_BYTES)))
                .addListener(written -> {
                    server.endList();
                    endOutput();
                });
    }

    private void peek() {
        Answer answer = server.answers().peek(Refusals.shown(request), Peer.of(ctx.channel()));
        if (answer.status().equals(HttpResponseStatus.OK)) {
            sendAnswer(answer);
        } else {
            refuse(answer);
        }
    }

    private void reload() {
        Optional<String> no = server.whyNoReload();
        if (no.isPresent()) {
            refuse(Answer.text(HttpResponseStatus.SERVICE_UNAVAILABLE, no.get()));
            return;
        }
        beginAnswer();
        setDeadline(RELOAD_MILLIS, () -> ctx.close());
        server.reload(peer(), answer -> {
            setDeadline(REQUEST_MILLIS, () -> ctx.close());
            write(answer);
        });
    }

    private void beginAnswer() {
        endAsking(State.ANSWERING);
        setDeadline(REQUEST_MILLIS, () -> ctx.close());
    }

    /** Ends the reading of the request. Sets the state, and makes the pipeline drop further input before the codec. */
    private void endAsking(State next) {
        state = next;
        ctx.pipeline().addBefore(CODEC, null, new SimpleChannelInboundHandler<>(Object.class) {
            @Override
            protected void channelRead0(ChannelHandlerContext context, Object input) {
                // SimpleChannelInboundHandler releases the input.
            }
        });
    }

    private void beginStream() {
        if (!server.mayStream()) {
            refuse(Answer.text(
                    HttpResponseStatus.SERVICE_UNAVAILABLE,
                    "there are " + AdminServer.MOST_STREAMS + " streams of events already"));
            return;
        }
        endAsking(State.STREAMING);
        deadline.cancel(false);
        ctx.write(head(EVENTS));
        event(server.answers().about());
        lastEvent = null;
        server.streaming(this);
    }

    /** Sends an event, unless the previous one is still being written. Closes after many dropped events in a row. */
    void event(byte[] text) {
        if (lastEvent == null || lastEvent.isDone()) {
            lastEvent = ctx.writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(text)));
            missed = 0;
        } else if (++missed > MOST_MISSED) {
            ctx.close();
        }
    }

    /** The head of an answer whose length is not known beforehand. */
    private static HttpResponse head(String type) {
        HttpResponse response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
        headers(response, type);
        if (type.equals(EVENTS)) {
            // Makes proxies pass on events at once. nginx obeys the first header; no-transform forbids compression.
            response.headers()
                    .set("X-Accel-Buffering", "no")
                    .set(HttpHeaderNames.CACHE_CONTROL, "no-store, no-cache, no-transform");
        }
        return response;
    }

    private static void headers(HttpResponse response, String type) {
        HttpUtil.setKeepAlive(response, false);
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, type)
                .set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE)
                .set(HttpHeaderNames.CONTENT_SECURITY_POLICY, OWN_FILES_ONLY)
                .set("X-Content-Type-Options", "nosniff")
                .set("Cross-Origin-Resource-Policy", "same-origin")
                .set("Referrer-Policy", "no-referrer");
    }

    /** Ends the output after the answer. The peer has a second to close the connection. */
    private void endOutput() {
        if (state != State.LEAVING && ctx.channel().isActive()) {
            state = State.LEAVING;
            setDeadline(LEAVE_MILLIS, () -> ctx.close());
            SslHandler tls = ctx.pipeline().get(SslHandler.class);
            ChannelFuture alerted = tls == null ? ctx.newSucceededFuture() : tls.closeOutbound();
            alerted.addListener(done -> ((DuplexChannel) ctx.channel()).shutdownOutput());
        }
    }

    /** Whether the connection waits for the peer to send its request, or to close the connection. */
    boolean isIdle() {
        return state == State.ASKING || state == State.LEAVING;
    }

    /** Closes this connection to make room for another. Returns whether this connection's request was incomplete. */
    boolean makeRoom() {
        ctx.close();
        return state == State.ASKING;
    }

    String peer() {
        return AcceptedSocket.peerName(ctx.channel());
    }

    private void setDeadline(long millis, Runnable over) {
        if (deadline != null) {
            deadline.cancel(false);
        }
        deadline = ctx.executor().schedule(over, millis, TimeUnit.MILLISECONDS);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof SslHandshakeCompletionEvent handshake && !handshake.isSuccess()) {
            server.refused(peer(), "TLS: " + TlsFailure.describe(handshake.cause()));
            ctx.close();
        }
        if (event instanceof Stranger who && state == State.ASKING) {
            refuse(anotherProtocol(who));
        }
        // During the answer an end of the input is no reason to close, since the peer may still read the answer.
        if (event instanceof ChannelInputShutdownEvent && state != State.ANSWERING) {
            ctx.close();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        deadline.cancel(false);
        server.closed(this);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        // Errors that a peer can cause are not logged: I/O errors, and TLS errors, which Netty wraps in an exception.
        if (!(cause instanceof IOException) && !(cause.getCause() instanceof SSLException)) {
            server.failed(cause);
        }
        context.close();
    }
}
