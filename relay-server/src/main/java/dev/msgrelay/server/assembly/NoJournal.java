package dev.msgrelay.server.assembly;

import dev.msgrelay.protocol.Epochs;
import dev.msgrelay.server.journal.format.EpochTable;
import java.util.List;

/** The journal of a relay that has none: nothing is kept, nothing moves, and nobody waits for it. */
public final class NoJournal implements JournalLink {
    // Whether other relays have the stream too, and keep it when this one ends. Otherwise the stream has one life, and
    // clients get no table of lives.
    private final boolean shared;
    private volatile EpochTable lives;

    private NoJournal(boolean shared, EpochTable lives) {
        this.shared = shared;
        this.lives = lives;
    }

    /** @param epoch the stream's, the only one that is known */
    public NoJournal(long epoch) {
        this(false, new EpochTable(List.of(new EpochTable.Epoch(epoch, 0, 1, 0)), 0, 1));
    }

    /** @param lives of the stream that other relays have as well */
    public static NoJournal shared(EpochTable lives) {
        return new NoJournal(true, lives);
    }

    @Override
    public long forkOf(long epoch) {
        return lives.forkOf(epoch);
    }

    @Override
    public Life life() {
        EpochTable now = lives;
        return new Life(now.last().epoch(), shared ? now.newest() : Epochs.NONE);
    }

    @Override
    public void begins(EpochTable.Epoch life) {
        lives = lives.withLater(life);
    }
}
