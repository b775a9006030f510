package dev.msgrelay.server.access;

import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** All identities that the relay knows. Immutable. */
public final class AccessPolicy {
    /**
     * Limit on identities: a file written by a program may be long, and each connection may walk through all networks.
     */
    private static final int MOST_IDENTITIES = 10_000;

    private final List<Identity> identities;
    private final Map<Object, Identity> byProof = new HashMap<>();
    // The longest network first.
    private final List<Map.Entry<Network, Identity>> byNetwork = new ArrayList<>();

    /**
     * A policy.
     *
     * @throws IllegalArgumentException two identities have the same name, token, certificate, user or network, or there
     *     are too many
     */
    public AccessPolicy(Collection<Identity> identities) {
        this.identities = List.copyOf(identities);
        if (identities.size() > MOST_IDENTITIES) {
            throw new IllegalArgumentException(
                    identities.size() + " identities are over the limit of " + MOST_IDENTITIES);
        }
        for (Identity identity : identities) {
            for (Object proof : identity.proofs()) {
                Identity other = byProof.put(proof, identity);
                if (other != null) {
                    throw new IllegalArgumentException(
                            identity.name() + " and " + other.name() + " have the same " + word(proof));
                }
                if (proof instanceof Network network) {
                    byNetwork.add(Map.entry(network, identity));
                }
            }
            identity.users().stream()
                    .filter(user -> user.principal() != null)
                    .forEach(user -> byProof.put(user.principal(), identity));
        }
        byNetwork.sort(Comparator.comparingInt(entry -> -entry.getKey().bits()));
    }

    private static String word(Object proof) {
        if (proof instanceof TokenHash) {
            return "token";
        }
        return proof instanceof Integer
                ? "user, " + proof
                : proof instanceof Network ? "network, " + proof : "certificate, " + proof;
    }

    /**
     * The identity of a token; null: no identity has that token, or its holder may not come from this peer's address.
     */
    Identity byToken(TokenHash token, Peer peer) {
        return comingFrom(byProof.get(token), peer);
    }

    /** The identity of a peer by its certificate, else by its user, else by its network; null: none. */
    Identity byPeer(Peer peer) {
        Identity identity = peer.certificate() == null ? null : comingFrom(byProof.get(peer.certificate()), peer);
        if (identity == null && peer.uid() != Peer.UNKNOWN) {
            identity = comingFrom(byProof.get(peer.uid()), peer);
        }
        if (identity == null && peer.user() != null) {
            identity = comingFrom(byProof.get(peer.user()), peer);
        }
        for (int i = 0; identity == null && i < byNetwork.size(); i++) {
            if (byNetwork.get(i).getKey().contains(peer.address())) {
                identity = byNetwork.get(i).getValue();
            }
        }
        return identity;
    }

    /**
     * Types that a client may get as a subscriber: that of the token, or that which the peer is without one; null: none.
     *
     * @param token {@link Token#NONE}: none is shown
     */
    public TypeRanges subscribable(Token token, Peer peer) {
        Identity identity = token.isNone() ? null : byToken(TokenHash.of(token), peer);
        identity = identity == null ? byPeer(peer) : identity;
        return identity == null ? null : identity.subscribe();
    }

    private static Identity comingFrom(Identity identity, Peer peer) {
        return identity == null || identity.mayComeFrom(peer) ? identity : null;
    }

    public List<Identity> identities() {
        return identities;
    }
}
