package dev.msgrelay.server.journal;

import dev.msgrelay.protocol.ProducerId;

/**
 * An acknowledged publisher, as the journal knows it.
 *
 * @param name that it says
 * @param producer whose the name is
 * @param owner the identity that the name belongs to; empty: nobody was asked
 */
public record JournalName(String name, ProducerId producer, String owner) {
    /** Names that are remembered at most. */
    public static final int MOST = 1 << 16;

    /**
     * How far a name's messages are in the stream.
     *
     * @param number of the last one
     * @param sequence of that one
     */
    public record State(JournalName name, long number, long sequence) {}
}
