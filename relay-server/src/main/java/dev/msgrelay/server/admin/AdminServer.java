package dev.msgrelay.server.admin;

import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.admin.Answers.Answer;
import dev.msgrelay.server.config.AdminConfig;
import dev.msgrelay.server.figures.RepeatedWarning;
import dev.msgrelay.server.host.SystemTree;
import dev.msgrelay.server.net.Listener;
import dev.msgrelay.server.tls.TlsContext;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.PreferHeapByteBufAllocator;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.stream.ChunkedWriteHandler;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A relay's admin port: figures, health, connections, settings and a page, by HTTP; and a reload, for a client with the
 * port's token. All else is read-only. A port for health alone ({@link AdminConfig#healthOnly}) answers nothing else.
 *
 * <p>The port has a thread of its own and takes no direct memory; with TLS, it takes memory from the relay's TLS part
 * at start. The number of connections is limited. Beyond it, the connection that has been asking or leaving for longest
 * makes room, so clients without a request keep nobody out.
 */
public final class AdminServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    static final int MOST_HEADER_BYTES = 8 << 10;
    static final int MOST_LINE_BYTES = 4 << 10;
    static final int MOST_STREAMS = 16;

    private static final int MOST_CONNECTIONS = 64;
    /** Most lists of all connections being written at the same time: each holds one look at the relay. */
    private static final int MOST_LISTS = 2;

    private static final int READ_BYTES = 4 << 10;
    private static final int BACKLOG = 128;
    private static final long CLOSE_MILLIS = 1_000;

    private final AdminConfig config;
    // Empty: plain HTTP.
    private final Optional<TlsContext> tls;
    private final Optional<Supplier<Reload>> configuration;
    private final Refusals refusals;
    // The port's name in the log.
    private final String name;
    // Of the relay, once it has started.
    private volatile Optional<Answers> answers = Optional.empty();
    private volatile int segmentsLookedAt;
    private volatile int segments;
    private final EventLoopGroup thread =
            new MultiThreadIoEventLoopGroup(1, this::newThread, NioIoHandler.newFactory());
    private final RepeatedWarning warning = new RepeatedWarning(Duration.ofSeconds(1));
    // The listening socket at the host's first address.
    private Channel listening;

    // Owned by the admin port's thread.
    private final Set<AdminConnection> open = new LinkedHashSet<>();
    private final Set<AdminConnection> idle = new LinkedHashSet<>();
    private final Set<AdminConnection> streams = new LinkedHashSet<>();
    private int lists;
    private boolean reloading;

    private AdminServer(AdminConfig config, Optional<TlsContext> tls, Optional<Supplier<Reload>> configuration) {
        this.config = config;
        this.configuration = configuration;
        this.tls = tls;
        this.refusals = new Refusals(config);
        this.name = config.healthOnly() ? "health port" : "admin port";
    }

    private Thread newThread(Runnable task) {
        Thread added = new FastThreadLocalThread(task, config.healthOnly() ? "relay-health" : "relay-admin");
        added.setDaemon(true);
        return added;
    }

    /**
     * Starts the admin port of a relay. The caller closes it, after the relay.
     *
     * @throws IOException the address is in use, or the port is to speak TLS and the relay has none
     */
    public static AdminServer start(RelayServer relay, AdminConfig config) throws IOException {
        return start(relay, config, Optional.empty());
    }

    /**
     * Starts the admin port of a relay, with {@code POST /reload}.
     *
     * @param configuration reads the configuration again, on a thread of its own; never twice at once
     */
    public static AdminServer start(RelayServer relay, AdminConfig config, Supplier<Reload> configuration)
            throws IOException {
        return start(relay, config, Optional.of(configuration));
    }

    private static AdminServer start(RelayServer relay, AdminConfig config, Optional<Supplier<Reload>> configuration)
            throws IOException {
        Optional<TlsContext> tls = config.tls() ? Optional.of(relay.tls().take(MOST_CONNECTIONS)) : Optional.empty();
        try {
            AdminServer admin = listening(new AdminServer(config, tls, configuration));
            admin.serve(relay);
            return admin;
        } catch (IOException | RuntimeException e) {
            tls.ifPresent(taken -> relay.tls().giveBack(MOST_CONNECTIONS));
            throw e;
        }
    }

    /**
     * Starts the admin port before its relay. Until {@link #serve} the port reports that the relay recovers, with the
     * progress from {@link #recovering}.
     *
     * @param config must be without TLS, whose files the relay has
     */
    public static AdminServer startBefore(AdminConfig config, Optional<Supplier<Reload>> configuration)
            throws IOException {
        if (config.tls()) {
            throw new IllegalArgumentException("an admin port with TLS is started behind its relay");
        }
        return listening(new AdminServer(config, Optional.empty(), configuration));
    }

    /** Sets the progress of the relay's start, in segments of the journal. Any thread. */
    public void recovering(int done, int of) {
        segmentsLookedAt = done;
        segments = of;
    }

    /** Gives the port its relay, once that has started. Any thread, once. */
    public void serve(RelayServer started) {
        Answers made = new Answers(started, config, SystemTree.ofThisHost());
        if (!config.healthOnly()) {
            thread.scheduleAtFixedRate(made::sample, 0, 1, TimeUnit.SECONDS);
            thread.scheduleAtFixedRate(this::sendStats, 1, 1, TimeUnit.SECONDS);
        }
        answers = Optional.of(made);
    }

    private static AdminServer listening(AdminServer admin) throws IOException {
        try {
            int port = admin.config.port();
            Listener.bindAll(
                    Listener.addresses(admin.config.host(), port),
                    port,
                    admin::listen,
                    text -> LOG.warn("{}: {}", admin.name, text));
            return admin;
        } catch (IOException | RuntimeException e) {
            admin.close();
            throw e;
        }
    }

    private InetSocketAddress listen(InetSocketAddress address) throws IOException {
        String where = NetUtil.toSocketAddressString(address.getHostString(), address.getPort());
        // The relay's direct memory is budgeted to the last byte, and the admin port has no part of it.
        ByteBufAllocator heap = new PreferHeapByteBufAllocator(new UnpooledByteBufAllocator(false));
        HttpDecoderConfig limits =
                new HttpDecoderConfig().setMaxInitialLineLength(MOST_LINE_BYTES).setMaxHeaderSize(MOST_HEADER_BYTES);
        ChannelFuture bound = new ServerBootstrap()
                .group(thread)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.ALLOCATOR, heap)
                .childOption(ChannelOption.ALLOCATOR, heap)
                .childOption(
                        ChannelOption.RECVBUF_ALLOCATOR,
                        new FixedRecvByteBufAllocator(READ_BYTES).maxMessagesPerRead(1))
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(new FirstBytes(tls.map(context -> () -> secured(context, heap))))
                                .addLast(AdminConnection.CODEC, new HttpServerCodec(limits))
                                .addLast(new ChunkedWriteHandler(), new AdminConnection(AdminServer.this));
                    }
                })
                .bind(address)
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException(
                    "cannot listen on " + where + ": " + bound.cause().getMessage(), bound.cause());
        }
        // Added behind Netty's own handler, which pauses accepting: without this one, each failure would be logged with
        // a stack trace.
        bound.channel().pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                warning.warn(System.nanoTime(), name + ": connections wait: " + cause.getMessage());
            }
        });
        listening = listening == null ? bound.channel() : listening;
        return (InetSocketAddress) bound.channel().localAddress();
    }

    private static SslHandler secured(TlsContext tls, ByteBufAllocator heap) {
        SslHandler secured = tls.newAdminHandler(heap);
        // The handshake is part of the request, and has the same time.
        secured.setHandshakeTimeoutMillis(AdminConnection.REQUEST_MILLIS);
        return secured;
    }

    /** The port's address as a URL; 0.0.0.0 if it listens on all addresses. */
    public String place() {
        InetSocketAddress at = address();
        String where =
                at.getAddress().isAnyLocalAddress() ? "0.0.0.0:" + at.getPort() : NetUtil.toSocketAddressString(at);
        return (tls.isEmpty() ? "http://" : "https://") + where + "/";
    }

    /** The address listened on, with the port that the system chose if port 0 was asked for. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listening.localAddress();
    }

    @Override
    public void close() {
        thread.shutdownGracefully(0, CLOSE_MILLIS, TimeUnit.MILLISECONDS)
                .awaitUninterruptibly(2 * CLOSE_MILLIS, TimeUnit.MILLISECONDS);
    }

    // ---- for connections, on the admin port's thread -------------------------------------------------------------

    boolean hasRelay() {
        return answers.isPresent();
    }

    /** Only if it {@link #hasRelay}. */
    Answers answers() {
        return answers.orElseThrow();
    }

    /** The answer while there is no relay yet. */
    Answer recovering(String path) {
        return path.equals("/health/live")
                ? Answers.health(true, new JsonLine().text("status", "live"))
                : Answers.health(
                        false,
                        new JsonLine()
                                .text("status", "recovering")
                                .number("segmentsLookedAt", segmentsLookedAt)
                                .number("segments", segments));
    }

    Refusals refusals() {
        return refusals;
    }

    void opened(AdminConnection connection) {
        open.add(connection);
        idle.add(connection);
        if (open.size() > MOST_CONNECTIONS) {
            AdminConnection longest = idle.iterator().next();
            String peer = longest.peer();
            if (longest.makeRoom()) {
                refused(peer, "more than " + MOST_CONNECTIONS + " connections");
            }
        }
    }

    void answering(AdminConnection connection) {
        idle.remove(connection);
    }

    void leaving(AdminConnection connection) {
        idle.add(connection);
    }

    void closed(AdminConnection connection) {
        open.remove(connection);
        idle.remove(connection);
        streams.remove(connection);
    }

    boolean mayListRows() {
        boolean may = lists < MOST_LISTS;
        lists += may ? 1 : 0;
        return may;
    }

    void rowsListed() {
        lists--;
    }

    /** The reason why there can be no reload now; empty: there can be one. */
    Optional<String> whyNoReload() {
        if (configuration.isEmpty()) {
            return Optional.of("this program has no configuration that it could read again");
        }
        return reloading ? Optional.of("a reload is under way: try again") : Optional.empty();
    }

    /** Reads the configuration again, on a thread of its own. {@code then} runs on the admin port's thread. */
    void reload(String peer, Consumer<Answer> then) {
        reloading = true;
        LOG.info("admin port: {} asks for a reload", peer);
        CompletableFuture.supplyAsync(configuration.orElseThrow(), AdminServer::onThreadOfItsOwn)
                .whenCompleteAsync(
                        (reload, fault) -> {
                            reloading = false;
                            if (fault != null) {
                                failed(fault);
                                then.accept(Answer.text(
                                        HttpResponseStatus.INTERNAL_SERVER_ERROR,
                                        "a fault of the relay's own: see its log"));
                            } else {
                                then.accept(answer(reload));
                            }
                        },
                        thread);
    }

    private static void onThreadOfItsOwn(Runnable task) {
        Thread reload = new Thread(task, "relay-reload");
        reload.setDaemon(true);
        reload.start();
    }

    private static Answer answer(Reload reload) {
        return Answer.text(
                reload.taken() ? HttpResponseStatus.OK : HttpResponseStatus.CONFLICT,
                String.join("\n", reload.lines()));
    }

    boolean mayStream() {
        return streams.size() < MOST_STREAMS;
    }

    void streaming(AdminConnection connection) {
        idle.remove(connection);
        streams.add(connection);
        connection.event(answers().stats());
    }

    private void sendStats() {
        if (!streams.isEmpty()) {
            byte[] event = answers().stats();
            List.copyOf(streams).forEach(stream -> stream.event(event));
        }
    }

    /** Counts a request that was refused, and logs it; at most one line a second. */
    void refused(String peer, String why) {
        answers.ifPresent(Answers::countRefused);
        warning.warn(System.nanoTime(), name + ": " + peer + " refused: " + why);
    }

    /** Logs a fault of the admin port's own, which ends one connection. */
    void failed(Throwable cause) {
        warning.warn(System.nanoTime(), "admin port: a fault of its own: " + cause);
    }

    /**
     * The result of a reload.
     *
     * @param taken true: the new configuration is in force, as far as a running relay can take it; false: the former
     *     one is, whole
     * @param lines for people: the settings that were taken, and those that need a restart; or the error, with its line
     */
    public record Reload(boolean taken, List<String> lines) {
        public Reload {
            lines = List.copyOf(lines);
        }
    }
}
