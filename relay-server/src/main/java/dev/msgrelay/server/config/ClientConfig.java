package dev.msgrelay.server.config;

import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.Protocol;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * What clients may ask for, how many there may be, and how long they may be silent.
 *
 * @param slowSubscriber what happens to a subscriber that falls too far behind and has not asked for anything else
 * @param allowedPolicies what subscribers may ask for; the one above always is among them
 * @param heartbeat interval of PINGs to clients that said HELLO
 * @param idleTimeout after which such a client is given up; not shorter than the heartbeat
 * @param handshakeTimeout within which a control frame that was begun must be complete
 * @param peerTimeout after which a TCP peer that acknowledges nothing, not even a question of the kernel's, is taken for dead
 * @param maxConnections publishers and subscribers together
 * @param maxPublishers of them
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
    /** Nobody else notices a slow one; the one concerned is told by the close. */
    public static final Policy DEFAULT_POLICY = Policy.DISCONNECT;
    /** Those that cost nobody else anything; the last one takes a journal. */
    public static final Set<Policy> DEFAULT_ALLOWED = Set.of(Policy.DISCONNECT, Policy.SKIP, Policy.REPLAY);
    /** A dead peer is noticed within seconds, and an idle connection costs two small packets in five of them. */
    public static final Duration DEFAULT_HEARTBEAT = Duration.ofSeconds(5);
    /** Three heartbeats: a process that is paused for a while is not given up at once. */
    public static final Duration DEFAULT_IDLE_TIMEOUT = Duration.ofSeconds(15);
    /** A HELLO fits into one packet. */
    public static final Duration DEFAULT_HANDSHAKE_TIMEOUT = Duration.ofSeconds(5);

    /** A host that was switched off is noticed within a minute; a paused process answers, through its kernel. */
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
     * What a subscriber gets that asks for {@code wanted}: that, if it is allowed, else the relay's default.
     *
     * @param journal whether there is one that they can be sent from
     */
    public Policy grant(Policy wanted, boolean journal) {
        boolean can = journal || wanted != Policy.REPLAY;
        return can && allowedPolicies.contains(wanted) ? wanted : slowSubscriber;
    }
}
