package dev.msgrelay.server.engine;

/**
 * The journal of a relay that has none: nothing is kept, nothing moves, and nobody waits for it.
 *
 * @param epoch the stream's, the only one that is known
 */
public record NoJournal(long epoch) implements JournalLink {
    @Override
    public long forkOf(long other) {
        return other == epoch ? TODAY : UNKNOWN;
    }
}
