package dev.msgrelay.server.assembly;

import dev.msgrelay.protocol.Epochs;
import dev.msgrelay.server.journal.format.EpochTable;
import java.util.List;

/** The link of a relay without a journal. It knows only the stream's epoch, or a cluster's table of epochs. */
public final class NoJournal implements JournalLink {
    // Whether the stream is that of a cluster, which outlives this relay. Otherwise clients get no table of epochs.
    private final boolean shared;
    private volatile EpochTable lives;

    NoJournal(boolean shared, EpochTable lives) {
        this.shared = shared;
        this.lives = lives;
    }

    /** @param epoch the stream's only epoch */
    public NoJournal(long epoch) {
        this(false, new EpochTable(List.of(new EpochTable.Epoch(epoch, 0, 1, 0)), 0, 1));
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
