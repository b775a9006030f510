package dev.msgrelay.cluster;

import dev.msgrelay.server.assembly.ClusterProvider;
import dev.msgrelay.server.config.ClusterConfig;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.host.SystemTree;
import dev.msgrelay.server.journal.disk.OwnFiles;
import dev.msgrelay.server.stream.NodeLeftException;
import dev.msgrelay.server.stream.Orderer;
import io.aeron.Aeron;
import io.aeron.archive.Archive;
import io.aeron.archive.client.AeronArchive;
import io.aeron.cluster.ClusteredMediaDriver;
import io.aeron.cluster.RecordingLog;
import io.aeron.cluster.service.ClusteredServiceContainer;
import java.io.File;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
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
 *   watchman       {@link Watchman}, one thread
 * </pre>
 */
public final class ClusterNode implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    /** Flags of a node's JVM, which Aeron's buffers and checksums need. */
    public static final List<String> JVM_FLAGS = List.of(
            "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED", "--add-opens=java.base/java.util.zip=ALL-UNNAMED");

    private static final long SAY_SECONDS = 10;

    private static final Set<ClusterNode> OPEN = ConcurrentHashMap.newKeySet();

    private final NodePlace place;
    private final ClusterSecret secret;
    private final AeronErrors errors;
    private final AeronParts aeronParts;
    // Random: identifies the entries of this process among those of the node's earlier ones.
    private final long life;
    private final CompletableFuture<Void> begun = new CompletableFuture<>();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread whenKilled = new Thread(this::closeUnlessFed, "relay-cluster-killed");
    private final ClusterOrderer orderer;
    // Lock of the following fields: one thread starts the node, another one may close it.
    private final Object parts = new Object();
    private ClusteredMediaDriver driver;
    private Watchman watchman;
    private ClusteredServiceContainer container;
    private Aeron aeron;
    private Ingress ingress;
    private Upkeep upkeep;

    private ClusterNode(NodePlace place, ClusterSecret secret, RelayConfig config) {
        this.place = place;
        this.secret = secret;
        this.errors = new AeronErrors(place.who(), System::nanoTime);
        this.aeronParts = new AeronParts(place, secret, errors);
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

    /** The service by which relay-server finds this module. */
    public static final class Provider implements ClusterProvider {
        @Override
        public List<String> check(RelayConfig config) throws IOException {
            ClusterFile file = fileFor(config);
            file.checkShared();
            ClusterSecret.of(file);
            return file.fleeting(SystemTree.ofThisHost()).stream().toList();
        }

        /** Reads the cluster's file, and refuses a relay that does not go with it before that takes anything. */
        private static ClusterFile fileFor(RelayConfig config) throws IOException {
            ClusterFile file =
                    NodePlace.read(config.cluster().file(), config.cluster().node());
            file.checkState(config.state());
            return file;
        }

        @Override
        public Orderer join(RelayConfig config) throws IOException {
            NodePlace place =
                    NodePlace.acquire(fileFor(config), config.cluster().node());
            ClusterNode joined;
            try {
                ClusterSecret.warnIfOpen(place.file());
                place.file().fleeting(SystemTree.ofThisHost()).ifPresent(LOG::warn);
                joined = new ClusterNode(place, ClusterSecret.of(place.file()), config);
            } catch (Throwable e) {
                place.close();
                throw e;
            }
            try {
                if (config.access() != null) {
                    OwnFiles.wide(place.directory()).ifPresent(wide -> LOG.warn("{}: {}", place.who(), wide));
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

    /** Waits until the disk has room: a node with a full disk leaves the cluster until then. */
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

    /** Ends the start of a node that is being closed: the close waits for the lock. */
    private void checkOpen() {
        if (closing.get()) {
            throw new IllegalStateException("it was closed");
        }
    }

    private void launch() {
        ThreadFactory threads = NodeThread.factory(this::ended);
        Archive.Context archive = aeronParts.archive().threadFactory(threads);
        AeronArchive.Context archiveClient = aeronParts.archiveClient(archive);
        driver = ClusteredMediaDriver.launch(
                aeronParts.media().sharedThreadFactory(threads),
                archive,
                aeronParts
                        .consensus(archiveClient, errors.ofConsensus(this::leaveCluster))
                        .threadFactory(threads)
                        .terminationHook(() -> ended(Optional.empty())));
        watchman = new Watchman(driver.mediaDriver().context().countersManager(), this::hangs, this::leaveCluster);
        watchman.start();
        checkOpen();
        RelayService service = new RelayService(
                place.file(),
                place.node(),
                life,
                lastTerm(place.consensus()),
                orderer,
                () -> begun.complete(null),
                this::leaveCluster);
        container = ClusteredServiceContainer.launch(aeronParts
                .service(service, archiveClient)
                .threadFactory(threads)
                .terminationHook(() -> ended(Optional.empty())));
        aeron = Aeron.connect(aeronParts.client().threadFactory(threads));
        ingress = new Ingress(place, aeron, life, random(), secret.credentials(), orderer, service, this::leaveCluster);
        upkeep = new Upkeep(place, aeron, archiveClient, service, orderer, watchman, this::leaveCluster);
        ingress.start();
        upkeep.start();
    }

    /** The last term that the node knew before it ended; -1: none. */
    private static long lastTerm(File consensus) {
        if (!new File(consensus, RecordingLog.RECORDING_LOG_FILE_NAME).exists()) {
            return -1;
        }
        try (RecordingLog log = new RecordingLog(consensus, false)) {
            RecordingLog.Entry last = log.findLastTerm();
            return last == null ? -1 : last.leadershipTermId;
        }
    }

    /** Waits until the stream has begun: by the replay of the log, or for the first time by a majority. */
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

    /** @param thrown the error that has ended a thread of Aeron; empty: the cause is the last error that it reported */
    private void ended(Optional<Throwable> thrown) {
        leaveCluster(thrown.orElseGet(errors::cause));
    }

    /** Ends the relay, since the node cannot go on. Any thread. */
    private void leaveCluster(Throwable e) {
        if (!closing.get()) {
            Optional<String> memory = AeronErrors.isOfMemory(e) ? place.fullMemory() : Optional.empty();
            String why = memory.orElse(e.getMessage() == null ? e.toString() : e.getMessage());
            String text = who() + " takes no part any more: " + why;
            Throwable cause = memory.isPresent() || e instanceof NodeLeftException
                    ? new NodeLeftException(text)
                    : new IllegalStateException(text, e);
            begun.completeExceptionally(cause);
            orderer.failed(cause);
        }
    }

    /**
     * Ends the relay, since the node's disk hangs. To close Aeron's parts would wait for the disk, so they are only
     * silenced. On the watchman's thread, without a wait.
     *
     * @param what a text about the disk
     */
    private void hangs(String what) {
        // First: the leader waits for each member that it hears of.
        aeronParts.silence();
        if (closing.compareAndSet(false, true)) {
            errors.mute();
            Throwable cause =
                    NodeLeftException.ofHungDisk(who() + " leaves: the disk of " + place.directory() + " " + what);
            begun.completeExceptionally(cause);
            closed.countDown();
            orderer.failed(cause);
        }
    }

    /** Leaves the cluster, which goes on. Later calls wait for the first one. */
    @Override
    public void close() {
        if (closing.compareAndSet(false, true)) {
            errors.mute();
            begun.completeExceptionally(new IllegalStateException("it was closed"));
            try {
                synchronized (parts) {
                    CloseHelper.quietCloseAll(upkeep, ingress, aeron, container);
                    if (driver != null) {
                        // The watchman watches the archive until that is closed, since its disk may hang.
                        CloseHelper.quietCloseAll(
                                driver.consensusModule(), driver.archive(), watchman, driver.mediaDriver());
                    }
                }
                place.close();
            } finally {
                OPEN.remove(this);
                closed.countDown();
            }
            try {
                Runtime.getRuntime().removeShutdownHook(whenKilled);
            } catch (IllegalStateException e) {
                // The process ends, and the hook runs.
            }
        } else {
            try {
                closed.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Closes the node if the process ends while the relay starts. Later the relay closes it. */
    private void closeUnlessFed() {
        if (!orderer.hasCore()) {
            close();
        }
    }
}
