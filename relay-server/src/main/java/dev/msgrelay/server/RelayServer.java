package dev.msgrelay.server;

import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.config.JournalConfig;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.core.ClusterStatus;
import dev.msgrelay.server.core.EngineLoop;
import dev.msgrelay.server.core.Orderer;
import dev.msgrelay.server.engine.EngineAssembly;
import dev.msgrelay.server.engine.JournalException;
import dev.msgrelay.server.engine.MemoryPlan;
import dev.msgrelay.server.engine.RelayEngine;
import dev.msgrelay.server.engine.Startup;
import dev.msgrelay.server.journal.Journal;
import dev.msgrelay.server.journal.JournalOpening;
import dev.msgrelay.server.journal.disk.FileDisk;
import dev.msgrelay.server.journal.disk.OwnFiles;
import dev.msgrelay.server.journal.recover.Recovery;
import dev.msgrelay.server.journal.recover.RecoveryProgress;
import dev.msgrelay.server.log.Mark;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.net.SocketOptions;
import dev.msgrelay.server.net.Transport;
import dev.msgrelay.server.ops.ConnectionRow;
import dev.msgrelay.server.ops.Counter;
import dev.msgrelay.server.ops.RecoveredJournal;
import dev.msgrelay.server.ops.RelayStats;
import dev.msgrelay.server.session.Ports;
import dev.msgrelay.server.session.RelayIdentity;
import dev.msgrelay.server.tls.TlsContext;
import dev.msgrelay.server.tls.TlsHandler;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Ticker;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A relay: puts the messages of all publishers into one total order, and sends that order to every subscriber. This
 * class wires it:
 *
 * <pre>
 *   Entrances (sockets that listen) --accepted--> RelayEngine (everything else) on EngineLoops (threads)
 * </pre>
 *
 * <p>A relay logs by slf4j, on its loops as well: a logger that waits for a disk or for a reader stops the relay.
 */
public final class RelayServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    /** Silence after which the core counts as hanging, or as without a processor. */
    private static final long LIVE_MILLIS = 10_000;

    private final RelayConfig config;
    private final Transport transport;
    private final EngineLoop[] loops;
    // Number of loops that read or send the live stream; one more loop sends from the journal, if there is one.
    private final int liveLoops;
    private final RelayEngine engine;
    private final RelayState state = new RelayState();
    private final Ports ports = new Ports();
    private final Entrances entrances;
    // Null: there is no TLS.
    private final TlsContext tls;
    // Null: there is no journal.
    private final Journal journal;
    // Null: the relay is alone, and makes the order itself.
    private final Orderer orderer;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<Throwable> failure = new CompletableFuture<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private volatile RelayStats last;

    /** @param startup gives back everything that the constructor takes */
    private RelayServer(
            RelayConfig config, TlsContext tls, Journal journal, Orderer orderer, long epoch, Startup startup) {
        this.config = config;
        this.tls = tls;
        this.journal = journal;
        this.orderer = orderer;
        this.transport = config.transport().resolve();
        boolean auto = config.eventLoops() == RelayConfig.AUTO_EVENT_LOOPS;
        liveLoops = auto ? autoLoops(Runtime.getRuntime().availableProcessors()) : config.eventLoops();
        int reading = liveLoops + config.readerLoops();
        boolean replays = config.journal().on();
        loops = new EngineLoop[replays ? reading + 1 : reading];
        for (int i = 0; i < loops.length; i++) {
            String name = i < liveLoops
                    ? "relay-loop-" + i
                    : i < reading ? "relay-reader-" + (i - liveLoops) : "relay-replay";
            loops[i] = new EngineLoop(name, transport.ioHandler());
            startup.taken(loops[i]::discard);
        }
        engine = new EngineAssembly(
                        config,
                        new UnpooledByteBufAllocator(true),
                        Ticker.systemTicker(),
                        new RelayIdentity(epoch, serverName(), config.stream().maxBody(), ports),
                        this::failed,
                        Arrays.copyOf(loops, liveLoops))
                .readers(Arrays.copyOfRange(loops, liveLoops, reading))
                .journal(journal, replays ? loops[reading] : null)
                .orderer(orderer)
                .build();
        startup.taken(engine::release);
        entrances = new Entrances(config.listen(), transport, loops[0]);
    }

    private void open() throws IOException {
        for (EngineLoop loop : loops) {
            loop.start();
        }
        if (journal != null) {
            journal.start();
        }
        entrances.open(c -> place(c, Role.PUBLISHER, null), c -> place(c, Role.SUBSCRIBER, null));
        if (tls != null) {
            entrances.openTls(config.tls(), c -> place(c, Role.PUBLISHER, tls), c -> place(c, Role.SUBSCRIBER, tls));
        }
        ports.opened(Role.PUBLISHER, false, publishAddress());
        ports.opened(Role.SUBSCRIBER, false, subscribeAddress());
        ports.opened(Role.PUBLISHER, true, tlsPublishAddress());
        ports.opened(Role.SUBSCRIBER, true, tlsSubscribeAddress());
    }

    /** One loop below four cores; the core and one sender from four, two senders from eight. */
    static int autoLoops(int cores) {
        return cores < 4 ? 1 : cores < 8 ? 2 : 3;
    }

    /** A random epoch, so that a relay that is started anew, here or elsewhere, never counts as the one before. */
    private static long newEpoch() {
        long epoch = new SecureRandom().nextLong();
        return epoch == 0 ? 1 : epoch;
    }

    private static String serverName() {
        String version = RelayServer.class.getPackage().getImplementationVersion();
        return version == null ? "relay" : "relay " + version;
    }

    /**
     * Starts a relay.
     *
     * @throws IOException an address cannot be listened on, a file of TLS or the journal cannot be used, or the JVM
     *     allows less memory than the relay may use; the message names the cause. Nothing is left behind
     * @throws IllegalArgumentException the transport, or the TLS provider, is not available here
     */
    public static RelayServer start(RelayConfig config) throws IOException {
        return start(config, RecoveryProgress.NOBODY);
    }

    /** Starts a relay, and reports the progress of its recovery, which may take a while for a long journal. */
    public static RelayServer start(RelayConfig config, RecoveryProgress recovery) throws IOException {
        MemoryPlan plan = MemoryPlan.of(config);
        plan.check(PlatformDependent.maxDirectMemory(), Runtime.getRuntime().maxMemory());
        RelayServer relay;
        try (Startup startup = new Startup()) {
            TlsContext tls = tls(config);
            startup.taken(tls);
            Orderer orderer = ClusterProvider.joinIfAny(config);
            startup.taken(orderer);
            long epoch = orderer == null ? newEpoch() : orderer.epoch();
            Journal journal = journal(config.journal(), config.access() != null, epoch, orderer, recovery);
            startup.taken(journal);
            relay = make(config, tls, journal, orderer, epoch, startup);
            startup.handOver();
        }
        try {
            relay.open();
            return relay;
        } catch (Throwable e) {
            // A zero drain time: no client was let in, so there is nothing to drain.
            relay.end(Duration.ZERO);
            relay.close();
            throw e;
        }
    }

    private static RelayServer make(
            RelayConfig config, TlsContext tls, Journal journal, Orderer orderer, long epoch, Startup startup)
            throws IOException {
        try {
            return new RelayServer(config, tls, journal, orderer, epoch, startup);
        } catch (OutOfMemoryError e) {
            long bytes = MemoryPlan.of(config).direct();
            throw new IOException("cannot take " + bytes + " bytes of direct memory: " + e.getMessage(), e);
        }
    }

    /**
     * Checks the configuration as a start would, and changes nothing: the files of TLS, the cluster's file, the
     * journal's folder, the addresses. Does not ask whether the addresses are free: a relay that runs by this
     * configuration has them.
     *
     * @return the warnings that a start would log; a line each
     * @throws IOException the configuration is wrong; the message names the cause
     */
    public static List<String> check(RelayConfig config) throws IOException {
        List<String> warnings = config.tls().on()
                ? TlsContext.check(config.tls().files(), config.tls().provider())
                : List.of();
        ClusterProvider.checkIfAny(config);
        if (config.journal().on()) {
            FileDisk.check(config.journal().directory());
        }
        Entrances.check(config.listen());
        return warnings;
    }

    /** Null: there is no TLS. */
    private static TlsContext tls(RelayConfig config) throws IOException {
        if (!config.tls().on()) {
            return null;
        }
        return new TlsContext(
                config.tls().files(),
                config.tls().provider(),
                config.clients().handshakeTimeout().toMillis(),
                config.tls().recordsPerKey());
    }

    /** Null: there is no journal. */
    private static Journal journal(
            JournalConfig config, boolean access, long epoch, Orderer orderer, RecoveryProgress recovery)
            throws IOException {
        if (!config.on()) {
            return null;
        }
        Mark others = null;
        if (orderer != null) {
            others = new Mark();
            orderer.beginning(others);
        }
        FileDisk disk = FileDisk.make(config.directory());
        String wide = access ? OwnFiles.wide(config.directory()) : null;
        if (wide != null) {
            LOG.warn("journal {}", wide);
        }
        return new JournalOpening(disk, config.settings(), epoch, System.currentTimeMillis(), others, recovery).open();
    }

    private EventLoop place(Channel accepted, Role role, TlsContext security) {
        SocketOptions.equip(accepted, config.clients().peerTimeout());
        return engine.place(accepted, role, security).io();
    }

    /** A new publisher for one producer thread of this process. */
    public LocalPublisher newLocalPublisher() {
        return new LocalPublisher(
                engine.newStage(), state, engine.ring(), config.stream().maxBody());
    }

    /** The address for publishers over TCP; null: there is none. */
    public InetSocketAddress publishAddress() {
        return entrances.publishAddress();
    }

    /** The address for subscribers over TCP; null: there is none. */
    public InetSocketAddress subscribeAddress() {
        return entrances.subscribeAddress();
    }

    /** The address for publishers with TLS; null: there is none. */
    public InetSocketAddress tlsPublishAddress() {
        return entrances.tlsPublishAddress();
    }

    /** The address for subscribers with TLS; null: there is none. */
    public InetSocketAddress tlsSubscribeAddress() {
        return entrances.tlsSubscribeAddress();
    }

    /**
     * A text for people about TLS: the provider and why, the relay's certificate, and the certificate asked of clients;
     * empty: there is no TLS.
     */
    public String tlsText() {
        return tls == null ? "" : tls.describe();
    }

    /** Warnings about the dates of certificates and authorities; a line each. */
    public List<String> tlsWarnings() {
        return tls == null ? List.of() : tls.warnings();
    }

    /**
     * Seconds until the first certificate or authority expires; below 0: one has expired or is not yet valid; infinite:
     * there is no TLS.
     */
    public double tlsValidSeconds() {
        return tls == null ? Double.POSITIVE_INFINITY : tls.validMillis() / 1e3;
    }

    /**
     * The relay's TLS, for another port of this process. Memory for {@code connections} connections is taken from the
     * TLS part, until {@link #giveBackTls}.
     *
     * @throws IOException the relay was started without TLS, or the memory is used up
     */
    public TlsContext tls(int connections) throws IOException {
        if (tls == null) {
            throw new IOException("the relay was started without TLS: that is --tls-cert and --tls-key");
        }
        long bytes = tlsBytes(connections);
        MemoryBudget.Pool memory = tlsMemory();
        if (!memory.tryTake(bytes)) {
            throw new IOException("TLS size " + memory.limit() + " is too little for " + connections
                    + " connections more, which may take " + bytes + " bytes");
        }
        return tls;
    }

    /** Gives back the memory of {@code connections} TLS connections. */
    public void giveBackTls(int connections) {
        tlsMemory().give(tlsBytes(connections));
    }

    private MemoryBudget.Pool tlsMemory() {
        return engine.budget().pool(MemoryBudget.Part.TLS);
    }

    private static long tlsBytes(int connections) {
        return (long) connections * TlsHandler.leastBytesOfOne();
    }

    /** All addresses listened on. */
    public List<SocketAddress> addresses() {
        return entrances.addresses();
    }

    /** The configuration that the relay was started with. */
    public RelayConfig config() {
        return config;
    }

    /**
     * Takes over the settings of another configuration that can change while the relay runs, all or nothing. Any
     * thread.
     *
     * <p>Certificate, key and authorities are loaded anew for later handshakes; open connections keep theirs. A relay
     * that was started without TLS stays without. The access policy is replaced: a connection that may no longer do
     * what it does is told so, and closed within a second.
     *
     * @throws IOException a file of TLS cannot be read or used; the message names the file and the line
     */
    public void reload(RelayConfig other) throws IOException {
        if (tls != null && other.tls().on()) {
            tls.reload(other.tls().files());
            engine.count(Counter.TLS_RELOADS);
        }
        engine.access().change(other.access());
    }

    /** The transport in use: never AUTO. */
    public Transport transport() {
        return transport;
    }

    /** Number of threads that read, order and send: the core, and those that only send the stream to live subscribers. */
    public int eventLoops() {
        return liveLoops;
    }

    /** The findings in the journal at the relay's start; null: there is no journal. */
    public RecoveredJournal recovered() {
        if (journal == null) {
            return null;
        }
        Recovery found = journal.recovered();
        Recovery.Cut cut = found.cut();
        return new RecoveredJournal(
                found.startSequence(),
                found.endSequence(),
                cut == null ? found.endSequence() : cut.sequence(),
                cut == null ? found.endSequence() : cut.endSequence());
    }

    /** The relay's memory, part by part. */
    public MemoryPlan memory() {
        return MemoryPlan.of(config);
    }

    /** The relay's figures so far. Any thread. */
    public RelayStats stats() {
        RelayStats atTheEnd = last;
        return atTheEnd != null ? atTheEnd : engine.stats();
    }

    /** All connections, one row each. Any thread. */
    public List<ConnectionRow> connections() {
        return last != null ? List.of() : engine.rows();
    }

    /** Whether clients should connect: the relay is not ending, and its cluster, if any, has a leader. Any thread. */
    public boolean ready() {
        return !state.closing() && (orderer == null || orderer.status().state().orders());
    }

    /** Whether the relay ends, because it was told to or by a fault. Any thread. */
    public boolean ending() {
        return state.closing();
    }

    /** The state of the cluster; null: the relay is alone. Any thread. */
    public ClusterStatus cluster() {
        return orderer == null ? null : orderer.status();
    }

    /** Whether the core runs: it has ticked within the last 10 s, and the relay has not failed. Any thread. */
    public boolean live() {
        return !failure.isDone() && engine.silentMillis() < LIVE_MILLIS;
    }

    /** Counts an event from outside, such as at the admin port. Any thread. */
    public void count(Counter counter) {
        engine.count(counter);
    }

    /**
     * Ends the relay: it takes no new connections and no more input; messages in the ring and the log go out to the
     * subscribers, for at most the drain time-out; then everything is closed. Returns when all this is done, also on an
     * interrupted thread, which stays interrupted. On one of the relay's own loops, returns at once, and another thread
     * ends the relay.
     */
    @Override
    public void close() {
        end(config.drainTimeout());
        for (EngineLoop loop : loops) {
            if (loop.io().inEventLoop()) {
                return;
            }
        }
        closed.join();
    }

    /**
     * Begins the end, once; on a thread that nobody interrupts: an end that is cut short would leave threads, memory
     * and the journal behind.
     */
    private void end(Duration drainTimeout) {
        state.close();
        if (closing.compareAndSet(false, true)) {
            Thread end = new Thread(() -> shutDown(drainTimeout), "relay-close");
            try {
                end.start();
            } catch (OutOfMemoryError noThread) {
                shutDown(drainTimeout);
            }
        }
    }

    private void shutDown(Duration drainTimeout) {
        try {
            new RelayShutdown(this, engine, drainTimeout).run();
        } finally {
            closed.complete(null);
        }
    }

    /**
     * Stops the relay at once after a fault that puts the order in doubt: a wrong message is worse than a lost one.
     * After a failure of the journal, the configuration may say to continue in memory.
     */
    void failed(Throwable cause) {
        boolean ofJournal = cause instanceof JournalException;
        if (ofJournal && config.journal().failure() == JournalConfig.Failure.MEMORY) {
            LOG.warn("the relay goes on in memory alone: {}", cause.getMessage());
            new Thread(this::abandonJournal, "relay-journal-end").start();
        } else {
            // Zero drain time: messages in doubt are not sent. The end begins before the failure is known: a listener
            // that then closes the relay cannot start a drain.
            end(Duration.ZERO);
            if (failure.complete(cause)) {
                if (ofJournal) {
                    LOG.error("the relay stops: {}", cause.getMessage());
                } else {
                    LOG.error("the relay stops: its stream is in doubt after a fault of its own", cause);
                }
            }
        }
    }

    private void abandonJournal() {
        try {
            journal.abandon();
        } catch (IOException e) {
            LOG.warn("{}", e.getMessage());
        }
    }

    /**
     * Completes with the cause if the relay had to stop by a fault of its own; with a {@link JournalException} if its
     * journal has failed.
     */
    public CompletableFuture<Throwable> failure() {
        return failure;
    }

    // ---- steps of RelayShutdown, in its order --------------------------------------------------------------------

    void closeEntrances() {
        entrances.close();
    }

    void release() throws InterruptedException {
        if (tls != null) {
            tls.closeConnections();
        }
        boolean stopped = true;
        for (EngineLoop loop : loops) {
            stopped &= loop.stop(1000);
        }
        try (Startup taken = new Startup()) {
            if (stopped) {
                // Only if all loops have ended: a loop that hangs may still touch this memory, which then stays until
                // the process ends.
                taken.taken(engine::release);
            }
            taken.taken(tls);
            taken.taken(() -> {
                last = engine.stats();
                engine.ended();
            });
            taken.taken(orderer);
            if (journal != null) {
                taken.taken(this::endJournal);
            }
        }
    }

    /** Writes and forces the rest of the log in bounded time, then closes the journal. */
    private void endJournal() {
        boolean known = journal.failure() != null;
        try {
            journal.close();
        } catch (IOException e) {
            if (!known) {
                LOG.error("{}", e.getMessage());
                failure.complete(new JournalException(e.getMessage(), e));
            }
        }
    }

    // ---- for tests ---------------------------------------------------------------------------------------------

    RelayEngine engine() {
        return engine;
    }

    /** Whether all connections are gone, down to the last channel. */
    boolean allGone() {
        return engine.table().allGone();
    }
}
