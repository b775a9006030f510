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

/** Settings of Aeron's parts, for one node. The one who starts a part adds its threads. */
final class AeronParts {
    /** Silence after which a leader has gone: with less, a busy machine elects for nothing. */
    private static final long HEARTBEAT_TIMEOUT_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

    private static final long HEARTBEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long ELECTION_NANOS = TimeUnit.MILLISECONDS.toNanos(700);
    private static final long CANVASS_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Sleep of the threads that keep a client of Aeron alive, or look up names, and do nothing else. */
    private static final long CLIENT_IDLE_MILLIS = 10;

    /** Sessions of the cluster: one for each node, and those of earlier lives that have not timed out. */
    private static final int MOST_SESSIONS = 100;

    /**
     * Pause of a process, by a debugger or a machine that was moved, after which it goes on. Aeron's parts take one
     * that pauses longer for dead, each for itself.
     */
    private static final long PAUSE_MILLIS = TimeUnit.MINUTES.toMillis(2);

    private static final int CONTROL_TERM_BYTES = 256 << 10;

    /**
     * Bytes under way to a node before it has said what has arrived, if the system gives its sockets buffers for that.
     */
    private static final int WINDOW_BYTES = 2 << 20;

    private static final int APP_VERSION = SemanticVersion.compose(Batch.VERSION, 0, 0);

    static {
        // Patience of the clients that Aeron makes itself, which it takes from nowhere else.
        if (System.getProperty(Aeron.Context.DRIVER_TIMEOUT_PROP_NAME) == null) {
            System.setProperty(Aeron.Context.DRIVER_TIMEOUT_PROP_NAME, Long.toString(PAUSE_MILLIS));
        }
    }

    private final NodePlace place;
    private final ClusterSecret secret;
    private final ErrorHandler errors;
    private final int sync;
    // Wait of the driver's thread, which has the node's UDP sockets.
    private final Idle driver = new Idle();

    /** @param errors told of the errors of all parts but the consensus */
    AeronParts(NodePlace place, ClusterSecret secret, ErrorHandler errors) {
        this.place = place;
        this.secret = secret;
        this.errors = errors;
        this.sync = place.file().sync() ? 1 : 0;
    }

    /** Returns the number by which a cluster's parts know each other on one machine. */
    static int clusterId(ClusterFile file) {
        return (int) (ClusterState.idOf(file.name()) & 0xFFFF);
    }

    /**
     * Returns the stream of a cluster's votes: a node of another cluster at its addresses is not heard, and cannot
     * become a member.
     */
    static int consensusStream(ClusterFile file) {
        return 1 << 16 | clusterId(file);
    }

    /** Returns a channel at any port of the node, for occasional messages to it. */
    String anyPort() {
        return "aeron:udp?term-length=64k|endpoint=" + place.member().host() + ":0";
    }

    /**
     * Has the node fall silent for its peers: nothing is sent, received or answered any more. Any thread, does not
     * wait.
     */
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
                // Length for channels that name none themselves: those for messages of the relay do.
                .publicationTermBufferLength(CONTROL_TERM_BYTES)
                .ipcTermBufferLength(1 << 20)
                .errorHandler(errors);
    }

    private static int window() {
        try (DatagramChannel probe = DatagramChannel.open()) {
            probe.setOption(StandardSocketOptions.SO_RCVBUF, WINDOW_BYTES);
            // Linux reports twice the size that it has given.
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

    /** Returns the settings of a client of the node's own archive. */
    AeronArchive.Context archiveClient(Archive.Context archive) {
        return new AeronArchive.Context()
                .credentialsSupplier(secret.credentials())
                .lock(NoOpLock.INSTANCE)
                .controlRequestChannel(archive.localControlChannel())
                .controlRequestStreamId(archive.localControlStreamId())
                .controlResponseChannel(archive.localControlChannel())
                .aeronDirectoryName(place.driver());
    }

    /** @param ownErrors told of the errors of the consensus, in place of the handler for all other parts */
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
                // The log goes as fast as the slowest follower that is heard of: a follower that is outrun by a term
                // has lost its place in the log.
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

    /** Returns the settings of the client that the ingress and the upkeep share. */
    Aeron.Context client() {
        return new Aeron.Context()
                .epochClock(SteadyClock.INSTANCE)
                .aeronDirectoryName(place.driver())
                .idleStrategy(new SleepingMillisIdleStrategy(CLIENT_IDLE_MILLIS))
                .errorHandler(errors);
    }
}
