package dev.msgrelay.server;

import dev.msgrelay.protocol.Role;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.access.Peer;
import dev.msgrelay.server.assembly.ClusterProvider;
import dev.msgrelay.server.assembly.Entrances;
import dev.msgrelay.server.assembly.MachineLimits;
import dev.msgrelay.server.assembly.MemoryPlan;
import dev.msgrelay.server.assembly.RelayEngine;
import dev.msgrelay.server.assembly.RelayParts;
import dev.msgrelay.server.config.JournalConfig;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.connection.EngineLoop;
import dev.msgrelay.server.connection.RelayIdentity;
import dev.msgrelay.server.figures.ClusterStatus;
import dev.msgrelay.server.figures.ConnectionRow;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.figures.RelayStats;
import dev.msgrelay.server.host.SystemTree;
import dev.msgrelay.server.journal.Journal;
import dev.msgrelay.server.journal.JournalException;
import dev.msgrelay.server.journal.disk.FileDisk;
import dev.msgrelay.server.journal.recover.Recovery;
import dev.msgrelay.server.journal.recover.RecoveryProgress;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.net.AcceptedSocket;
import dev.msgrelay.server.net.CongestionControl;
import dev.msgrelay.server.net.Transport;
import dev.msgrelay.server.stream.NodeLeftException;
import dev.msgrelay.server.stream.Orderer;
import dev.msgrelay.server.stream.PeekedMessage;
import dev.msgrelay.server.tls.TlsContext;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A relay: puts the messages of all publishers into one total order, and sends that order to every subscriber. It logs
 * by slf4j, also on its event loops, so a logger that waits for a disk or for a reader stops the relay.
 *
 * <pre>
 *   Entrances (sockets that listen) --accepted--> RelayEngine (everything else) on EngineLoops (threads)
 * </pre>
 */
public final class RelayServer implements AutoCloseable {
    /**
     * The stream that a relay found in its journal at the start.
     *
     * @param startSequence number of the oldest message
     * @param endSequence number of the next message; if it is {@code startSequence}, there are no messages yet
     * @param cutSequence number of the first message of the torn tail that was cut off
     * @param cutEndSequence number after the tail's last message; if it is {@code cutSequence}, no message was cut off
     */
    public record RecoveredJournal(long startSequence, long endSequence, long cutSequence, long cutEndSequence) {
        public long cutMessages() {
            return cutEndSequence - cutSequence;
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger("relay");

    /** Time without a tick after which the core counts as hung. */
    private static final long LIVE_MILLIS = 10_000;

    /** Longest time to wait until a relay whose disk hangs has logged its last line. */
    private static final long LINE_MILLIS = 3_000;

    private final long startNanos = System.nanoTime();
    private final RelayConfig config;
    private final RelayParts parts;
    private final RelayEngine engine;
    private final Entrances entrances;
    private final RelayTls tls;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<Throwable> failure = new CompletableFuture<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private volatile RelayStats last;

    private RelayServer(RelayConfig config, SystemTree system, RecoveryProgress recovery) throws IOException {
        this.config = config;
        parts = RelayParts.make(config, system, recovery, this::failed);
        engine = parts.engine();
        tls = new RelayTls(parts.tls(), engine.services().budget().pool(MemoryBudget.Part.TLS));
        entrances = new Entrances(
                config.listen(), parts.transport(), parts.congestion(), parts.loops()[0], identity(), this::place);
    }

    private RelayIdentity identity() {
        return engine.services().identity();
    }

    private void open() throws IOException {
        // The relay may have failed while it recovered its journal, for example because its node left the cluster.
        if (failure.isDone()) {
            throw new IOException(failure.join().getMessage(), failure.join());
        }
        for (EngineLoop loop : parts.loops()) {
            loop.start();
        }
        parts.journal().ifPresent(Journal::start);
        entrances.open(config.tls());
    }

    /**
     * Starts a relay.
     *
     * @throws IOException an address cannot be listened on, a file of TLS or the journal cannot be used, or the JVM or
     *     the system allows less than the relay needs; the message names the cause. Nothing is left behind
     * @throws IllegalArgumentException the transport, or the TLS provider, is not available here
     */
    public static RelayServer start(RelayConfig config) throws IOException {
        return start(config, RecoveryProgress.NOBODY);
    }

    /** Starts a relay, and reports the progress of its recovery, which may take a while for a long journal. */
    public static RelayServer start(RelayConfig config, RecoveryProgress recovery) throws IOException {
        return start(config, SystemTree.ofThisHost(), recovery);
    }

    static RelayServer start(RelayConfig config, SystemTree system, RecoveryProgress recovery) throws IOException {
        RelayServer relay = new RelayServer(config, system, recovery);
        try {
            relay.open();
            return relay;
        } catch (Throwable e) {
            // The drain time is zero, so that clients that have connected meanwhile get no stream.
            relay.beginEnd(Duration.ZERO);
            relay.close();
            throw e;
        }
    }

    /**
     * Checks the configuration as a start would, and changes nothing: the files of TLS, the cluster's file, the
     * journal's folder, the addresses, the system's limits. The addresses may be in use, because a relay may run with
     * this configuration.
     *
     * @return the warnings that a start would log, one line each
     * @throws IOException the configuration is wrong; the message names the cause
     */
    public static List<String> check(RelayConfig config) throws IOException {
        return check(config, SystemTree.ofThisHost());
    }

    static List<String> check(RelayConfig config, SystemTree system) throws IOException {
        List<String> warnings = new ArrayList<>();
        if (config.tls().on()) {
            warnings.addAll(TlsContext.check(config.tls().files(), config.tls().provider()));
        }
        warnings.addAll(MachineLimits.check(config, system));
        warnings.addAll(ClusterProvider.checkIfAny(config));
        if (config.journal().on()) {
            FileDisk.check(config.journal().directory());
        }
        Entrances.check(config.listen());
        return warnings;
    }

    private EventLoop place(Channel accepted, Role role, boolean secured) {
        AcceptedSocket.equip(accepted, config.clients().peerTimeout(), parts.congestion());
        Optional<TlsContext> secure = secured ? parts.tls() : Optional.empty();
        boolean proxied = config.proxies().required() && accepted instanceof SocketChannel;
        EngineLoop loop = proxied
                ? engine.placeProxied(accepted, role, secure, config.proxies())
                : engine.place(accepted, role, secure);
        return loop.io();
    }

    /** A new publisher for one producer thread of this process. Any thread. */
    public LocalPublisher newLocalPublisher() {
        return new LocalPublisher(
                engine.newStage(), closing::get, engine.ring(), config.stream().maxBody());
    }

    /** The address for publishers over TCP; null if there is none. */
    public InetSocketAddress publishAddress() {
        return identity().address(Role.PUBLISHER, false);
    }

    /** The address for subscribers over TCP; null if there is none. */
    public InetSocketAddress subscribeAddress() {
        return identity().address(Role.SUBSCRIBER, false);
    }

    /** The address for publishers with TLS; null if there is none. */
    public InetSocketAddress tlsPublishAddress() {
        return identity().address(Role.PUBLISHER, true);
    }

    /** The address for subscribers with TLS; null if there is none. */
    public InetSocketAddress tlsSubscribeAddress() {
        return identity().address(Role.SUBSCRIBER, true);
    }

    public RelayTls tls() {
        return tls;
    }

    public List<SocketAddress> addresses() {
        return entrances.addresses();
    }

    /** The moment of the start, by {@link System#nanoTime}. */
    public long startNanos() {
        return startNanos;
    }

    public RelayConfig config() {
        return config;
    }

    /**
     * Takes over those settings of another configuration that can change while the relay runs: all of them or, after an
     * error, none. Any thread.
     *
     * <p>Later handshakes use the files of TLS as they are now. A relay started without TLS never gets it. The access
     * policy is replaced: a connection that has lost its rights gets an ERROR, and is closed within a second.
     *
     * @throws IOException a file of TLS cannot be read or used; the message names the file and the line
     */
    public void reload(RelayConfig other) throws IOException {
        if (parts.tls().isPresent() && other.tls().on()) {
            parts.tls().get().reload(other.tls().files());
            engine.services().counters().increment(Counter.TLS_RELOADS);
        }
        engine.services().access().change(Optional.ofNullable(other.access()));
    }

    /** The transport in use; never AUTO. */
    public Transport transport() {
        return parts.transport();
    }

    /** The congestion control of accepted connections; never AUTO. */
    public CongestionControl congestion() {
        return parts.congestion();
    }

    /** Number of event loops: the core, which reads, orders and sends, and those that only send the live stream. */
    public int eventLoops() {
        return parts.liveLoops();
    }

    /** The findings in the journal at the relay's start, if there is a journal. */
    public Optional<RecoveredJournal> recovered() {
        return parts.journal().map(Journal::recovered).map(found -> {
            long end = found.endSequence();
            return new RecoveredJournal(
                    found.startSequence(),
                    end,
                    found.cut().map(Recovery.Cut::sequence).orElse(end),
                    found.cut().map(Recovery.Cut::endSequence).orElse(end));
        });
    }

    public MemoryPlan memory() {
        return MemoryPlan.of(config);
    }

    /** The counters; after the relay has ended, their last values. Any thread. */
    public RelayStats stats() {
        RelayStats atTheEnd = last;
        return atTheEnd != null ? atTheEnd : engine.stats();
    }

    /** One row for each connection. Any thread. */
    public List<ConnectionRow> connections() {
        return last != null ? List.of() : engine.rows();
    }

    /**
     * Copies the last messages that the log holds, the oldest first. Any thread. Too slow for a call per message.
     *
     * @param most limit on the messages
     * @param bytes limit on the copied bytes of each body
     */
    public List<PeekedMessage> lastMessages(int most, int bytes) {
        return last != null ? List.of() : PeekedMessage.last(engine.log(), most, bytes);
    }

    /** The types that a client with this token or address may get; empty if it may not subscribe. Any thread. */
    public Optional<TypeRanges> subscribable(Token token, Peer peer) {
        return engine.services().access().policy().subscribable(token, peer);
    }

    /** Whether the relay is {@link #reachable} and not {@link #ending}, and its cluster, if any, works. Any thread. */
    public boolean ready() {
        return !closing.get()
                && entrances.reachable()
                && parts.orderer().map(o -> o.status().state().orders()).orElse(true);
    }

    /** Whether each Unix socket has its file. The log says why a removed file cannot be made again. Any thread. */
    public boolean reachable() {
        return entrances.reachable();
    }

    /** Whether the end has begun, by {@link #close} or by a fault. Any thread. */
    public boolean ending() {
        return closing.get();
    }

    /** The state of the cluster; empty if the relay has no cluster. Any thread. */
    public Optional<ClusterStatus> cluster() {
        return parts.orderer().map(Orderer::status);
    }

    /** Whether the core runs: it has ticked within the last 10 s, and the relay has not failed. Any thread. */
    public boolean live() {
        return !failure.isDone() && engine.silentMillis() < LIVE_MILLIS;
    }

    /** Counts an event outside of the engine, such as at the admin port. Any thread. */
    public void count(Counter counter) {
        engine.services().counters().increment(counter);
    }

    /**
     * Ends the relay. First it takes no new connections and no more input, and sends the rest of the stream, for no
     * longer than the drain time-out. Then it closes everything. Returns when all this is done, also on an interrupted
     * thread, which stays interrupted. On one of the relay's own loops returns at once.
     */
    @Override
    public void close() {
        beginEnd(config.drainTimeout());
        for (EngineLoop loop : parts.loops()) {
            if (loop.io().inEventLoop()) {
                return;
            }
        }
        closed.join();
    }

    /** Begins the end, once, on a new thread. On the caller's thread an interrupt could leave the end unfinished. */
    private void beginEnd(Duration drainTimeout) {
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
            parts.drain(entrances, drainTimeout);
            parts.release(
                    () -> {
                        last = engine.stats();
                        // All connections have ended, so no more lines can come that repeat an earlier line.
                        engine.services().closes().logRemainingRepeats();
                    },
                    e -> {
                        LOG.error("{}", e.getMessage());
                        failure.complete(new JournalException(e.getMessage(), e));
                    });
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            closed.complete(null);
        }
    }

    /**
     * Stops the relay at once after a fault that puts the order in doubt, because a wrong message is worse than a lost
     * one. After a failure of the journal, the relay may continue in memory, if its configuration says so.
     */
    void failed(Throwable cause) {
        boolean ofJournal = cause instanceof JournalException;
        if (entrances == null) {
            // The relay is being started. The start looks at the failure before the relay listens.
            failure.complete(cause);
        } else if (NodeLeftException.isOfHungDisk(cause)) {
            cut(cause);
        } else if (ofJournal && config.journal().failure() == JournalConfig.Failure.MEMORY) {
            LOG.warn("the relay goes on in memory alone: {}", cause.getMessage());
            new Thread(parts::abandonJournal, "relay-journal-end").start();
        } else {
            // The drain time is zero, so that messages in doubt are not sent. The failure is reported after the end has
            // begun. Otherwise a listener that closes the relay would start a drain.
            beginEnd(Duration.ZERO);
            if (failure.complete(cause)) {
                if (ofJournal || cause instanceof NodeLeftException) {
                    LOG.error("the relay stops: {}", cause.getMessage());
                } else {
                    LOG.error("the relay stops: its stream is in doubt after a fault of its own", cause);
                }
            }
        }
    }

    /** Ends a relay whose disk hangs. Cuts off all clients first, because the end may have to wait for that disk. */
    private void cut(Throwable cause) {
        entrances.cut();
        beginEnd(Duration.ZERO);
        if (!failure.isDone()) {
            logApart(() -> LOG.error("the relay stops: {}", cause.getMessage()));
            failure.complete(cause);
        }
    }

    /** Logs on a new thread, and waits up to three seconds for that, because the log may be on the disk that hangs. */
    private static void logApart(Runnable line) {
        Thread log = new Thread(line, "relay-last-line");
        log.setDaemon(true);
        log.start();
        try {
            log.join(LINE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Completes with the cause if the relay had to stop because of a fault of its own, or with a {@link
     * JournalException} if its journal has failed. After a hung disk, see {@link NodeLeftException#isOfHungDisk}, the
     * program should halt, because an exit would wait for that disk.
     */
    public CompletableFuture<Throwable> failure() {
        return failure;
    }

    /** For tests. */
    RelayEngine engine() {
        return engine;
    }
}
