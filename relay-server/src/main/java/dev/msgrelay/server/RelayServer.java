package dev.msgrelay.server;

import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.config.JournalConfig;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.core.ClusterStatus;
import dev.msgrelay.server.core.EngineLoop;
import dev.msgrelay.server.core.Orderer;
import dev.msgrelay.server.journal.FileDisk;
import dev.msgrelay.server.journal.Journal;
import dev.msgrelay.server.journal.OwnFiles;
import dev.msgrelay.server.journal.Recovery;
import dev.msgrelay.server.log.Mark;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.net.SocketOptions;
import dev.msgrelay.server.net.Transport;
import dev.msgrelay.server.ops.ConnectionRow;
import dev.msgrelay.server.ops.Counter;
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
 * A relay: what publishers send is put into one total order, and every subscriber gets that order. This file wires it:
 *
 * <pre>
 *   Entrances (sockets that listen) --accepted--> RelayEngine (everything else) on EngineLoops (threads)
 * </pre>
 *
 * <p>It logs by slf4j, on its loops as well: a logger that waits, for a disk or for a reader, stops the relay.
 */
public final class RelayServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    /** A core that has been silent for longer hangs, or has no processor. */
    private static final long LIVE_MILLIS = 10_000;

    private final RelayConfig config;
    private final Transport transport;
    private final EngineLoop[] loops;
    // So many of them; where there is one more, it only sends what lies in the journal.
    private final int liveLoops;
    private final RelayEngine engine;
    private final RelayState state = new RelayState();
    private final Entrances entrances;
    // Null: there is no TLS.
    private final TlsContext tls;
    // Null: there is no journal.
    private final Journal journal;
    // Null: it is alone, and makes the order itself.
    private final Orderer orderer;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<Throwable> failure = new CompletableFuture<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private volatile RelayStats last;

    /** @param startup gives back what is taken here */
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
        engine = new RelayEngine(
                config,
                Arrays.copyOf(loops, liveLoops),
                Arrays.copyOfRange(loops, liveLoops, reading),
                replays ? loops[reading] : null,
                new UnpooledByteBufAllocator(true),
                Ticker.systemTicker(),
                new RelayIdentity(epoch, serverName(), config.stream().maxBody()),
                journal,
                orderer,
                this::failed);
        startup.taken(engine::release);
        entrances = new Entrances(config.listen(), transport, loops[0]);
    }

    /** Starts its threads, and listens. */
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
    }

    /** One loop below four cores; the core and one sender from four, two senders from eight. */
    static int autoLoops(int cores) {
        return cores < 4 ? 1 : cores < 8 ? 2 : 3;
    }

    /** Random, so that a relay that is started anew, here or elsewhere, is never taken for the one before. */
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
     * @throws IOException an address cannot be listened on, a file of TLS or the journal cannot be used, or the JVM allows less
     *     memory than the relay may use; the message names it. Nothing is left behind
     * @throws IllegalArgumentException the transport, or the provider of TLS, is not available here
     */
    public static RelayServer start(RelayConfig config) throws IOException {
        return start(config, Recovery.Progress.NOBODY);
    }

    /** As above, and tells how far it is with looking through its journal, which may take a while. */
    public static RelayServer start(RelayConfig config, Recovery.Progress recovery) throws IOException {
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
            // Nobody was let in: there is nothing to drain.
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
     * Looks at what a start would look at, and changes nothing: the files of TLS, what is said of a cluster, the journal's
     * folder, the places to listen on. Whether they are free, it does not ask: a relay that runs by this configuration has them.
     *
     * @return what a start would warn of; a line each
     * @throws IOException it is wrong; the message names it
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

    /** Null: there is none. */
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

    /** Null: there is none. */
    private static Journal journal(
            JournalConfig config, boolean access, long epoch, Orderer orderer, Recovery.Progress recovery)
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
        return Journal.open(disk, config.settings(), epoch, System.currentTimeMillis(), others, recovery);
    }

    private EventLoop place(Channel accepted, Role role, TlsContext security) {
        SocketOptions.equip(accepted, config.clients().peerTimeout());
        return engine.place(accepted, role, security).io();
    }

    /** A publisher for one producer thread of this process. */
    public LocalPublisher newLocalPublisher() {
        return new LocalPublisher(
                engine.newStage(), state, engine.ring(), config.stream().maxBody());
    }

    /** Where publishers connect over TCP; null where there is none. */
    public InetSocketAddress publishAddress() {
        return entrances.publishAddress();
    }

    /** Where subscribers connect over TCP; null where there is none. */
    public InetSocketAddress subscribeAddress() {
        return entrances.subscribeAddress();
    }

    /** Where publishers connect with TLS; null where there is none. */
    public InetSocketAddress tlsPublishAddress() {
        return entrances.tlsPublishAddress();
    }

    /** Where subscribers connect with TLS; null where there is none. */
    public InetSocketAddress tlsSubscribeAddress() {
        return entrances.tlsSubscribeAddress();
    }

    /** Whose TLS it is and why, its certificate, and what is asked of clients, for people; empty: there is no TLS. */
    public String tlsText() {
        return tls == null ? "" : tls.text();
    }

    /** What is wrong with the dates of its certificates and authorities, or will soon be; a line each. */
    public List<String> tlsWarnings() {
        return tls == null ? List.of() : tls.warnings();
    }

    /** For how many seconds all of these hold; below 0: one does not; infinite: it speaks no TLS. */
    public double tlsValidSeconds() {
        return tls == null ? Double.POSITIVE_INFINITY : tls.validMillis() / 1e3;
    }

    /**
     * TLS as its ports have it, for another port of this process. The memory of so many connections is taken from that of TLS,
     * and stays taken until {@link #giveBackTls}.
     *
     * @throws IOException it was started without TLS, or there is no memory for that
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

    /** The memory of so many connections is not needed after all. */
    public void giveBackTls(int connections) {
        tlsMemory().give(tlsBytes(connections));
    }

    private MemoryBudget.Pool tlsMemory() {
        return engine.budget().pool(MemoryBudget.Part.TLS);
    }

    private static long tlsBytes(int connections) {
        return (long) connections * TlsHandler.leastBytesOfOne();
    }

    /** All addresses that are listened on. */
    public List<SocketAddress> addresses() {
        return entrances.addresses();
    }

    /** What it was started with. */
    public RelayConfig config() {
        return config;
    }

    /**
     * Takes over of another configuration what can be changed while it runs, all of it or nothing. Any thread.
     *
     * <p>Certificate, key and authorities are loaded anew, for the handshakes that come; connections that are there keep
     * theirs. A relay that was started without TLS stays without. Then who may do what: whoever may no longer do what it does
     * is told so and closed within a second.
     *
     * @throws IOException a file of TLS cannot be read or used; names it and the line
     */
    public void reload(RelayConfig other) throws IOException {
        if (tls != null && other.tls().on()) {
            tls.reload(other.tls().files());
            engine.count(Counter.TLS_RELOADS);
        }
        engine.access().change(other.access());
    }

    /** How its sockets are driven: never AUTO. */
    public Transport transport() {
        return transport;
    }

    /** Threads that read, order and send: the core, and those that only send live subscribers the stream. */
    public int eventLoops() {
        return liveLoops;
    }

    /** What was found in the journal when the relay was started; null: there is no journal. */
    public Recovery recovered() {
        return journal == null ? null : journal.recovered();
    }

    /** Places of the journal that, read again, were no longer what was written; -1: there is no journal. */
    public long journalDamaged() {
        return journal == null ? -1 : journal.verified().damaged();
    }

    /** Its memory, itemised. */
    public MemoryPlan memory() {
        return MemoryPlan.of(config);
    }

    /** What it has done so far. Any thread. */
    public RelayStats stats() {
        RelayStats atTheEnd = last;
        return atTheEnd != null ? atTheEnd : engine.stats();
    }

    /** Who is connected, one row each. Any thread. */
    public List<ConnectionRow> connections() {
        return last != null ? List.of() : engine.rows();
    }

    /**
     * Whether to send clients there: it neither drains nor has it stopped, and one of several has a leader. Any thread.
     */
    public boolean ready() {
        return !state.closing() && (orderer == null || orderer.status().state().orders());
    }

    /** Whether it was told to end, or ends because of a fault. Any thread. */
    public boolean ending() {
        return state.closing();
    }

    /** How it stands among the relays that are one with it; null: it is alone. Any thread. */
    public ClusterStatus cluster() {
        return orderer == null ? null : orderer.status();
    }

    /** Whether its core goes round: it has looked after its house within the last seconds. Any thread. */
    public boolean live() {
        return !failure.isDone() && engine.silentMillis() < LIVE_MILLIS;
    }

    /** Counts something that happened outside, such as at the admin port. Any thread. */
    public void count(Counter counter) {
        engine.count(counter);
    }

    /**
     * Ends the relay: no new connections, no more input; what is in the ring and the log goes out to the subscribers, for
     * at most the drain timeout; then everything is closed. Returns when it is done, also where the thread is interrupted, which
     * it stays; called on a thread of the relay's own, it returns at once, and the end goes on elsewhere.
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

    /** The first time. On a thread that nobody interrupts: an end that is cut short leaves threads, memory and the journal. */
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
     * The order is in doubt: nothing may be relayed any more. What is in memory is worth less than the truth, so the relay
     * stops at once.
     */
    void failed(Throwable cause) {
        boolean ofJournal = cause instanceof JournalException;
        if (ofJournal && config.journal().failure() == JournalConfig.Failure.MEMORY) {
            LOG.warn("the relay goes on in memory alone: {}", cause.getMessage());
            new Thread(this::abandonJournal, "relay-journal-end").start();
        } else {
            // Nothing is drained: what is in doubt is not sent. Whoever hears of it and closes the relay comes too
            // late.
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
     * Completes with the cause if the relay has had to stop because of a fault of its own; with a {@link JournalException} if
     * because of its journal's.
     */
    public CompletableFuture<Throwable> failure() {
        return failure;
    }

    // ---- for RelayShutdown, in its order ----------------------------------------------------------------------

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
                // A loop that hangs may still touch this memory; then it is left to the end of the process.
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

    /** What is in the log is written and forced before that; in bounded time. */
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

    /** Whether nobody is connected, down to the last channel. */
    boolean allGone() {
        return engine.table().allGone();
    }
}
