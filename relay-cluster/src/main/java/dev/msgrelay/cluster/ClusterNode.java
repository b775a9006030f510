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

    /**
     * Flags of a node's JVM: for Aeron's buffers and checksums, which are outside of what the language allows by
     * itself.
     */
    public static final List<String> JVM_FLAGS = List.of(
            "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED", "--add-opens=java.base/java.util.zip=ALL-UNNAMED");

    /** Shared memory that a node's buffers take at most. */
    public static final long SHARED_BYTES = ClusterFile.SHARED_BYTES;

    private static final long SAY_SECONDS = 10;

    /** Nodes of this process that are not closed. */
    private static final Set<ClusterNode> OPEN = ConcurrentHashMap.newKeySet();

    private final NodePlace place;
    private final ClusterSecret secret;
    private final AeronErrors errors;
    private final AeronParts aeronParts;
    // Random number that tells the node's entries from those of its earlier lives.
    private final long life;
    private final CompletableFuture<Void> begun = new CompletableFuture<>();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread whenKilled = new Thread(this::closeUnlessFed, "relay-cluster-killed");
    private final ClusterOrderer orderer;
    // Lock of the fields that follow: one thread starts the node, another one may close it.
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

    /** The cluster's side of relay-server, which finds it by its name. */
    public static final class Provider implements ClusterProvider {
        @Override
        public List<String> check(RelayConfig config) throws IOException {
            ClusterFile file =
                    NodePlace.read(config.cluster().file(), config.cluster().node());
            file.checkShared();
            ClusterSecret.of(file);
            return file.fleeting(SystemTree.ofThisHost()).stream().toList();
        }

        @Override
        public Orderer join(RelayConfig config) throws IOException {
            NodePlace place =
                    NodePlace.acquire(config.cluster().file(), config.cluster().node());
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

    /**
     * Waits until the disk has room: a node whose disk is full has left the others, and comes back when there is some.
     */
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

    /** Ends the start of a node that is being closed: the close waits for the part that is being started just now. */
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
                        .terminationHook(this::terminated));
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
                .terminationHook(this::terminated));
        aeron = Aeron.connect(aeronParts.client().threadFactory(threads));
        ingress = new Ingress(place, aeron, life, random(), secret.credentials(), orderer, service, this::leaveCluster);
        upkeep = new Upkeep(place, aeron, archiveClient, service, orderer, watchman, this::leaveCluster);
        ingress.start();
        upkeep.start();
    }

    /** Returns the last term that the node knew of when it ended; -1: none. */
    private static long lastTerm(File consensus) {
        if (!new File(consensus, RecordingLog.RECORDING_LOG_FILE_NAME).exists()) {
            return -1;
        }
        try (RecordingLog log = new RecordingLog(consensus, false)) {
            RecordingLog.Entry last = log.findLastTerm();
            return last == null ? -1 : last.leadershipTermId;
        }
    }

    /**
     * Waits until the log has been replayed as far as there is an epoch, which takes a majority where there was none.
     */
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

    // ---- the end -------------------------------------------------------------------------------------------------

    /** A thread of Aeron's has ended; Aeron has reported before why. */
    private void terminated() {
        leaveCluster(errors.cause());
    }

    /** @param thrown by a thread of Aeron's, which has ended */
    private void ended(Optional<Throwable> thrown) {
        leaveCluster(thrown.orElseGet(errors::cause));
    }

    /** The node cannot go on. Any thread. */
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
     * The node's disk hangs. Closing Aeron's parts would wait for it, so they stay as they are, silent. On the
     * watchman's thread; waits for nothing that may hang.
     *
     * @param what the disk does, in words
     */
    private void hangs(String what) {
        // First: the others wait for whoever is heard of. A node that is being closed has told its clients already.
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

    /**
     * Leaves the cluster, which goes on without it. More than once without harm: later callers wait until the first is
     * done.
     */
    @Override
    public void close() {
        if (closing.compareAndSet(false, true)) {
            errors.mute();
            begun.completeExceptionally(new IllegalStateException("it was closed"));
            try {
                synchronized (parts) {
                    CloseHelper.quietCloseAll(upkeep, ingress, aeron, container);
                    closeDriver();
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

    /**
     * Closes what the watchman watches before him: an archive that hangs while it is closed must not hold up the
     * others.
     */
    private void closeDriver() {
        if (driver != null) {
            CloseHelper.quietCloseAll(driver.consensusModule(), driver.archive(), watchman, driver.mediaDriver());
        }
    }

    private void awaitClosed() {
        try {
            closed.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Ends the node of a process that ends while its relay is being started: nobody else does. Later, the relay does.
     */
    private void closeUnlessFed() {
        if (!orderer.hasCore()) {
            close();
        }
    }

    private void forgetHook() {
        try {
            Runtime.getRuntime().removeShutdownHook(whenKilled);
        } catch (IllegalStateException e) {
            // The process ends, and the hook is under way.
        }
    }
}
