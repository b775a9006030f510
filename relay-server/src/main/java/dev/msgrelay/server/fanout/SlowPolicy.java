package dev.msgrelay.server.fanout;

import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.flow.WindowGate;

/**
 * What becomes of a subscriber that reads too slowly. One object for all subscribers of a relay that have it; any thread.
 */
interface SlowPolicy {
    /** As it stands in HELLO and WELCOME. */
    Policy wire();

    /** What becomes of a subscriber that the log has overtaken. */
    enum Overtaken {
        /** It is cut off. */
        CUT_OFF,
        /** It jumps to the newest packets, and is told what it missed. */
        SKIPS,
        /** It gets from the journal what it was too slow for. */
        REPLAYS
    }

    Overtaken overtaken();

    /** A subscriber has it from now on. */
    default void joined(WindowGate.Limit subscriber) {}

    /** A subscriber has it no longer. */
    default void left(WindowGate.Limit subscriber) {}

    /** A subscriber has gone on to this position. */
    default void moved(long position) {}

    /** A subscriber has gone back in the log. */
    default void movedBack() {}

    /** Since when subscribers of this policy hold publishers back, by the clock of the relay; {@link #NEVER}: they do not. */
    default long holdsBackSince() {
        return NEVER;
    }

    /** No time. */
    long NEVER = Long.MAX_VALUE;

    /** It alone is concerned. */
    record Alone(Policy wire, Overtaken overtaken) implements SlowPolicy {}

    /** Publishers wait for it, as long as it makes progress. */
    final class Backpressure implements SlowPolicy {
        private final WindowGate gate;

        Backpressure(WindowGate gate) {
            this.gate = gate;
        }

        @Override
        public Policy wire() {
            return Policy.BACKPRESSURE;
        }

        @Override
        public Overtaken overtaken() {
            return Overtaken.CUT_OFF;
        }

        @Override
        public void joined(WindowGate.Limit subscriber) {
            gate.add(subscriber);
        }

        @Override
        public void left(WindowGate.Limit subscriber) {
            gate.remove(subscriber);
        }

        @Override
        public void moved(long position) {
            gate.moved(position);
        }

        @Override
        public void movedBack() {
            gate.movedBack();
        }

        @Override
        public long holdsBackSince() {
            return gate.blockedByReaders() ? gate.blockedSinceNanos() : NEVER;
        }
    }
}
