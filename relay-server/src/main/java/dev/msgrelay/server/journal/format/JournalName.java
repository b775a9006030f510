package dev.msgrelay.server.journal.format;

import dev.msgrelay.protocol.ProducerId;

/**
 * An acknowledged publisher, as the journal knows it.
 *
 * @param name of the publisher
 * @param producer that has the name
 * @param owner the identity that the name belongs to; empty: the relay knows no identities
 * @param hole the last one, or {@link Hole#NONE}
 */
public record JournalName(String name, ProducerId producer, String owner, Hole hole) {
    /** Names that are remembered at most. */
    public static final int MOST = 1 << 16;

    /**
     * Messages of a name that were acknowledged in an earlier life of the stream and are gone. The producer went on
     * behind them, and may not have been told.
     *
     * @param from number of the first one
     * @param next number of the message that came behind them
     * @param sequence of that message
     */
    public record Hole(long from, long next, long sequence) {
        public static final Hole NONE = new Hole(0, 0, 0);
    }

    /** A name's last message in the stream: its number, and its sequence. */
    public record State(JournalName name, long number, long sequence) {}
}
