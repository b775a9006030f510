package dev.msgrelay.server.journal.format;

import dev.msgrelay.protocol.ProducerId;

/**
 * The name of an acknowledged publisher.
 *
 * @param producer the producer that uses the name at present
 * @param owner the identity that the name belongs to; empty if the relay has no access policy
 */
public record JournalName(String name, ProducerId producer, String owner, Hole hole) {
    public static final int MOST = 1 << 16;

    /**
     * Messages that were acknowledged in an earlier life of the stream and are gone: the publisher's numbers {@code
     * from} to {@code next - 1}. Message {@code next} has this {@code sequence}. The producer may not know of the loss.
     */
    public record Hole(long from, long next, long sequence) {
        public static final Hole NONE = new Hole(0, 0, 0);
    }

    /** The number and the sequence of a name's last message in the stream. */
    public record State(JournalName name, long number, long sequence) {}
}
