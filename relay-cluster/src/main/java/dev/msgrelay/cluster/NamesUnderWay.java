package dev.msgrelay.cluster;

import dev.msgrelay.cluster.Batch.Kind;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.server.stream.Orderer.Claimant;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;

/**
 * Claims and leaves of names by this node's connections, until the cluster has decided on them. They are sent in their
 * order: a leave without room holds later claims back. On the core's thread.
 */
final class NamesUnderWay {
    private record Named(String name, ProducerId producer) {}

    /** A claim that is not decided yet. */
    private record Claim(Named named, Claimant who) {}

    private final Outgoing outgoing;
    // Leaves without room so far.
    private final ArrayDeque<Named> leaves = new ArrayDeque<>();
    // Claims in the order of their decisions.
    private final ArrayDeque<Claim> claims = new ArrayDeque<>();
    // Leaves that wait for the decision on the claim of a newer connection.
    private final Set<Named> laterLeaves = new HashSet<>();

    NamesUnderWay(Outgoing outgoing) {
        this.outgoing = outgoing;
    }

    /** Sends a claim; returns false if there is no room for it now. */
    boolean claim(String name, ProducerId producer, String owner, Claimant who) {
        sendLeaves();
        if (!leaves.isEmpty() || !outgoing.add(Kind.CLAIM, producer, utf8(name), utf8(owner))) {
            return false;
        }
        claims.add(new Claim(new Named(name, producer), who));
        return true;
    }

    /** Sends a leave, at once or later. */
    void sendLeave(String name, ProducerId producer) {
        sendLeave(new Named(name, producer));
    }

    private void sendLeave(Named named) {
        if (isClaimed(named)) {
            // A newer connection claims the name, and would lose it by this leave.
            laterLeaves.add(named);
        } else {
            leaves.add(named);
            sendLeaves();
        }
    }

    private boolean isClaimed(Named named) {
        return claims.stream().anyMatch(claim -> claim.named.equals(named));
    }

    /** Sends the waiting leaves, while there is room. */
    void sendLeaves() {
        while (!leaves.isEmpty() && addLeave(leaves.peek())) {
            leaves.poll();
        }
    }

    private boolean addLeave(Named named) {
        return outgoing.add(Kind.LEAVE, named.producer, utf8(named.name), Outgoing.NOTHING);
    }

    /** Removes the first claim, which is decided, and returns its claimant. */
    Claimant decided(boolean refused) {
        Claim claim = claims.poll();
        if (laterLeaves.remove(claim.named) && refused) {
            sendLeave(claim.named);
        }
        return claim.who;
    }

    /** @throws IllegalArgumentException the text is too long for an entry */
    static byte[] utf8(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > Batch.MOST_TEXT) {
            throw new IllegalArgumentException("'" + text + "' has " + bytes.length + " bytes, a cluster's names have "
                    + Batch.MOST_TEXT + " at most");
        }
        return bytes;
    }
}
