package dev.msgrelay.server.access;

import dev.msgrelay.protocol.Protocol;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.text.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.security.auth.x500.X500Principal;

/**
 * A client or a group of clients. A connection proves its identity by a token, certificate or user of the identity, and
 * must come from one of the identity's networks, if there are any. An identity with networks alone needs no other proof
 * than the address. Immutable.
 *
 * @param name for people and logs
 * @param certificates subjects of certificates, compared as a whole
 * @param users users of processes on this host that connect to a Unix socket
 * @param from networks that a connection may come from; empty for any address
 * @param publish types that the identity may publish; null if it may not publish
 * @param subscribe types that the identity may get; null if it may not subscribe
 * @param maxConnections most connections at the same time, or {@link #UNLIMITED}
 * @param maxRate most bytes a second of all connections together, in each direction, or {@link #UNLIMITED}
 * @param maxLag most bytes by which a subscriber may lag; {@link #UNLIMITED} for the log's size
 * @param minInterval shortest interval of a subscriber that wants one, at least {@link #LEAST_INTERVAL}
 * @param maxReplays most subscribers that get old messages from the journal at the same time, or {@link #UNLIMITED}
 */
public record Identity(
        String name,
        List<TokenHash> tokens,
        List<X500Principal> certificates,
        List<User> users,
        List<Network> from,
        TypeRanges publish,
        TypeRanges subscribe,
        long maxConnections,
        long maxRate,
        long maxLag,
        Duration minInterval,
        long maxReplays) {
    /** The value of a limit that is off. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    /** Smallest {@code maxLag}. Right after skipping messages, a subscriber still lags by 256 KiB. */
    public static final long LEAST_LAG = 1 << 20;

    /** Smallest {@code minInterval}, which is no limit: no client can ask for less. */
    public static final Duration LEAST_INTERVAL = Duration.ofMillis(Protocol.MIN_INTERVAL_MILLIS);

    private static final Duration MOST_INTERVAL = Duration.ofMillis(Protocol.MAX_INTERVAL_MILLIS);

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    /** @throws IllegalArgumentException the message names the field, its value and the limit */
    public Identity {
        tokens = List.copyOf(tokens);
        certificates = List.copyOf(certificates);
        users = List.copyOf(users);
        from = List.copyOf(from);
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("the name of an identity has 1 to 64 letters, digits, '.', '_' and '-'");
        }
        if (tokens.isEmpty() && certificates.isEmpty() && users.isEmpty() && from.isEmpty()) {
            throw new IllegalArgumentException(
                    name + " has no token, certificate, user or from: no client could ever prove it");
        }
        if (publish == null && subscribe == null) {
            throw new IllegalArgumentException(name + " may neither publish nor subscribe");
        }
        least(name + ": max-connections", maxConnections, 1);
        least(name + ": max-rate", maxRate, 1);
        least(name + ": max-lag", maxLag, LEAST_LAG);
        if (minInterval.compareTo(LEAST_INTERVAL) < 0 || minInterval.compareTo(MOST_INTERVAL) > 0) {
            throw new IllegalArgumentException(name + ": min-interval " + Durations.format(minInterval)
                    + " is not within " + Durations.format(LEAST_INTERVAL) + ".." + Durations.format(MOST_INTERVAL));
        }
        least(name + ": max-replays", maxReplays, 0);
    }

    private static void least(String what, long value, long least) {
        if (value < least) {
            throw new IllegalArgumentException(what + " " + value + " is below " + least);
        }
    }

    /** Types that the identity may publish or get in a role; empty if it may not have that role. */
    public Optional<TypeRanges> types(Role role) {
        return Optional.ofNullable(role == Role.PUBLISHER ? publish : subscribe);
    }

    boolean mayComeFrom(Peer peer) {
        return from.isEmpty() || from.stream().anyMatch(network -> network.contains(peer));
    }

    boolean isKnownByNetwork() {
        return tokens.isEmpty() && certificates.isEmpty() && users.isEmpty();
    }

    /** All proofs of this identity. No other identity may have any of them. */
    List<Object> proofs() {
        List<Object> proofs = new ArrayList<>();
        proofs.addAll(tokens);
        proofs.addAll(certificates);
        users.forEach(user -> proofs.add(user.uid()));
        if (isKnownByNetwork()) {
            proofs.addAll(from);
        }
        return proofs;
    }
}
