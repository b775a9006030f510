package dev.msgrelay.server.config;

import static dev.msgrelay.server.config.RelayOption.*;

import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.access.AccessPolicy;
import dev.msgrelay.server.net.CongestionControl;
import dev.msgrelay.server.net.Transport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * All settings of a relay; immutable, checked when built.
 *
 * @param transport the system's interface that drives the sockets
 * @param congestion congestion control of accepted connections; a choice other than the system's needs epoll
 * @param eventLoops number of threads that drive the sockets: the first one reads and orders, further ones send; or
 *     {@link #AUTO_EVENT_LOOPS}
 * @param readerLoops number of further threads that only read from plain publishers. They pass the messages to the
 *     first event loop through the ring.
 * @param access rights of clients; null if everybody may do everything
 * @param insecure whether a relay without {@code access} may listen at addresses that other hosts can reach
 * @param stallTimeout time for which a subscriber that reads nothing may make publishers wait
 * @param drainTimeout longest wait of {@code close} until subscribers have all messages
 */
public record RelayConfig(
        ListenConfig listen,
        ProxyConfig proxies,
        StreamConfig stream,
        StateConfig state,
        Transport transport,
        CongestionControl congestion,
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
     * Chooses the number by the processor's cores. Below four cores it is one loop, so that a message stays in one
     * core's cache. From four cores on it is two loops, from eight on three.
     */
    public static final int AUTO_EVENT_LOOPS = -1;

    private static final int MAX_EVENT_LOOPS = 64;
    private static final int MAX_READER_LOOPS = 63;
    /** A hundred years, which fit a long as nanoseconds. */
    private static final long MOST_MILLIS = Duration.ofDays(36_500).toMillis();

    public RelayConfig {
        Objects.requireNonNull(transport, "transport");
        state.checkFor(stream);
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
        if (!Policy.DEFAULTS.contains(clients.slowSubscriber())) {
            throw new IllegalArgumentException(
                    "slow subscriber "
                            + clients.slowSubscriber().flag()
                            + " is no policy for all: a subscriber has to ask for it, since it must be prepared for what it misses");
        }
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

    /** A builder for a relay at these TCP ports; 0 for any free one. */
    public static Builder builder(int publishPort, int subscribePort) {
        return builder().set(PUBLISH_PORT, publishPort).set(SUBSCRIBE_PORT, subscribePort);
    }

    /** Collects the options that differ from the defaults. */
    public static final class Builder {
        private final Map<RelayOption<?>, Object> values = new HashMap<>();

        private Builder() {}

        /** Sets an option's value; null for the default. */
        public <T> Builder set(RelayOption<T> option, T value) {
            values.compute(option, (same, before) -> value);
            return this;
        }

        /** Makes the relay a node, with this number, of the cluster that the file describes. */
        public Builder cluster(Path file, int node) {
            return set(CLUSTER, file).set(NODE, node);
        }

        private <T> T get(RelayOption<T> option) {
            return get(option, option.usual().orElse(null));
        }

        @SuppressWarnings("unchecked") // a value has its option's type
        private <T> T get(RelayOption<T> option, T otherwise) {
            return (T) values.getOrDefault(option, otherwise);
        }

        /**
         * Checks and builds.
         *
         * @throws IllegalArgumentException the message names the option, its value and the limit
         */
        public RelayConfig build() {
            int maxBody = get(MAX_BODY);
            ClusterConfig cluster = new ClusterConfig(get(CLUSTER), get(NODE, 0));
            boolean byTime = values.containsKey(JOURNAL_KEEP_TIME);
            return new RelayConfig(
                    new ListenConfig(
                            get(BIND),
                            get(PUBLISH_PORT),
                            get(SUBSCRIBE_PORT),
                            get(PUBLISH_SOCKET),
                            get(SUBSCRIBE_SOCKET),
                            get(SOCKET_MODE),
                            get(SOCKET_GROUP)),
                    new ProxyConfig(get(PROXY_PROTOCOL), get(PROXY_FROM, List.of())),
                    StreamConfig.of(get(MTU), get(RING_SIZE, 0), get(LOG_SIZE, 0), maxBody),
                    new StateConfig(get(STATE, 0), get(STATE_TYPES, TypeRanges.ALL), get(CONFLATE_AFTER)),
                    get(TRANSPORT),
                    new CongestionControl(get(LOCAL_CONGESTION), get(CONGESTION)),
                    get(EVENT_LOOPS),
                    get(READER_LOOPS),
                    new ClientConfig(
                            get(SLOW_SUBSCRIBER),
                            Set.copyOf(get(ALLOW_POLICIES)),
                            get(HEARTBEAT),
                            get(IDLE_TIMEOUT),
                            get(HANDSHAKE_TIMEOUT),
                            get(PEER_TIMEOUT),
                            get(MAX_CONNECTIONS),
                            get(MAX_PUBLISHERS)),
                    new LimitsConfig(
                            get(PIN_SIZE, LimitsConfig.usualPin(maxBody)),
                            get(ASSEMBLY_SIZE, LimitsConfig.usualAssembly(maxBody)),
                            get(FILTER_SIZE),
                            get(REPLAY_SIZE, LimitsConfig.usualReplay(maxBody)),
                            get(CONTROL_SIZE),
                            get(CONTROL_SIZE_PER_CONNECTION),
                            get(FRAME_TIMEOUT),
                            get(MIN_RATE),
                            get(MAX_PER_ADDRESS),
                            get(HANDSHAKES_PER_ADDRESS),
                            get(REPLAYS_PER_ADDRESS),
                            get(MAX_HEARTBEAT),
                            get(PUBLISHER_SILENCE),
                            get(NAME_HOLD, cluster.usualNameHold())),
                    get(ACCESS),
                    get(INSECURE, false),
                    get(STALL_TIMEOUT),
                    get(DRAIN_TIMEOUT),
                    new TlsConfig(
                            get(TLS_FILES),
                            get(TLS_PUBLISH_PORT),
                            get(TLS_SUBSCRIBE_PORT),
                            get(TLS_PROVIDER),
                            get(TLS_RECORDS),
                            get(TLS_SIZE)),
                    new JournalConfig(
                            get(JOURNAL),
                            get(JOURNAL_SEGMENT),
                            byTime ? JournalConfig.UNLIMITED : get(JOURNAL_KEEP),
                            get(JOURNAL_KEEP_TIME),
                            get(JOURNAL_FORCE),
                            get(JOURNAL_FAILURE)),
                    cluster);
        }
    }
}
