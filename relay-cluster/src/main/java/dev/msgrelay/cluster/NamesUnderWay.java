package dev.msgrelay.cluster;

import dev.msgrelay.cluster.Batch.Kind;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.server.stream.Orderer.Claimant;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;

/**
 * Claims and leaves of this node's connections on their way to the cluster. Leaves go before later claims: a leave that
 * there is no room for holds them back.
 *
 * <p>On the core's thread.
 */
final class NamesUnderWay {
    private static final byte[] NOTHING = {};

    private record Named(String name, ProducerId producer) {}

    /** A claim that is not decided yet. */
    private record Claim(Named named, Claimant who) {}

    private final Outgoing outgoing;
    // Leaves that there was no room for.
    private final ArrayDeque<Named> leaves = new ArrayDeque<>();
    // Claims in the order in which they will be decided.
    private final ArrayDeque<Claim> claims = new ArrayDeque<>();
    // Leaves that wait for the decision on the claim of a newer connection.
    private final Set<Named> laterLeaves = new HashSet<>();

    NamesUnderWay(Outgoing outgoing) {
        this.outgoing = outgoing;
    }

    /** Sends a claim; returns false where there is no room for it now. */
    boolean claim(String name, ProducerId producer, String owner, Claimant who) {
        sendLeaves();
        if (!leaves.isEmpty()
                || !outgoing.add(
                        Kind.CLAIM,
                        0,
                        Outgoing.NO_FRAMES,
                        0,
                        0,
                        0,
                        producer,
                        utf8(name),
                        utf8(owner),
                        Outgoing.NOBODY)) {
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
            // A newer connection claims the name, and this would give it up.
            laterLeaves.add(named);
        } else {
            leaves.add(named);
            sendLeaves();
        }
    }

    private boolean isClaimed(Named named) {
        for (Claim claim : claims) {
            if (claim.named.equals(named)) {
                return true;
            }
        }
        return false;
    }

    /** Sends the leaves that there was no room for, as far as there is now. */
    void sendLeaves() {
        while (!leaves.isEmpty()) {
            Named first = leaves.peek();
            if (!outgoing.add(
                    Kind.LEAVE,
                    0,
                    Outgoing.NO_FRAMES,
                    0,
                    0,
                    0,
                    first.producer,
                    utf8(first.name),
                    NOTHING,
                    Outgoing.NOBODY)) {
                return;
            }
            leaves.poll();
        }
    }

    /** The first claim was decided; returns its claimant. */
    Claimant decided(boolean refused) {
        Claim claim = claims.poll();
        if (laterLeaves.remove(claim.named) && refused) {
            sendLeave(claim.named);
        }
        return claim.who;
    }

    /** Returns a text's bytes, which an entry has room for. */
    static byte[] utf8(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > Batch.MOST_TEXT) {
            throw new IllegalArgumentException("'" + text + "' has " + bytes.length + " bytes, a cluster's names have "
                    + Batch.MOST_TEXT + " at most");
        }
        return bytes;
    }
}
