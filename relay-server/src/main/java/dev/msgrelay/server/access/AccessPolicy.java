package dev.msgrelay.server.access;

import dev.msgrelay.protocol.Role;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The identities of a configuration's access block, and their proofs. Immutable. */
public final class AccessPolicy {
    /** The policy of a relay without an access block: everybody may do everything, and nobody has an identity. */
    static final AccessPolicy EVERYBODY = new AccessPolicy(List.of());

    /** Limit of identities, since a new connection's address is compared with the networks of all of them. */
    private static final int MOST_IDENTITIES = 10_000;

    private final List<Identity> identities;
    private final Map<Object, Identity> byProof = new HashMap<>();
    // In the order in which networks are tried: the network with the most fixed bits first.
    private final List<Map.Entry<Network, Identity>> byNetwork = new ArrayList<>();

    /** @throws IllegalArgumentException identities share a token, certificate, user or network, or are too many */
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
            identity.users().forEach(user -> user.principal().ifPresent(it -> byProof.put(it, identity)));
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

    /** The identity of a peer by its certificate, else by its user, else by its network. */
    Optional<Identity> byPeer(Peer peer) {
        return Stream.of(peer.certificate(), peer.uid(), peer.user())
                .flatMap(Optional::stream)
                .flatMap(proof -> byProof(proof, peer).stream())
                .findFirst()
                .or(() -> byNetwork.stream()
                        .filter(entry -> entry.getKey().contains(peer))
                        .map(Map.Entry::getValue)
                        .findFirst());
    }

    /** The identity with this proof; empty if there is none, or the identity does not allow the peer's address. */
    Optional<Identity> byProof(Object proof, Peer peer) {
        return Optional.ofNullable(byProof.get(proof)).filter(identity -> identity.mayComeFrom(peer));
    }

    /**
     * Types that a client may get as a subscriber, by its token, else by its peer; empty if it may not subscribe.
     *
     * @param token {@link Token#NONE} if the client has shown none
     */
    public Optional<TypeRanges> subscribable(Token token, Peer peer) {
        if (this == EVERYBODY) {
            return Optional.of(TypeRanges.ALL);
        }
        Optional<Identity> holder = token.isNone() ? Optional.empty() : byProof(TokenHash.of(token), peer);
        return holder.or(() -> byPeer(peer)).flatMap(identity -> identity.types(Role.SUBSCRIBER));
    }

    public List<Identity> identities() {
        return identities;
    }
}
