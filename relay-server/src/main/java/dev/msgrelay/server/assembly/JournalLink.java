package dev.msgrelay.server.assembly;

import dev.msgrelay.server.connection.Durability;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.figures.TimeHistogram;
import dev.msgrelay.server.journal.format.EpochTable;
import dev.msgrelay.server.producers.NameTable;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.PacketLog;
import java.util.Map;
import java.util.Optional;

/**
 * The engine's side of the journal: {@link EngineJournal}, or {@link NoJournal} with the default methods. Owned by the
 * core's thread unless a method says otherwise.
 */
interface JournalLink extends Durability {
    // ---- while the engine is built, in this order ---------------------------------------------------------------

    /** Moves {@code start} to the end of the journal, where the stream continues. */
    default void goesOnAt(Mark start) {}

    /** Makes the journal read the log, which is still empty. */
    default void feed(PacketLog log, long nowNanos) {}

    /** Puts the journal's names into {@code names}, and makes the journal store further changes of names. */
    default void restore(NameTable names, long nowNanos) {}

    /** Called when the cluster's stream begins anew with another epoch, before the log has any byte of that epoch. */
    void begins(EpochTable.Epoch life);

    // ---- the cycle ----------------------------------------------------------------------------------------------

    /** Wakes the journal's threads. The caller has made the head visible by a full fence. */
    default void signal() {}

    /** Runs the listener if the written or forced position has moved since the last call. Called once a cycle. */
    default void look() {}

    /** Whether {@link #look} would report a move for which a session waits. Called before the core sleeps. */
    default boolean pending() {
        return false;
    }

    /** Whether the journal has room to keep changes of further names. */
    default boolean namesMayGoOn() {
        return true;
    }

    /** Updates the ages of unwritten and unforced bytes; called a few times a second. */
    default void tick(long head, long nowNanos) {}

    // ---- any thread ---------------------------------------------------------------------------------------------

    /** The end of the forced stream; {@link Long#MAX_VALUE} without a journal, or after its failure. */
    default long forcedPosition() {
        return Long.MAX_VALUE;
    }

    /** Lets the journal drop messages that it keeps for the state's snapshot alone, if it lacks room. */
    default void makeRoom() {}

    /**
     * Puts the counters of the journal into {@code values}, or removes these counters if there is no journal.
     *
     * @return the times of the journal's forces; empty without a journal
     */
    default Optional<TimeHistogram.Times> report(Map<Counter, Long> values, long head, long nowNanos) {
        values.keySet().removeIf(Counter::ofJournal);
        return Optional.empty();
    }
}
