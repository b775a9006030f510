package dev.msgrelay.server.config;

import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.Protocol;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * Policies, heartbeats and time-outs for clients, and limits for the number of clients.
 *
 * @param slowSubscriber policy for a subscriber whose lag is too large and that has not asked for another policy
 * @param allowedPolicies policies that subscribers may ask for; always includes {@code slowSubscriber}
 * @param heartbeat interval of PINGs to clients that sent HELLO
 * @param idleTimeout silence after which a client that sent HELLO is closed; not shorter than the heartbeat
 * @param handshakeTimeout time for a client to complete a control frame that it has begun
 * @param peerTimeout time after which a TCP peer that acknowledges nothing, not even the kernel's probes, counts as
 *     dead
 * @param maxConnections largest number of publishers and subscribers together
 * @param maxPublishers largest number of publishers
 */
public record ClientConfig(
        Policy slowSubscriber,
        Set<Policy> allowedPolicies,
        Duration heartbeat,
        Duration idleTimeout,
        Duration handshakeTimeout,
        Duration peerTimeout,
        int maxConnections,
        int maxPublishers) {

    static final int MOST_CONNECTIONS = 1_000_000;

    public ClientConfig {
        EnumSet<Policy> allowed = EnumSet.of(slowSubscriber);
        allowed.addAll(allowedPolicies);
        // An EnumSet, so that reports list the policies in the enum's order.
        allowedPolicies = Collections.unmodifiableSet(allowed);
        Range.checkMillis("heartbeat", heartbeat, Protocol.MIN_HEARTBEAT_MILLIS, Protocol.MAX_HEARTBEAT_MILLIS);
        Range.checkMillis("idle timeout", idleTimeout, heartbeat.toMillis(), LimitsConfig.MOST_MILLIS);
        Range.checkMillis("handshake timeout", handshakeTimeout, 1, LimitsConfig.MOST_MILLIS);
        Range.checkMillis("peer timeout", peerTimeout, 2000, LimitsConfig.MOST_MILLIS);
        Range.check("max connections", maxConnections, 1, MOST_CONNECTIONS);
        Range.check("max publishers", maxPublishers, 1, MOST_CONNECTIONS);
    }

    /** The wanted policy if it is allowed, else the relay's default. REPLAY needs a journal; LATEST is not checked. */
    public Policy grant(Policy wanted, boolean journal) {
        boolean can = journal || wanted != Policy.REPLAY;
        return can && allowedPolicies.contains(wanted) ? wanted : slowSubscriber;
    }
}
