package dev.msgrelay.server.config;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.access.AccessPolicy;
import dev.msgrelay.server.access.Network;
import dev.msgrelay.server.net.CongestionControl;
import dev.msgrelay.server.net.Transport;
import dev.msgrelay.server.tls.TlsFiles;
import dev.msgrelay.server.tls.TlsProvider;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * A setting of a relay with its default; most are options of relay-server. The records of this package say what each
 * setting means. Sizes are in bytes.
 *
 * @param <T> type of its value
 */
public final class RelayOption<T> {
    public static final RelayOption<String> BIND = new RelayOption<>("bind", ListenConfig.DEFAULT_HOST);
    public static final RelayOption<Integer> PUBLISH_PORT = new RelayOption<>("publish-port", 7401);
    public static final RelayOption<Integer> SUBSCRIBE_PORT = new RelayOption<>("subscribe-port", 7400);
    public static final RelayOption<Path> PUBLISH_SOCKET = new RelayOption<>("publish-socket");
    public static final RelayOption<Path> SUBSCRIBE_SOCKET = new RelayOption<>("subscribe-socket");
    public static final RelayOption<String> SOCKET_MODE = new RelayOption<>("socket-mode");
    public static final RelayOption<String> SOCKET_GROUP = new RelayOption<>("socket-group");

    public static final RelayOption<ProxyConfig.Mode> PROXY_PROTOCOL =
            new RelayOption<>("proxy-protocol", ProxyConfig.Mode.OFF);
    public static final RelayOption<List<Network>> PROXY_FROM = new RelayOption<>("proxy-from");

    public static final RelayOption<Boolean> INSECURE = new RelayOption<>("insecure");
    public static final RelayOption<AccessPolicy> ACCESS = new RelayOption<>("access");
    public static final RelayOption<Transport> TRANSPORT = new RelayOption<>("transport", Transport.AUTO);
    public static final RelayOption<String> LOCAL_CONGESTION =
            new RelayOption<>("local-congestion", CongestionControl.AUTO);
    public static final RelayOption<String> CONGESTION = new RelayOption<>("congestion", CongestionControl.SYSTEM);
    public static final RelayOption<Integer> EVENT_LOOPS =
            new RelayOption<>("event-loops", RelayConfig.AUTO_EVENT_LOOPS);
    public static final RelayOption<Integer> READER_LOOPS = new RelayOption<>("reader-loops", 0);
    /** A process that only pauses usually continues within five seconds. */
    public static final RelayOption<Duration> STALL_TIMEOUT = new RelayOption<>("stall-timeout", Duration.ofSeconds(5));
    /** Shorter than the 10 s that the usual process supervisors wait before they kill a process. */
    public static final RelayOption<Duration> DRAIN_TIMEOUT = new RelayOption<>("drain-timeout", Duration.ofSeconds(5));

    /** By default 16 MiB, or more if the longest body needs more. */
    public static final RelayOption<Integer> LOG_SIZE = new RelayOption<>("log-size");
    /** By default 4 MiB, or more if the longest body needs more. */
    public static final RelayOption<Integer> RING_SIZE = new RelayOption<>("ring-size");

    /** Off by default. */
    public static final RelayOption<Integer> STATE = new RelayOption<>("state");
    /** By default every type. */
    public static final RelayOption<TypeRanges> STATE_TYPES = new RelayOption<>("state-types");
    /** One write to a subscriber: one that is nearer to the head is no slower than others. */
    public static final RelayOption<Integer> CONFLATE_AFTER = new RelayOption<>("conflate-after", 256 << 10);

    public static final RelayOption<Integer> MAX_BODY = new RelayOption<>("max-body", FrameLayout.DEFAULT_MAX_BODY);
    /** The MTU of Ethernet. */
    public static final RelayOption<Integer> MTU = new RelayOption<>("mtu", 1500);

    /** With DISCONNECT a slow subscriber costs other clients nothing, and gets the reason in an ERROR. */
    public static final RelayOption<Policy> SLOW_SUBSCRIBER = new RelayOption<>("slow-subscriber", Policy.DISCONNECT);
    /** The policies that cost other clients nothing. REPLAY needs a journal, and LATEST the state. */
    public static final RelayOption<Collection<Policy>> ALLOW_POLICIES =
            new RelayOption<>("allow-policies", List.of(Policy.DISCONNECT, Policy.SKIP, Policy.REPLAY, Policy.LATEST));
    /** With five seconds a dead peer is noticed soon, and idle connections cost two small packets per interval. */
    public static final RelayOption<Duration> HEARTBEAT = new RelayOption<>("heartbeat", Duration.ofSeconds(5));
    /** Three heartbeats, so that a client that pauses for a while is not closed at once. */
    public static final RelayOption<Duration> IDLE_TIMEOUT = new RelayOption<>("idle-timeout", Duration.ofSeconds(15));
    /** Five seconds are ample, since a HELLO fits into one packet. */
    public static final RelayOption<Duration> HANDSHAKE_TIMEOUT =
            new RelayOption<>("handshake-timeout", Duration.ofSeconds(5));
    /** One minute is for hosts that were switched off. For a paused process, the kernel still acknowledges. */
    public static final RelayOption<Duration> PEER_TIMEOUT = new RelayOption<>("peer-timeout", Duration.ofSeconds(60));

    public static final RelayOption<Integer> MAX_CONNECTIONS = new RelayOption<>("max-connections", 4096);
    public static final RelayOption<Integer> MAX_PUBLISHERS = new RelayOption<>("max-publishers", 1024);

    /** By default 16 MiB, or more if the longest body needs more. */
    public static final RelayOption<Integer> PIN_SIZE = new RelayOption<>("pin-size");
    /** By default 32 MiB, or more if the longest body needs more. */
    public static final RelayOption<Integer> ASSEMBLY_SIZE = new RelayOption<>("assembly-size");
    /** By default 32 MiB, or more if the longest body needs more. */
    public static final RelayOption<Integer> REPLAY_SIZE = new RelayOption<>("replay-size");
    /** Enough for 256 writes of 64 KiB at once. */
    public static final RelayOption<Integer> FILTER_SIZE = new RelayOption<>("filter-size", 16 << 20);
    /** Enough for 512 clients at their limit; a client that reads its control frames needs only a hundred bytes. */
    public static final RelayOption<Integer> CONTROL_SIZE = new RelayOption<>("control-size", 32 << 20);
    /** Enough for seven SUBSCRIBEs with the most ranges (8 KiB each), and other control frames. */
    public static final RelayOption<Integer> CONTROL_SIZE_PER_CONNECTION =
            new RelayOption<>("control-size-per-connection", 64 << 10);
    /** Longer than any retransmission on a link that still works, but shorter than a person's patience. */
    public static final RelayOption<Duration> FRAME_TIMEOUT =
            new RelayOption<>("frame-timeout", Duration.ofSeconds(10));
    /** In bytes a second, the speed of a modem of 1990. No serious client is slower. */
    public static final RelayOption<Integer> MIN_RATE = new RelayOption<>("min-rate", 1 << 10);

    public static final RelayOption<Integer> MAX_PER_ADDRESS =
            new RelayOption<>("max-per-address", LimitsConfig.ANY_NUMBER);
    /** If a thousand clients on one host all reconnect at once, all of them are served within a second. */
    public static final RelayOption<Integer> HANDSHAKES_PER_ADDRESS = new RelayOption<>("handshakes-per-address", 1000);
    /** Enough for a large group that reconnects. More cost too much, since a replay may send the whole journal. */
    public static final RelayOption<Integer> REPLAYS_PER_ADDRESS = new RelayOption<>("replays-per-address", 100);
    /** With one minute, a dead peer is noticed within minutes, whatever interval the peer has asked for. */
    public static final RelayOption<Duration> MAX_HEARTBEAT =
            new RelayOption<>("max-heartbeat", Duration.ofSeconds(60));
    /** Off by default, since a plain publisher may have no messages for days. */
    public static final RelayOption<Duration> PUBLISHER_SILENCE = new RelayOption<>("publisher-silence", Duration.ZERO);
    /** By default 10 s, in a cluster {@link ClusterConfig#NAME_HOLD}. */
    public static final RelayOption<Duration> NAME_HOLD = new RelayOption<>("name-hold");

    /** If these files are set, the relay also listens for TLS. */
    public static final RelayOption<TlsFiles> TLS_FILES = new RelayOption<>("tls");

    public static final RelayOption<Integer> TLS_PUBLISH_PORT = new RelayOption<>("tls-publish-port", 7411);
    public static final RelayOption<Integer> TLS_SUBSCRIBE_PORT = new RelayOption<>("tls-subscribe-port", 7410);
    public static final RelayOption<TlsProvider> TLS_PROVIDER = new RelayOption<>("tls-provider", TlsProvider.AUTO);
    public static final RelayOption<Long> TLS_RECORDS =
            new RelayOption<>("tls-records", TlsConfig.DEFAULT_RECORDS_PER_KEY);
    /** Enough for 600 connections, 300 of them busy at a time. */
    public static final RelayOption<Integer> TLS_SIZE = new RelayOption<>("tls-size", 64 << 20);

    /** The directory that keeps the stream; the relay makes it if it does not exist. */
    public static final RelayOption<Path> JOURNAL = new RelayOption<>("journal");

    public static final RelayOption<Integer> JOURNAL_SEGMENT = new RelayOption<>("journal-segment", 128 << 20);
    /** A size, not a time, so that the relay knows at its start whether the journal fits on the disk. */
    public static final RelayOption<Long> JOURNAL_KEEP = new RelayOption<>("journal-keep", 10L << 30);
    /** Replaces {@link #JOURNAL_KEEP}: messages stay for this time, however many they are. */
    public static final RelayOption<Duration> JOURNAL_KEEP_TIME = new RelayOption<>("journal-keep-time");

    public static final RelayOption<Duration> JOURNAL_FORCE = new RelayOption<>("journal-force", Duration.ofSeconds(1));
    public static final RelayOption<JournalConfig.Failure> JOURNAL_FAILURE =
            new RelayOption<>("journal-failure", JournalConfig.Failure.EXIT);

    /** Makes the relay a node of a cluster, together with {@link #NODE}. */
    public static final RelayOption<Path> CLUSTER = new RelayOption<>("cluster");

    public static final RelayOption<Integer> NODE = new RelayOption<>("node");

    private final String name;
    private final Optional<T> usual;

    private RelayOption(String name) {
        this(name, null);
    }

    private RelayOption(String name, T usual) {
        this.name = name;
        this.usual = Optional.ofNullable(usual);
    }

    /** The option's name on the command line, without its dashes; also its key in a configuration file. */
    public String name() {
        return name;
    }

    /** The default; empty if the setting is off by default, or if the default follows from other settings. */
    public Optional<T> usual() {
        return usual;
    }
}
