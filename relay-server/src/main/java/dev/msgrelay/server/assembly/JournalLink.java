package dev.msgrelay.server.assembly;

import dev.msgrelay.server.connection.Durability;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.figures.TimeHistogram;
import dev.msgrelay.server.journal.format.EpochTable;
import dev.msgrelay.server.producers.NameTable;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.PacketLog;
import java.util.Map;

/**
 * The engine's side of the journal: {@link EngineJournal}, or {@link NoJournal}, for which all defaults hold. Owned by
 * the core's thread unless a method says otherwise.
 */
interface JournalLink extends Durability {
    // ---- while the engine is built, in this order ---------------------------------------------------------------

    /** Moves {@code start} to the end of the journal, from where the stream goes on. */
    default void goesOnAt(Mark start) {}

    /** Starts the journal's reading of the log, which is still empty. */
    default void feed(PacketLog log, long nowNanos) {}

    /** Gives the names that the journal remembers to {@code names}, which keeps later ones in it. */
    default void restore(NameTable names, long nowNanos) {}

    /**
     * The stream goes on in another life, before any byte of it is in the log. The core's thread; only where other
     * relays have the stream too.
     */
    void begins(EpochTable.Epoch life);

    // ---- the cycle ----------------------------------------------------------------------------------------------

    /** Wakes the journal's threads: the head has moved, which a full fence has made visible. */
    default void signal() {}

    /** Tells the listener if positions have moved since the last call. Called once a cycle. */
    default void look() {}

    /** Whether {@link #look} has news for sessions that wait; asked before the core sleeps. */
    default boolean pending() {
        return false;
    }

    /** Whether the journal has room for the moves of further names. */
    default boolean namesMayGoOn() {
        return true;
    }

    /** Updates the ages of unwritten and unforced bytes; called a few times a second. */
    default void tick(long head, long nowNanos) {}

    // ---- any thread ---------------------------------------------------------------------------------------------

    /** The position up to which the stream is forced to the disk; {@link Long#MAX_VALUE}: nothing is, nor will be. */
    default long forcedPosition() {
        return Long.MAX_VALUE;
    }

    /**
     * Puts the journal's figures into {@code values}, or removes the journal's counters from it. Returns the times of
     * the journal's forces; null: there is no journal.
     */
    default TimeHistogram.Times report(Map<Counter, Long> values, long head, long nowNanos) {
        values.keySet().removeIf(Counter::ofJournal);
        return null;
    }
}
