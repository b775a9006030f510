package dev.msgrelay.cluster;

import dev.msgrelay.server.config.ClusterConfig;
import io.aeron.Aeron;
import io.aeron.archive.Archive;
import io.aeron.archive.ArchiveThreadingMode;
import io.aeron.archive.checksum.Checksums;
import io.aeron.archive.client.AeronArchive;
import io.aeron.cluster.ConsensusModule;
import io.aeron.cluster.service.ClusteredService;
import io.aeron.cluster.service.ClusteredServiceContainer;
import io.aeron.driver.Configuration;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.TimeUnit;
import org.agrona.ErrorHandler;
import org.agrona.SemanticVersion;
import org.agrona.concurrent.NoOpLock;
import org.agrona.concurrent.SleepingMillisIdleStrategy;

/** Settings of Aeron's parts, for one node. The caller adds the threads. */
final class AeronParts {
    /** Silence of a leader until an election: with less, a busy machine would cause needless elections. */
    private static final long HEARTBEAT_TIMEOUT_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

    private static final long HEARTBEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long ELECTION_NANOS = TimeUnit.MILLISECONDS.toNanos(700);
    private static final long CANVASS_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Sleep of threads that only keep a client of Aeron alive, or look up names. */
    private static final long CLIENT_IDLE_MILLIS = 10;

    /** Most sessions of the cluster: one for each node, and earlier ones that have not timed out. */
    private static final int MOST_SESSIONS = 100;

    /**
     * Longest pause of a process, by a debugger or the move of a virtual machine, that does not end the node. After a
     * longer pause Aeron's parts take each other for dead.
     */
    private static final long PAUSE_MILLIS = TimeUnit.MINUTES.toMillis(2);

    private static final int CONTROL_TERM_BYTES = 256 << 10;

    /** Most bytes in flight to a node, if the system allows socket buffers of this size. */
    private static final int WINDOW_BYTES = 2 << 20;

    private static final int APP_VERSION = SemanticVersion.compose(Batch.VERSION, 0, 0);

    static {
        // For clients that Aeron creates itself: a system property is their only source of this setting.
        if (System.getProperty(Aeron.Context.DRIVER_TIMEOUT_PROP_NAME) == null) {
            System.setProperty(Aeron.Context.DRIVER_TIMEOUT_PROP_NAME, Long.toString(PAUSE_MILLIS));
        }
    }

    private final NodePlace place;
    private final ClusterSecret secret;
    private final ErrorHandler errors;
    private final int sync;
    // The wait of the driver's thread, which owns the node's UDP sockets.
    private final Idle driver = new Idle();

    /** @param errors gets the errors of all parts but the consensus */
    AeronParts(NodePlace place, ClusterSecret secret, ErrorHandler errors) {
        this.place = place;
        this.secret = secret;
        this.errors = errors;
        this.sync = place.file().sync() ? 1 : 0;
    }

    /** The number of a cluster, for Aeron's counters on one machine. */
    static int clusterId(ClusterFile file) {
        return (int) (ClusterState.idOf(file.name()) & 0xFFFF);
    }

    /** Number of the stream of a cluster's votes. It keeps out nodes of another cluster at the same addresses. */
    static int consensusStream(ClusterFile file) {
        return 1 << 16 | clusterId(file);
    }

    /** A channel at any free port of the node, for few messages. */
    String anyPort() {
        return "aeron:udp?term-length=64k|endpoint=" + place.member().host() + ":0";
    }

    /** Stops the network of the node: it neither sends nor receives any more. Any thread, without a wait. */
    void silence() {
        driver.standStill();
    }

    MediaDriver.Context media() {
        int window = window();
        return new MediaDriver.Context()
                .epochClock(SteadyClock.INSTANCE)
                .initialWindowLength(window)
                .socketRcvbufLength(window)
                .aeronDirectoryName(place.driver())
                .dirDeleteOnStart(true)
                .dirDeleteOnShutdown(true)
                .threadingMode(ThreadingMode.SHARED)
                .sharedIdleStrategy(driver)
                .asyncExecutorIdleStrategy(new SleepingMillisIdleStrategy(CLIENT_IDLE_MILLIS))
                .termBufferSparseFile(true)
                .clientLivenessTimeoutNs(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS))
                .publicationUnblockTimeoutNs(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS + 1))
                // For channels without a length of their own; those of messages have one.
                .publicationTermBufferLength(CONTROL_TERM_BYTES)
                .ipcTermBufferLength(1 << 20)
                .errorHandler(errors);
    }

    private static int window() {
        try (DatagramChannel probe = DatagramChannel.open()) {
            probe.setOption(StandardSocketOptions.SO_RCVBUF, WINDOW_BYTES);
            // Linux reports twice the size of the buffer.
            int given = probe.getOption(StandardSocketOptions.SO_RCVBUF) / 2;
            return Math.max(Configuration.INITIAL_WINDOW_LENGTH_DEFAULT, Math.min(WINDOW_BYTES, given));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Archive.Context archive() {
        return new Archive.Context()
                .epochClock(SteadyClock.INSTANCE)
                .aeronDirectoryName(place.driver())
                .archiveDir(place.archive())
                .markFileDir(place.marks())
                .controlChannel(
                        "aeron:udp?term-length=64k|endpoint=" + place.member().endpoint(4))
                .localControlChannel("aeron:ipc?term-length=64k")
                .archiveClientContext(new AeronArchive.Context()
                        .controlResponseChannel(anyPort())
                        .credentialsSupplier(secret.credentials()))
                .authenticatorSupplier(secret.authenticator())
                .replicationChannel(anyPort())
                .recordingEventsEnabled(false)
                .segmentFileLength(ClusterConfig.FILE_BYTES)
                .threadingMode(ArchiveThreadingMode.SHARED)
                .idleStrategySupplier(Idle::new)
                .recordChecksum(Checksums.crc32c())
                .fileSyncLevel(sync)
                .catalogFileSyncLevel(sync)
                .errorHandler(errors);
    }

    /** The settings of a client of the node's own archive. */
    AeronArchive.Context archiveClient(Archive.Context archive) {
        return new AeronArchive.Context()
                .credentialsSupplier(secret.credentials())
                .lock(NoOpLock.INSTANCE)
                .controlRequestChannel(archive.localControlChannel())
                .controlRequestStreamId(archive.localControlStreamId())
                .controlResponseChannel(archive.localControlChannel())
                .aeronDirectoryName(place.driver());
    }

    /** @param ownErrors gets the errors of the consensus */
    ConsensusModule.Context consensus(AeronArchive.Context archiveClient, ErrorHandler ownErrors) {
        ClusterFile file = place.file();
        return new ConsensusModule.Context()
                .epochClock(SteadyClock.INSTANCE)
                .clusterClock(SteadyClock.INSTANCE)
                .clusterId(clusterId(file))
                .clusterMemberId(place.node())
                .clusterMembers(file.aeronMembers())
                .consensusStreamId(consensusStream(file))
                .clusterDir(place.consensus())
                .markFileDir(place.marks())
                .appVersion(APP_VERSION)
                .archiveContext(archiveClient.clone())
                .ingressChannel(file.aeronMessages())
                // The leader is no faster than the slowest live follower: a follower that lags by more than a term
                // loses its position in the log.
                .logChannel(file.aeronMessages() + "|fc=min,t:500ms")
                .replicationChannel(anyPort())
                .leaderHeartbeatTimeoutNs(HEARTBEAT_TIMEOUT_NANOS)
                .leaderHeartbeatIntervalNs(HEARTBEAT_NANOS)
                .electionTimeoutNs(ELECTION_NANOS)
                .startupCanvassTimeoutNs(CANVASS_NANOS)
                .maxConcurrentSessions(MOST_SESSIONS)
                .fileSyncLevel(sync)
                .authenticatorSupplier(secret.authenticator())
                .idleStrategySupplier(Idle::new)
                .errorHandler(ownErrors);
    }

    ClusteredServiceContainer.Context service(ClusteredService service, AeronArchive.Context archiveClient) {
        return new ClusteredServiceContainer.Context()
                .epochClock(SteadyClock.INSTANCE)
                .aeronDirectoryName(place.driver())
                .archiveContext(archiveClient.clone())
                .clusterId(clusterId(place.file()))
                .clusterDir(place.consensus())
                .markFileDir(place.marks())
                .clusteredService(service)
                .appVersion(APP_VERSION)
                .idleStrategySupplier(Idle::new)
                .errorHandler(errors);
    }

    /** The settings of the client that ingress and upkeep share. */
    Aeron.Context client() {
        return new Aeron.Context()
                .epochClock(SteadyClock.INSTANCE)
                .aeronDirectoryName(place.driver())
                .idleStrategy(new SleepingMillisIdleStrategy(CLIENT_IDLE_MILLIS))
                .errorHandler(errors);
    }
}
