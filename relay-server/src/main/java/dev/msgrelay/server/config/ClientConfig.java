package dev.msgrelay.server.config;

import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.Protocol;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * Policies, heartbeats, time-outs and numbers of clients.
 *
 * @param slowSubscriber policy for a subscriber that falls too far behind and has not asked for another one
 * @param allowedPolicies policies that subscribers may ask for; always includes {@code slowSubscriber}
 * @param heartbeat interval of PINGs to clients that sent HELLO
 * @param idleTimeout silence after which a client that sent HELLO is closed; not shorter than the heartbeat
 * @param handshakeTimeout time within which a begun control frame must be complete
 * @param peerTimeout time after which a TCP peer that acknowledges nothing, not even the kernel's probes, counts as
 *     dead
 * @param maxConnections most publishers and subscribers together
 * @param maxPublishers most publishers among them
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
    /** Disconnect: nobody else notices a slow subscriber, and the subscriber learns the reason from the close. */
    public static final Policy DEFAULT_POLICY = Policy.DISCONNECT;
    /** Policies that cost nobody else anything; REPLAY needs a journal. */
    public static final Set<Policy> DEFAULT_ALLOWED = Set.of(Policy.DISCONNECT, Policy.SKIP, Policy.REPLAY);
    /**
     * Five seconds: a dead peer is noticed within seconds, and an idle connection costs two small packets in that time.
     */
    public static final Duration DEFAULT_HEARTBEAT = Duration.ofSeconds(5);
    /** Three heartbeats: a process that pauses for a while is not given up at once. */
    public static final Duration DEFAULT_IDLE_TIMEOUT = Duration.ofSeconds(15);
    /** Five seconds: a HELLO fits into one packet. */
    public static final Duration DEFAULT_HANDSHAKE_TIMEOUT = Duration.ofSeconds(5);

    /** One minute for a host that was switched off; a paused process still acknowledges, through its kernel. */
    public static final Duration DEFAULT_PEER_TIMEOUT = Duration.ofSeconds(60);

    public static final int DEFAULT_MAX_CONNECTIONS = 4096;
    public static final int DEFAULT_MAX_PUBLISHERS = 1024;

    static final int MOST_CONNECTIONS = 1_000_000;

    public ClientConfig {
        EnumSet<Policy> allowed = EnumSet.of(slowSubscriber);
        allowed.addAll(allowedPolicies);
        allowedPolicies = Set.copyOf(allowed);
        LimitsConfig.millisWithin("heartbeat", heartbeat, Protocol.MIN_HEARTBEAT_MILLIS, Protocol.MAX_HEARTBEAT_MILLIS);
        LimitsConfig.millisWithin("idle timeout", idleTimeout, heartbeat.toMillis(), LimitsConfig.MOST_MILLIS);
        LimitsConfig.millisWithin("handshake timeout", handshakeTimeout, 1, LimitsConfig.MOST_MILLIS);
        LimitsConfig.millisWithin("peer timeout", peerTimeout, 2000, LimitsConfig.MOST_MILLIS);
        within("max connections", maxConnections, MOST_CONNECTIONS);
        within("max publishers", maxPublishers, MOST_CONNECTIONS);
    }

    private static void within(String what, int value, int most) {
        if (value < 1 || value > most) {
            throw new IllegalArgumentException(what + " " + value + " is not within 1.." + most);
        }
    }

    /**
     * The policy for a subscriber that asks for {@code wanted}: that one if it is allowed, else the relay's default.
     *
     * @param journal whether there is a journal, which REPLAY needs
     */
    public Policy grant(Policy wanted, boolean journal) {
        boolean can = journal || wanted != Policy.REPLAY;
        return can && allowedPolicies.contains(wanted) ? wanted : slowSubscriber;
    }
}
