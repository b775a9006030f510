package dev.msgrelay.cluster;

import dev.msgrelay.server.ClusterProvider;
import dev.msgrelay.server.config.ClusterConfig;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.core.Orderer;
import dev.msgrelay.server.journal.disk.OwnFiles;
import io.aeron.Aeron;
import io.aeron.archive.Archive;
import io.aeron.archive.ArchiveThreadingMode;
import io.aeron.archive.checksum.Checksums;
import io.aeron.archive.client.AeronArchive;
import io.aeron.cluster.ClusterTool;
import io.aeron.cluster.ClusteredMediaDriver;
import io.aeron.cluster.ConsensusModule;
import io.aeron.cluster.RecordingLog;
import io.aeron.cluster.service.ClusteredServiceContainer;
import io.aeron.driver.Configuration;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.exceptions.AeronEvent;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;
import org.agrona.SemanticVersion;
import org.agrona.concurrent.NoOpLock;
import org.agrona.concurrent.SleepingMillisIdleStrategy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node: Aeron's parts, started and ended together. Aeron is the consensus and the network.
 *
 * <pre>
 *   media driver   UDP, one thread
 *   archive        the cluster's log on the disk, one thread
 *   consensus      elections, the log's order, one thread
 *   service        {@link RelayService}, one thread
 *   ingress        {@link Ingress}, one thread
 *   upkeep         {@link Upkeep}, one thread
 * </pre>
 */
public final class ClusterNode implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    /** Of a node's JVM: for Aeron's buffers and checksums, which are outside of what the language allows by itself. */
    public static final List<String> JVM_FLAGS = List.of(
            "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED", "--add-opens=java.base/java.util.zip=ALL-UNNAMED");

    /** What a node's buffers take of the shared memory at most. */
    public static final long SHARED_BYTES = ClusterFile.SHARED_BYTES;

    /** A leader that is silent for so long has gone: shorter, and a busy machine elects for nothing. */
    private static final long HEARTBEAT_TIMEOUT_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

    private static final long HEARTBEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long ELECTION_NANOS = TimeUnit.MILLISECONDS.toNanos(700);
    private static final long CANVASS_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** What keeps a client of Aeron alive, or looks up names, and does nothing else, sleeps so long. */
    private static final long CLIENT_IDLE_MILLIS = 10;

    /** One for each node, and those of earlier lives that have not timed out. */
    private static final int MOST_SESSIONS = 100;

    /**
     * A process that was stopped for less, by a debugger or a machine that was moved, goes on; Aeron's parts take longer ones
     * for dead, each for itself.
     */
    private static final long PAUSE_MILLIS = TimeUnit.MINUTES.toMillis(2);

    /** Files of the cluster's log: what is dropped at once. */
    private static final int SEGMENT_BYTES = 64 << 20;

    private static final int CONTROL_TERM_BYTES = 256 << 10;

    /** So much is under way to a node before it has said what has arrived, if the system gives its sockets buffers for it. */
    private static final int WINDOW_BYTES = 2 << 20;

    private static final long SAY_SECONDS = 10;

    /** What Aeron says once and again of a follower that does not catch up; it may be a leader that has just gone. */
    private static final String CATCH_UP = "failed to join catchup log";

    private static final int OFTEN = 5;

    /** Those of this process that are not closed. */
    private static final Set<ClusterNode> OPEN = ConcurrentHashMap.newKeySet();

    static {
        // Aeron takes it from nowhere else for the clients that it makes itself.
        if (System.getProperty(Aeron.Context.DRIVER_TIMEOUT_PROP_NAME) == null) {
            System.setProperty(Aeron.Context.DRIVER_TIMEOUT_PROP_NAME, Long.toString(PAUSE_MILLIS));
        }
    }

    private final NodePlace place;
    private final ClusterSecret secret;
    // Tells its entries from those of its earlier lives.
    private final long life;
    private final CompletableFuture<Void> begun = new CompletableFuture<>();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread whenKilled = new Thread(this::closeUnlessFed, "relay-cluster-killed");
    private final ClusterOrderer orderer;
    private volatile Throwable failure;
    // What Aeron said last, and how often in a row.
    private String said = "";
    private int times;
    // What follows is made by who starts the node, and ended by who closes it: one at a time.
    private final Object parts = new Object();
    private ClusteredMediaDriver driver;
    private ClusteredServiceContainer container;
    private Aeron aeron;
    private Ingress ingress;
    private Upkeep upkeep;

    private ClusterNode(NodePlace place, ClusterSecret secret, RelayConfig config) {
        this.place = place;
        this.secret = secret;
        this.life = random();
        this.orderer = new ClusterOrderer(
                place.node(),
                life,
                ClusterConfig.OUTGOING_BYTES,
                ClusterConfig.ORDERED_BYTES,
                config.stream().maxRun(),
                config.stream().maxBody(),
                this::close);
    }

    /** Found by relay-server. */
    public static final class Provider implements ClusterProvider {
        @Override
        public void check(RelayConfig config) throws IOException {
            ClusterFile file =
                    NodePlace.read(config.cluster().file(), config.cluster().node());
            file.checkShared();
            ClusterSecret.of(file);
        }

        @Override
        public Orderer join(RelayConfig config) throws IOException {
            NodePlace place =
                    NodePlace.take(config.cluster().file(), config.cluster().node());
            ClusterNode joined;
            try {
                ClusterSecret.warnIfOpen(place.file());
                joined = new ClusterNode(place, ClusterSecret.of(place.file()), config);
            } catch (Throwable e) {
                place.close();
                throw e;
            }
            try {
                String wide = config.access() == null ? null : OwnFiles.wide(place.directory());
                if (wide != null) {
                    LOG.warn("{}: {}", place.who(), wide);
                }
                joined.join();
                return joined.orderer;
            } catch (Throwable e) {
                joined.close();
                throw e;
            }
        }

        @Override
        public void abandon() {
            OPEN.forEach(ClusterNode::close);
        }
    }

    private static long random() {
        long random = new SecureRandom().nextLong();
        return random == 0 ? 1 : random;
    }

    private String who() {
        return place.who();
    }

    // ---- the start -----------------------------------------------------------------------------------------------

    private void join() throws IOException {
        OPEN.add(this);
        try {
            Runtime.getRuntime().addShutdownHook(whenKilled);
        } catch (IllegalStateException e) {
            throw new IOException(who() + ": the process ends", e);
        }
        awaitRoom();
        try {
            synchronized (parts) {
                checkOpen();
                launch();
            }
        } catch (RuntimeException e) {
            throw new IOException(who() + " cannot start: " + e.getMessage(), e);
        } catch (Error e) {
            String flags = String.join(" ", JVM_FLAGS);
            throw new IOException(who() + " cannot start: the JVM needs " + flags + ": " + e.getMessage(), e);
        }
        awaitStream();
    }

    /** A node whose disk is full has left the others: it comes back when there is room. */
    private void awaitRoom() throws IOException {
        long free = place.free();
        for (long i = 0; free < Upkeep.LEAST_FREE && !closing.get(); i++) {
            if (i % SAY_SECONDS == 0) {
                LOG.warn("{} waits for room: {}", who(), Upkeep.full(place, free));
            }
            LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
            free = place.free();
        }
    }

    /** Whoever closes it waits for the part that is being started just now. */
    private void checkOpen() {
        if (closing.get()) {
            throw new IllegalStateException("it was closed");
        }
    }

    private void launch() {
        ClusterFile file = place.file();
        int node = place.node();
        File consensus = place.consensus();
        int sync = file.sync() ? 1 : 0;
        int id = clusterId(file);
        ErrorHandler errors = this::aeronSays;
        ThreadFactory threads = NodeThread.factory(this::terminated);
        MediaDriver.Context media = media(place, errors).sharedThreadFactory(threads);
        Archive.Context archive = archive(place, secret, errors).threadFactory(threads);
        AeronArchive.Context archiveClient = archiveClient(place, secret, archive);
        ConsensusModule.Context module = new ConsensusModule.Context()
                .epochClock(SteadyClock.INSTANCE)
                .clusterClock(SteadyClock.INSTANCE)
                .clusterId(id)
                .clusterMemberId(node)
                .clusterMembers(file.aeronMembers())
                .consensusStreamId(consensusStream(file))
                .clusterDir(consensus)
                .markFileDir(place.marks())
                .appVersion(SemanticVersion.compose(Batch.VERSION, 0, 0))
                .archiveContext(archiveClient.clone())
                .ingressChannel(file.aeronMessages())
                // As fast as the slowest follower that is heard of: one that is outrun by a term has lost its place in
                // the log.
                .logChannel(file.aeronMessages() + "|fc=min,t:500ms")
                .replicationChannel(anyPort(place))
                .leaderHeartbeatTimeoutNs(HEARTBEAT_TIMEOUT_NANOS)
                .leaderHeartbeatIntervalNs(HEARTBEAT_NANOS)
                .electionTimeoutNs(ELECTION_NANOS)
                .startupCanvassTimeoutNs(CANVASS_NANOS)
                .maxConcurrentSessions(MOST_SESSIONS)
                .fileSyncLevel(sync)
                .authenticatorSupplier(secret.authenticator())
                .idleStrategySupplier(Idle::new)
                .threadFactory(threads)
                .terminationHook(this::terminated)
                .errorHandler(errors);
        driver = ClusteredMediaDriver.launch(media, archive, module);
        checkOpen();
        RelayService service = new RelayService(
                file, node, life, lastTerm(consensus), orderer, () -> begun.complete(null), this::leave);
        container = ClusteredServiceContainer.launch(new ClusteredServiceContainer.Context()
                .epochClock(SteadyClock.INSTANCE)
                .aeronDirectoryName(place.driver())
                .archiveContext(archiveClient.clone())
                .clusterId(id)
                .clusterDir(consensus)
                .markFileDir(place.marks())
                .clusteredService(service)
                .appVersion(SemanticVersion.compose(Batch.VERSION, 0, 0))
                .idleStrategySupplier(Idle::new)
                .threadFactory(threads)
                .terminationHook(this::terminated)
                .errorHandler(errors));
        aeron = Aeron.connect(new Aeron.Context()
                .epochClock(SteadyClock.INSTANCE)
                .aeronDirectoryName(place.driver())
                .idleStrategy(new SleepingMillisIdleStrategy(CLIENT_IDLE_MILLIS))
                .threadFactory(threads)
                .errorHandler(errors));
        ingress = new Ingress(
                who(), aeron, file, node, life, random(), secret.credentials(), orderer, service, this::leave);
        upkeep = new Upkeep(place, aeron, archiveClient, service, orderer, orderer::stands, this::leave);
        ingress.start();
        upkeep.start();
    }

    static int clusterId(ClusterFile file) {
        return (int) (ClusterState.idOf(file.name()) & 0xFFFF);
    }

    /** Of a cluster: a node of another one that has its addresses is not heard, and cannot become a member. */
    static int consensusStream(ClusterFile file) {
        return 1 << 16 | clusterId(file);
    }

    /** For what is said to a node once in a while. */
    static String anyPort(NodePlace place) {
        return "aeron:udp?term-length=64k|endpoint=" + place.member().host() + ":0";
    }

    static MediaDriver.Context media(NodePlace place, ErrorHandler errors) {
        int window = window();
        return new MediaDriver.Context()
                .epochClock(SteadyClock.INSTANCE)
                .initialWindowLength(window)
                .socketRcvbufLength(window)
                .aeronDirectoryName(place.driver())
                .dirDeleteOnStart(true)
                .dirDeleteOnShutdown(true)
                .threadingMode(ThreadingMode.SHARED)
                .sharedIdleStrategy(new Idle())
                .asyncExecutorIdleStrategy(new SleepingMillisIdleStrategy(CLIENT_IDLE_MILLIS))
                .termBufferSparseFile(true)
                .clientLivenessTimeoutNs(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS))
                .publicationUnblockTimeoutNs(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS + 1))
                // Of channels that say nothing themselves: those for messages of the relay do.
                .publicationTermBufferLength(CONTROL_TERM_BYTES)
                .ipcTermBufferLength(1 << 20)
                .errorHandler(errors);
    }

    /** As large as the system's limit lets it be. */
    private static int window() {
        try (DatagramChannel probe = DatagramChannel.open()) {
            probe.setOption(StandardSocketOptions.SO_RCVBUF, WINDOW_BYTES);
            // Linux answers twice of what it has given.
            int given = probe.getOption(StandardSocketOptions.SO_RCVBUF) / 2;
            return Math.max(Configuration.INITIAL_WINDOW_LENGTH_DEFAULT, Math.min(WINDOW_BYTES, given));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Archive.Context archive(NodePlace place, ClusterSecret secret, ErrorHandler errors) {
        int sync = place.file().sync() ? 1 : 0;
        return new Archive.Context()
                .epochClock(SteadyClock.INSTANCE)
                .aeronDirectoryName(place.driver())
                .archiveDir(place.archive())
                .markFileDir(place.marks())
                .controlChannel(
                        "aeron:udp?term-length=64k|endpoint=" + place.member().endpoint(4))
                .localControlChannel("aeron:ipc?term-length=64k")
                .archiveClientContext(new AeronArchive.Context()
                        .controlResponseChannel(anyPort(place))
                        .credentialsSupplier(secret.credentials()))
                .authenticatorSupplier(secret.authenticator())
                .replicationChannel(anyPort(place))
                .recordingEventsEnabled(false)
                .segmentFileLength(SEGMENT_BYTES)
                .threadingMode(ArchiveThreadingMode.SHARED)
                .idleStrategySupplier(Idle::new)
                .recordChecksum(Checksums.crc32c())
                .fileSyncLevel(sync)
                .catalogFileSyncLevel(sync)
                .errorHandler(errors);
    }

    /** Of the node's own archive. */
    static AeronArchive.Context archiveClient(NodePlace place, ClusterSecret secret, Archive.Context archive) {
        return new AeronArchive.Context()
                .credentialsSupplier(secret.credentials())
                .lock(NoOpLock.INSTANCE)
                .controlRequestChannel(archive.localControlChannel())
                .controlRequestStreamId(archive.localControlStreamId())
                .controlResponseChannel(archive.localControlChannel())
                .aeronDirectoryName(place.driver());
    }

    /** The last term that the node knew of when it ended; -1: none. */
    private static long lastTerm(File consensus) {
        if (!new File(consensus, RecordingLog.RECORDING_LOG_FILE_NAME).exists()) {
            return -1;
        }
        try (RecordingLog log = new RecordingLog(consensus, false)) {
            RecordingLog.Entry last = log.findLastTerm();
            return last == null ? -1 : last.leadershipTermId;
        }
    }

    /** Until the log has been replayed as far as there is an epoch, which takes a majority where there was none. */
    private void awaitStream() throws IOException {
        try {
            while (true) {
                try {
                    begun.get(SAY_SECONDS, TimeUnit.SECONDS);
                    return;
                } catch (TimeoutException e) {
                    LOG.info(
                            "{} waits for a majority of {}, which have to know this one as node {} at {}",
                            who(),
                            new TreeMap<>(place.file().members()),
                            place.node(),
                            place.member());
                }
            }
        } catch (ExecutionException e) {
            throw new IOException(
                    who() + " has ended before it was one of a majority: "
                            + e.getCause().getMessage(),
                    e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(who() + ": interrupted while it waited for a majority", e);
        }
    }

    /**
     * Has the cluster take a snapshot, on all its nodes.
     *
     * @param node runs on this machine, and leads
     * @throws IOException it does not, or no snapshot was taken; the message says why
     */
    public static void snapshot(Path file, int node) throws IOException {
        ClusterFile cluster = NodePlace.read(file, node);
        // Aeron would wait two minutes for a process that was killed.
        if (!NodePlace.isTaken(cluster, node)) {
            throw new IOException("node " + node + " does not run here: no process has " + cluster.directoryOf(node));
        }
        File consensus = NodePlace.consensus(cluster, node);
        long before = snapshotsOf(consensus);
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8)) {
            if (!ClusterTool.snapshot(consensus, out)) {
                throw new IOException("node " + node + " took no snapshot: "
                        + said.toString(StandardCharsets.UTF_8).strip().replaceAll("\\s+", " "));
            }
        }
        if (snapshotsOf(consensus) == before) {
            throw new IOException("node " + node + " skipped the snapshot: its log says why");
        }
    }

    /** How many snapshots the node has taken since it has its directory. */
    private static long snapshotsOf(File consensus) {
        try (RecordingLog log = new RecordingLog(consensus, false)) {
            return log.entries().stream()
                    .filter(entry -> entry.type == RecordingLog.ENTRY_TYPE_SNAPSHOT)
                    .count();
        }
    }

    // ---- what Aeron says -----------------------------------------------------------------------------------------

    private synchronized void aeronSays(Throwable e) {
        if (closing.get()) {
            return;
        }
        if (e instanceof RelayService.Skipped) {
            return;
        }
        String text = String.valueOf(e.getMessage());
        times = text.equals(said) ? times + 1 : 1;
        said = text;
        if (e instanceof AeronEvent) {
            if (times == 1) {
                LOG.info("{}: {}", who(), text);
            }
            return;
        }
        failure = e;
        if (times == 1) {
            LOG.warn("{}: {}", who(), e.toString());
        } else if (times == OFTEN && text.contains(CATCH_UP)) {
            LOG.warn(
                    "{} does not get what it has missed: where the others have dropped that, it has to be restored, by"
                            + " relay-cluster restore --replace",
                    who());
        }
    }

    /** One of Aeron's threads has ended, and has said before why. */
    private void terminated() {
        Throwable said = failure;
        leave(said == null ? new IllegalStateException("Aeron has ended") : said);
    }

    /** The node cannot go on. Any thread. */
    private void leave(Throwable e) {
        if (!closing.get()) {
            String why = e.getMessage() == null ? e.toString() : e.getMessage();
            Throwable cause = new IllegalStateException(who() + " takes no part any more: " + why, e);
            begun.completeExceptionally(cause);
            orderer.failed(cause);
        }
    }

    // ---- the end -------------------------------------------------------------------------------------------------

    /** Leaves the cluster, which goes on without it. More than once without harm: who comes later waits until it is done. */
    @Override
    public void close() {
        if (closing.compareAndSet(false, true)) {
            begun.completeExceptionally(new IllegalStateException("it was closed"));
            try {
                synchronized (parts) {
                    CloseHelper.quietCloseAll(upkeep, ingress, aeron, container, driver);
                }
                place.close();
            } finally {
                OPEN.remove(this);
                closed.countDown();
            }
            forgetHook();
        } else {
            awaitClosed();
        }
    }

    private void awaitClosed() {
        try {
            closed.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Where the process ends while the relay is being started, nobody else ends the node. Later, who has the relay does. */
    private void closeUnlessFed() {
        if (!orderer.isFed()) {
            close();
        }
    }

    private void forgetHook() {
        try {
            Runtime.getRuntime().removeShutdownHook(whenKilled);
        } catch (IllegalStateException e) {
            // The process ends, and it is under way.
        }
    }
}
