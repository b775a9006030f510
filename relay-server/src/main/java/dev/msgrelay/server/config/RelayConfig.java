package dev.msgrelay.server.config;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.server.transport.Transport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;

/**
 * Everything a relay is started with; immutable, checked when it is built.
 *
 * @param listen where it listens
 * @param stream the shape of its memory
 * @param transport how its sockets are driven
 * @param eventLoops threads that drive them: the first one reads, polls the ring and packs, further ones send; or
 *     {@link #AUTO_EVENT_LOOPS}
 * @param clients what clients may ask for, and their limits
 * @param stallTimeout how long a subscriber may hold publishers back without reading anything
 * @param drainTimeout how long {@code close} waits for what is on its way
 */
public record RelayConfig(
        ListenConfig listen,
        StreamConfig stream,
        Transport transport,
        int eventLoops,
        ClientConfig clients,
        Duration stallTimeout,
        Duration drainTimeout) {

    /**
     * One loop does it all, so that the publishers', the ring's and the subscribers' bytes stay in one core's cache; while it
     * is busy and there is another core, a second one sends.
     */
    public static final int AUTO_EVENT_LOOPS = -1;
    /** A paused process comes back within this, a dead one does not. */
    public static final Duration DEFAULT_STALL_TIMEOUT = Duration.ofSeconds(5);
    /** Within the grace period of the usual process supervisors (10 s). */
    public static final Duration DEFAULT_DRAIN_TIMEOUT = Duration.ofSeconds(5);

    private static final int MAX_EVENT_LOOPS = 64;

    public RelayConfig {
        if (eventLoops != AUTO_EVENT_LOOPS && (eventLoops < 1 || eventLoops > MAX_EVENT_LOOPS)) {
            throw new IllegalArgumentException("event loops " + eventLoops + " is not within 1.." + MAX_EVENT_LOOPS);
        }
        if (stallTimeout.toMillis() < 1) {
            throw new IllegalArgumentException("stall timeout " + stallTimeout + " is under 1 ms");
        }
        if (drainTimeout.isNegative()) {
            throw new IllegalArgumentException("drain timeout " + drainTimeout + " is negative");
        }
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Collects what differs from the defaults. */
    public static final class Builder {
        private String host = ListenConfig.DEFAULT_HOST;
        private int publishPort = ListenConfig.DEFAULT_PUBLISH_PORT;
        private int subscribePort = ListenConfig.DEFAULT_SUBSCRIBE_PORT;
        private Path publishSocket;
        private Path subscribeSocket;
        private int mtu = StreamConfig.DEFAULT_MTU;
        private int ringSize = StreamConfig.DEFAULT_RING_BYTES;
        private int logSize = StreamConfig.DEFAULT_LOG_BYTES;
        private int maxBody = FrameLayout.DEFAULT_MAX_BODY;
        private Transport transport = Transport.AUTO;
        private int eventLoops = AUTO_EVENT_LOOPS;
        private SlowSubscriberPolicy slowSubscriber = ClientConfig.DEFAULT_POLICY;
        private Set<SlowSubscriberPolicy> allowPolicies = ClientConfig.DEFAULT_ALLOWED;
        private Duration heartbeat = ClientConfig.DEFAULT_HEARTBEAT;
        private Duration idleTimeout = ClientConfig.DEFAULT_IDLE_TIMEOUT;
        private Duration handshakeTimeout = ClientConfig.DEFAULT_HANDSHAKE_TIMEOUT;
        private int maxConnections = ClientConfig.DEFAULT_MAX_CONNECTIONS;
        private int maxPublishers = ClientConfig.DEFAULT_MAX_PUBLISHERS;
        private Duration stallTimeout = DEFAULT_STALL_TIMEOUT;
        private Duration drainTimeout = DEFAULT_DRAIN_TIMEOUT;

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

        public Builder mtu(int value) {
            mtu = value;
            return this;
        }

        public Builder ringSize(int bytes) {
            ringSize = bytes;
            return this;
        }

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

        public Builder slowSubscriber(SlowSubscriberPolicy value) {
            slowSubscriber = value;
            return this;
        }

        public Builder allowPolicies(Set<SlowSubscriberPolicy> value) {
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

        public Builder maxConnections(int value) {
            maxConnections = value;
            return this;
        }

        public Builder maxPublishers(int value) {
            maxPublishers = value;
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
         * Checks and builds.
         *
         * @throws IllegalArgumentException naming the setting, its value and the limit
         */
        public RelayConfig build() {
            return new RelayConfig(
                    new ListenConfig(host, publishPort, subscribePort, publishSocket, subscribeSocket),
                    new StreamConfig(mtu, ringSize, logSize, maxBody),
                    transport,
                    eventLoops,
                    new ClientConfig(
                            slowSubscriber,
                            allowPolicies,
                            heartbeat,
                            idleTimeout,
                            handshakeTimeout,
                            maxConnections,
                            maxPublishers),
                    stallTimeout,
                    drainTimeout);
        }
    }
}
