package dev.msgrelay.server.config;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.access.AccessPolicy;
import dev.msgrelay.server.net.Transport;
import dev.msgrelay.server.tls.TlsFiles;
import dev.msgrelay.server.tls.TlsProvider;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;

/**
 * All settings of a relay; immutable, checked when built.
 *
 * @param listen addresses to listen on
 * @param stream sizes of the stream's memory
 * @param transport the system's interface that drives the sockets
 * @param eventLoops number of threads that drive the sockets: the first one reads, polls the ring and packs, further
 *     ones send; or {@link #AUTO_EVENT_LOOPS}
 * @param readerLoops number of further threads that only read plain publishers, whose runs go through the ring
 * @param clients policies, heartbeats, time-outs and numbers of clients
 * @param limits limits on the cost of clients
 * @param access rights of clients; null: everybody may do everything
 * @param insecure whether a relay without {@code access} may listen beyond this host
 * @param stallTimeout time for which a subscriber may hold publishers back without reading anything
 * @param drainTimeout time that {@code close} waits until subscribers have all messages
 * @param tls certificate and ports of TLS
 * @param journal the stream on the disk
 * @param cluster the cluster that the relay belongs to
 */
public record RelayConfig(
        ListenConfig listen,
        StreamConfig stream,
        Transport transport,
        int eventLoops,
        int readerLoops,
        ClientConfig clients,
        LimitsConfig limits,
        AccessPolicy access,
        boolean insecure,
        Duration stallTimeout,
        Duration drainTimeout,
        TlsConfig tls,
        JournalConfig journal,
        ClusterConfig cluster) {

    /**
     * One loop below four processor cores, so that the bytes of publishers, ring and subscribers stay in one core's
     * cache; a second one that sends from four cores on, two that send from eight on.
     */
    public static final int AUTO_EVENT_LOOPS = -1;

    private static final int MAX_EVENT_LOOPS = 64;
    private static final int MAX_READER_LOOPS = 63;
    /** A hundred years: as nanoseconds it still fits a long. */
    private static final long MOST_MILLIS = Duration.ofDays(36_500).toMillis();

    public RelayConfig {
        Objects.requireNonNull(transport, "transport");
        limits.checkFor(stream, journal);
        journal.checkFor(stream);
        cluster.checkFor(stream, clients, limits);
        if (access == null && !insecure && !listen.isOnThisHostOnly()) {
            throw new IllegalArgumentException("bind " + listen.host()
                    + " is beyond this host, and nothing says who may publish and read: an access block does; insecure lets"
                    + " everybody");
        }
        if (eventLoops != AUTO_EVENT_LOOPS) {
            Range.check("event loops", eventLoops, 1, MAX_EVENT_LOOPS);
        }
        Range.check("reader loops", readerLoops, 0, MAX_READER_LOOPS);
        checkDiffers("TLS publish port", tls.publishPort(), tls, listen);
        checkDiffers("TLS subscribe port", tls.subscribePort(), tls, listen);
        if (clients.slowSubscriber() == Policy.REPLAY && !journal.on()) {
            throw new IllegalArgumentException("slow subscriber replay needs a journal");
        }
        Range.checkMillis("stall timeout", stallTimeout, 1, MOST_MILLIS);
        Range.checkMillis("drain timeout", drainTimeout, 0, MOST_MILLIS);
    }

    private static void checkDiffers(String what, int port, TlsConfig tls, ListenConfig listen) {
        if (tls.on() && port > 0 && (port == listen.publishPort() || port == listen.subscribePort())) {
            throw new IllegalArgumentException(what + " " + port + " is a port without TLS, too: they must differ");
        }
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Collects the settings that differ from the defaults. */
    public static final class Builder {
        private String host = ListenConfig.DEFAULT_HOST;
        private int publishPort = 7401;
        private int subscribePort = 7400;
        private Path publishSocket;
        private Path subscribeSocket;
        private String socketMode;
        private String socketGroup;
        // The MTU of Ethernet.
        private int mtu = 1500;
        private int ringSize;
        private int logSize;
        private int maxBody = FrameLayout.DEFAULT_MAX_BODY;
        private Transport transport = Transport.AUTO;
        private int eventLoops = AUTO_EVENT_LOOPS;
        private int readerLoops;
        // Disconnect: nobody else notices a slow subscriber, and the subscriber learns the reason from the close.
        private Policy slowSubscriber = Policy.DISCONNECT;
        // Policies that cost nobody else anything; REPLAY needs a journal.
        private Set<Policy> allowPolicies = Set.of(Policy.DISCONNECT, Policy.SKIP, Policy.REPLAY);
        // Five seconds: a dead peer is noticed within seconds, and an idle connection costs two small packets in that
        // time.
        private Duration heartbeat = Duration.ofSeconds(5);
        // Three heartbeats: a process that pauses for a while is not given up at once.
        private Duration idleTimeout = Duration.ofSeconds(15);
        // Five seconds: a HELLO fits into one packet.
        private Duration handshakeTimeout = Duration.ofSeconds(5);
        // One minute for a host that was switched off; a paused process still acknowledges, through its kernel.
        private Duration peerTimeout = Duration.ofSeconds(60);
        private int maxConnections = 4096;
        private int maxPublishers = 1024;
        // Null: the default, or what the longest body needs.
        private Integer pinBytes;
        private Integer assemblyBytes;
        private Integer replayBytes;
        // 256 writes of 64 KiB under way at once.
        private int filterBytes = 16 << 20;
        // 512 clients that use up their share; a client that reads its control frames needs a hundred bytes.
        private int controlBytes = 32 << 20;
        // Seven SUBSCRIBEs of the most ranges (8 KiB each), and other control frames.
        private int controlBytesPerConnection = 64 << 10;
        // Ten seconds: longer than any retransmission on a link that still works, shorter than a person's patience.
        private Duration frameTimeout = Duration.ofSeconds(10);
        // The speed of a modem of 1990: no serious client is slower.
        private int minRate = 1 << 10;
        private int maxPerAddress = LimitsConfig.ANY_NUMBER;
        // A thousand clients of one host that all reconnect after a cut are served within a second.
        private int handshakesPerSecond = 1000;
        // Each start may send out the whole log; a hundred a second is a large group that reconnects.
        private int replaysPerSecond = 100;
        // One minute: a dead peer is noticed within minutes, whatever interval it asked for.
        private Duration maxHeartbeat = Duration.ofSeconds(60);
        // Off: a plain publisher may have no messages for days.
        private Duration publisherSilence = Duration.ZERO;
        // Null: the default, which is longer in a cluster.
        private Duration nameHold;
        private AccessPolicy access;
        private boolean insecure;
        // Five seconds: a paused process continues within this time, a dead one does not.
        private Duration stallTimeout = Duration.ofSeconds(5);
        // Five seconds: within the grace period of the usual process supervisors (10 s).
        private Duration drainTimeout = Duration.ofSeconds(5);
        private TlsFiles tls;
        private int tlsPublishPort = 7411;
        private int tlsSubscribePort = 7410;
        private TlsProvider tlsProvider = TlsProvider.AUTO;
        private long tlsRecords = TlsConfig.DEFAULT_RECORDS_PER_KEY;
        // 64 MiB: 600 connections, 300 of them busy at a time.
        private int tlsBytes = 64 << 20;
        private Path journal;
        private int journalSegment = 128 << 20;
        // A size, not a time: the relay knows at start whether it fits on the disk, and never takes more.
        private long journalKeepBytes = 10L << 30;
        private Duration journalKeepTime;
        private Duration journalForce = Duration.ofSeconds(1);
        private JournalConfig.Failure journalFailure = JournalConfig.Failure.EXIT;
        private ClusterConfig cluster = ClusterConfig.NONE;

        private Builder() {}

        public Builder host(String value) {
            host = value;
            return this;
        }

        public Builder publishPort(int value) {
            publishPort = value;
            return this;
        }

        public Builder subscribePort(int value) {
            subscribePort = value;
            return this;
        }

        public Builder publishSocket(Path value) {
            publishSocket = value;
            return this;
        }

        public Builder subscribeSocket(Path value) {
            subscribeSocket = value;
            return this;
        }

        public Builder socketMode(String value) {
            socketMode = value;
            return this;
        }

        public Builder socketGroup(String value) {
            socketGroup = value;
            return this;
        }

        public Builder mtu(int value) {
            mtu = value;
            return this;
        }

        /** Bytes of the ring; 0: 4 MiB, or what the longest body needs. */
        public Builder ringSize(int bytes) {
            ringSize = bytes;
            return this;
        }

        /** Bytes of the log; 0: 16 MiB, or what the longest body needs. */
        public Builder logSize(int bytes) {
            logSize = bytes;
            return this;
        }

        public Builder maxBody(int bytes) {
            maxBody = bytes;
            return this;
        }

        public Builder transport(Transport value) {
            transport = value;
            return this;
        }

        public Builder eventLoops(int value) {
            eventLoops = value;
            return this;
        }

        public Builder readerLoops(int value) {
            readerLoops = value;
            return this;
        }

        public Builder slowSubscriber(Policy value) {
            slowSubscriber = value;
            return this;
        }

        public Builder allowPolicies(Set<Policy> value) {
            allowPolicies = value;
            return this;
        }

        public Builder heartbeat(Duration value) {
            heartbeat = value;
            return this;
        }

        public Builder idleTimeout(Duration value) {
            idleTimeout = value;
            return this;
        }

        public Builder handshakeTimeout(Duration value) {
            handshakeTimeout = value;
            return this;
        }

        public Builder peerTimeout(Duration value) {
            peerTimeout = value;
            return this;
        }

        public Builder maxConnections(int value) {
            maxConnections = value;
            return this;
        }

        public Builder maxPublishers(int value) {
            maxPublishers = value;
            return this;
        }

        /** By default 16 MiB, or what the longest body needs. */
        public Builder pinBytes(int bytes) {
            pinBytes = bytes;
            return this;
        }

        /** By default 32 MiB, or what the longest body needs. */
        public Builder assemblyBytes(int bytes) {
            assemblyBytes = bytes;
            return this;
        }

        public Builder filterBytes(int bytes) {
            filterBytes = bytes;
            return this;
        }

        /** By default 32 MiB, or what the longest body needs. */
        public Builder replayBytes(int bytes) {
            replayBytes = bytes;
            return this;
        }

        public Builder controlBytes(int bytes) {
            controlBytes = bytes;
            return this;
        }

        public Builder controlBytesPerConnection(int bytes) {
            controlBytesPerConnection = bytes;
            return this;
        }

        public Builder frameTimeout(Duration value) {
            frameTimeout = value;
            return this;
        }

        public Builder minRate(int bytesPerSecond) {
            minRate = bytesPerSecond;
            return this;
        }

        public Builder maxPerAddress(int value) {
            maxPerAddress = value;
            return this;
        }

        public Builder handshakesPerSecond(int perAddress) {
            handshakesPerSecond = perAddress;
            return this;
        }

        public Builder replaysPerSecond(int perAddress) {
            replaysPerSecond = perAddress;
            return this;
        }

        public Builder maxHeartbeat(Duration value) {
            maxHeartbeat = value;
            return this;
        }

        public Builder publisherSilence(Duration value) {
            publisherSilence = value;
            return this;
        }

        /** Listens for TLS, too; null: no TLS. */
        public Builder tls(TlsFiles files) {
            tls = files;
            return this;
        }

        public Builder tlsPublishPort(int value) {
            tlsPublishPort = value;
            return this;
        }

        public Builder tlsSubscribePort(int value) {
            tlsSubscribePort = value;
            return this;
        }

        public Builder tlsProvider(TlsProvider value) {
            tlsProvider = value;
            return this;
        }

        /** Records that one key protects; at most, and by default, {@link TlsConfig#DEFAULT_RECORDS_PER_KEY}. */
        public Builder tlsRecords(long perKey) {
            tlsRecords = perKey;
            return this;
        }

        public Builder tlsBytes(int bytes) {
            tlsBytes = bytes;
            return this;
        }

        /** Keeps the stream in a directory, which is made if it does not exist; null: no journal. */
        public Builder journal(Path directory) {
            journal = directory;
            return this;
        }

        public Builder journalSegment(int bytes) {
            journalSegment = bytes;
            return this;
        }

        /** Keeps the newest messages up to {@code bytes}, whatever their age. */
        public Builder journalKeep(long bytes) {
            journalKeepBytes = bytes;
            journalKeepTime = null;
            return this;
        }

        /** Keeps the newest messages for at least {@code time}, whatever their number. */
        public Builder journalKeep(Duration time) {
            journalKeepBytes = JournalConfig.UNLIMITED;
            journalKeepTime = time;
            return this;
        }

        public Builder journalForce(Duration value) {
            journalForce = value;
            return this;
        }

        public Builder journalFailure(JournalConfig.Failure value) {
            journalFailure = value;
            return this;
        }

        public Builder nameHold(Duration value) {
            nameHold = value;
            return this;
        }

        private Duration heldNames() {
            if (nameHold != null) {
                return nameHold;
            }
            return cluster.on() ? ClusterConfig.NAME_HOLD : LimitsConfig.DEFAULT_NAME_HOLD;
        }

        /** The rights of clients; null: everybody may do everything. */
        public Builder access(AccessPolicy policy) {
            access = policy;
            return this;
        }

        public Builder insecure(boolean value) {
            insecure = value;
            return this;
        }

        public Builder stallTimeout(Duration value) {
            stallTimeout = value;
            return this;
        }

        public Builder drainTimeout(Duration value) {
            drainTimeout = value;
            return this;
        }

        /**
         * Makes the relay a node of a cluster.
         *
         * @param file file with the {@code cluster} block; null: the relay is alone
         * @param node number of this relay in the cluster
         */
        public Builder cluster(Path file, int node) {
            cluster = file == null && node == 0 ? ClusterConfig.NONE : new ClusterConfig(file, node);
            return this;
        }

        /**
         * Checks and builds.
         *
         * @throws IllegalArgumentException the message names the setting, its value and the limit
         */
        public RelayConfig build() {
            return new RelayConfig(
                    new ListenConfig(
                            host, publishPort, subscribePort, publishSocket, subscribeSocket, socketMode, socketGroup),
                    StreamConfig.of(mtu, ringSize, logSize, maxBody),
                    transport,
                    eventLoops,
                    readerLoops,
                    new ClientConfig(
                            slowSubscriber,
                            allowPolicies,
                            heartbeat,
                            idleTimeout,
                            handshakeTimeout,
                            peerTimeout,
                            maxConnections,
                            maxPublishers),
                    new LimitsConfig(
                            LimitsConfig.pinBytes(pinBytes, maxBody),
                            LimitsConfig.assemblyBytes(assemblyBytes, maxBody),
                            filterBytes,
                            LimitsConfig.replayBytes(replayBytes, maxBody),
                            controlBytes,
                            controlBytesPerConnection,
                            frameTimeout,
                            minRate,
                            maxPerAddress,
                            handshakesPerSecond,
                            replaysPerSecond,
                            maxHeartbeat,
                            publisherSilence,
                            heldNames()),
                    access,
                    insecure,
                    stallTimeout,
                    drainTimeout,
                    new TlsConfig(tls, tlsPublishPort, tlsSubscribePort, tlsProvider, tlsRecords, tlsBytes),
                    new JournalConfig(
                            journal, journalSegment, journalKeepBytes, journalKeepTime, journalForce, journalFailure),
                    cluster);
        }
    }
}
