package dev.msgrelay.server.admin;

import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.admin.Answers.Answer;
import dev.msgrelay.server.config.AdminConfig;
import dev.msgrelay.server.figures.RepeatedWarning;
import dev.msgrelay.server.host.SystemTree;
import dev.msgrelay.server.net.Listener;
import dev.msgrelay.server.tls.TlsContext;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
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
 * A relay's admin port, which shows figures, health, connections, settings and a web page by HTTP. All paths are
 * read-only except {@code /reload}, which needs the port's token. With {@link AdminConfig#healthOnly} the port has only
 * the paths below {@code /health}.
 *
 * <p>The port has a thread of its own and takes no direct memory. With TLS, its start reserves a part of the relay's
 * memory for TLS. The number of connections is limited. A connection beyond the limit replaces the oldest one that
 * waits for its request or for the peer's close. So silent clients cannot keep others out.
 */
public final class AdminServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    static final int MOST_HEADER_BYTES = 8 << 10;
    static final int MOST_LINE_BYTES = 4 << 10;
    static final int MOST_STREAMS = 16;

    private static final int MOST_CONNECTIONS = 64;
    /** Most lists of connections that are written at the same time. Each keeps a {@link Look} in memory. */
    private static final int MOST_LISTS = 2;

    private static final int READ_BYTES = 4 << 10;
    // All of the relay's direct memory is planned for other uses, so the admin port's buffers are on the heap.
    private static final ByteBufAllocator HEAP = new PreferHeapByteBufAllocator(new UnpooledByteBufAllocator(false));
    private static final long CLOSE_MILLIS = 1_000;

    private final AdminConfig config;
    private final Optional<TlsContext> tls;
    private final Optional<Supplier<Reload>> configuration;
    final Refusals refusals;
    private final String name;
    // Empty until the relay has started.
    volatile Optional<Answers> answers = Optional.empty();
    private volatile int segmentsLookedAt;
    private volatile int segments;
    private final EventLoopGroup thread =
            new MultiThreadIoEventLoopGroup(1, this::newThread, NioIoHandler.newFactory());
    private final RepeatedWarning warning = new RepeatedWarning(Duration.ofSeconds(1));
    // The listening socket at the host's first address.
    private Channel listening;

    // Owned by the admin port's thread.
    private final Set<AdminConnection> open = new LinkedHashSet<>();
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
     * Starts the admin port of a relay. The caller has to close the port, after the relay.
     *
     * @throws IOException the address is in use, or {@code config} asks for TLS and the relay has no TLS
     */
    public static AdminServer start(RelayServer relay, AdminConfig config) throws IOException {
        return start(relay, config, Optional.empty());
    }

    /**
     * Starts the admin port of a relay, with {@code POST /reload}.
     *
     * @param configuration reads the configuration again; called on a new thread, one call at a time
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
     * Starts the admin port before its relay. Until {@link #serve} is called, the port reports that the relay recovers,
     * with the progress from {@link #recovering}.
     *
     * @param config must be without TLS, since the certificate belongs to the relay, which does not exist yet
     */
    public static AdminServer startBefore(AdminConfig config, Optional<Supplier<Reload>> configuration)
            throws IOException {
        if (config.tls()) {
            throw new IllegalArgumentException("an admin port with TLS is started behind its relay");
        }
        return listening(new AdminServer(config, Optional.empty(), configuration));
    }

    /** Sets the start's progress: {@code done} of {@code of} segments of the journal are recovered. Any thread. */
    public void recovering(int done, int of) {
        segmentsLookedAt = done;
        segments = of;
    }

    /** Connects the port with its relay, which has started. Any thread; called once. */
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
        NioServerSocketChannel listener = new NioServerSocketChannel();
        Listener.bind(listener, address, thread.next(), this::place);
        listening = listening == null ? listener : listening;
        return listener.localAddress();
    }

    private EventLoop place(Channel accepted) {
        accepted.config().setAllocator(HEAP);
        accepted.config().setRecvByteBufAllocator(new FixedRecvByteBufAllocator(READ_BYTES).maxMessagesPerRead(1));
        accepted.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        HttpDecoderConfig limits =
                new HttpDecoderConfig().setMaxInitialLineLength(MOST_LINE_BYTES).setMaxHeaderSize(MOST_HEADER_BYTES);
        accepted.pipeline()
                .addLast(new FirstBytes(tls.map(context -> () -> secured(context))))
                .addLast(AdminConnection.CODEC, new HttpServerCodec(limits))
                .addLast(new ChunkedWriteHandler(), new AdminConnection(this));
        return thread.next();
    }

    private static SslHandler secured(TlsContext tls) {
        SslHandler secured = tls.newAdminHandler(HEAP);
        // The same as the deadline of the request, which also runs during the handshake.
        secured.setHandshakeTimeoutMillis(AdminConnection.REQUEST_MILLIS);
        return secured;
    }

    /** The port's address as a URL, with the host 0.0.0.0 if the port listens on all addresses. */
    public String place() {
        InetSocketAddress at = address();
        String where =
                at.getAddress().isAnyLocalAddress() ? "0.0.0.0:" + at.getPort() : NetUtil.toSocketAddressString(at);
        return (tls.isEmpty() ? "http://" : "https://") + where + "/";
    }

    /** The listening socket's address, with the port that the system chose for port 0. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listening.localAddress();
    }

    @Override
    public void close() {
        thread.shutdownGracefully(0, CLOSE_MILLIS, TimeUnit.MILLISECONDS)
                .awaitUninterruptibly(2 * CLOSE_MILLIS, TimeUnit.MILLISECONDS);
    }

    // The following methods are called by connections, on the admin port's thread.

    Answers answers() {
        return answers.orElseThrow();
    }

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

    void opened(AdminConnection connection) {
        open.add(connection);
        if (open.size() > MOST_CONNECTIONS) {
            // One is always found, since the new connection is idle.
            AdminConnection oldest =
                    open.stream().filter(AdminConnection::isIdle).findFirst().orElseThrow();
            String peer = oldest.peer();
            if (oldest.makeRoom()) {
                refused(peer, "more than " + MOST_CONNECTIONS + " connections");
            }
        }
    }

    void closed(AdminConnection connection) {
        open.remove(connection);
        streams.remove(connection);
    }

    /** Counts a list that is being written, until {@link #endList}. Returns false if there are too many already. */
    boolean beginList() {
        boolean may = lists < MOST_LISTS;
        lists += may ? 1 : 0;
        return may;
    }

    void endList() {
        lists--;
    }

    /** The reason why there can be no reload now; empty if there can be one. */
    Optional<String> whyNoReload() {
        if (configuration.isEmpty()) {
            return Optional.of("this program has no configuration that it could read again");
        }
        return reloading ? Optional.of("a reload is under way: try again") : Optional.empty();
    }

    /** Reads the configuration again, on a new thread. {@code then} gets the answer on the admin port's thread. */
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
                                then.accept(Answer.text(
                                        reload.taken() ? HttpResponseStatus.OK : HttpResponseStatus.CONFLICT,
                                        String.join("\n", reload.lines())));
                            }
                        },
                        thread);
    }

    private static void onThreadOfItsOwn(Runnable task) {
        Thread reload = new Thread(task, "relay-reload");
        reload.setDaemon(true);
        reload.start();
    }

    boolean mayStream() {
        return streams.size() < MOST_STREAMS;
    }

    void streaming(AdminConnection connection) {
        streams.add(connection);
        connection.event(answers().stats());
    }

    private void sendStats() {
        if (!streams.isEmpty()) {
            byte[] event = answers().stats();
            List.copyOf(streams).forEach(stream -> stream.event(event));
        }
    }

    /** Counts and logs a refused request. The log gets at most one line a second. */
    void refused(String peer, String why) {
        answers.ifPresent(Answers::countRefused);
        warning.warn(System.nanoTime(), name + ": " + peer + " refused: " + why);
    }

    /** Logs an unexpected error in the admin port's own code. */
    void failed(Throwable cause) {
        warning.warn(System.nanoTime(), "admin port: a fault of its own: " + cause);
    }

    /**
     * The result of a reload.
     *
     * @param taken true if all new settings are in force, except those that need a restart; false if none is in force
     * @param lines text for people: the settings that are in force, and those that need a restart; or the error and its
     *     line in the file
     */
    public record Reload(boolean taken, List<String> lines) {
        public Reload {
            lines = List.copyOf(lines);
        }
    }
}
