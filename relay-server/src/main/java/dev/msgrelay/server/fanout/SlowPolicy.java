package dev.msgrelay.server.fanout;

import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.flow.WindowGate;

/**
 * A rule for subscribers that read too slowly. It knows none of them; any thread.
 */
interface SlowPolicy {
    /** Returns the policy's name in HELLO and WELCOME. */
    Policy wire();

    /**
     * Returns what becomes of a subscriber that the log has overtaken.
     *
     * @return TOO_SLOW: it is cut off; GAP: it jumps to the newest packets, and is told what it missed; JOURNAL: it gets from
     *     there what it was too slow for
     */
    Step overtaken();

    /** Called when a subscriber has the policy from now on. */
    default void joined(WindowGate.Limit subscriber) {}

    /** Called when a subscriber has the policy no longer. */
    default void left(WindowGate.Limit subscriber) {}

    /** Called when a subscriber has gone on to this position. */
    default void reached(long position) {}

    /** Called when a subscriber has gone back in the log. */
    default void movedBack() {}

    /** Returns since when subscribers of the policy hold publishers back, by the relay's clock; {@link #NEVER}: they do not. */
    default long holdsBackSince() {
        return NEVER;
    }

    /** No time: nobody is held back. */
    long NEVER = Long.MAX_VALUE;

    /** Returns the policy of a name on the wire; {@code gate} holds publishers back. */
    static SlowPolicy of(Policy wire, WindowGate gate) {
        return switch (wire) {
            case DISCONNECT -> new Alone(wire, Step.TOO_SLOW);
            case SKIP -> new Alone(wire, Step.GAP);
            case REPLAY -> new Alone(wire, Step.JOURNAL);
            case BACKPRESSURE -> new Backpressure(gate);
            case RELAY_DEFAULT -> throw new IllegalArgumentException("no policy of a subscriber: " + wire);
        };
    }

    /** A policy that concerns the slow subscriber alone. */
    record Alone(Policy wire, Step overtaken) implements SlowPolicy {}

    /** A policy by which publishers wait for the subscriber, as long as it makes progress. */
    record Backpressure(WindowGate gate) implements SlowPolicy {
        @Override
        public Policy wire() {
            return Policy.BACKPRESSURE;
        }

        @Override
        public Step overtaken() {
            return Step.TOO_SLOW;
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
        public void reached(long position) {
            gate.wakeIfRoom(position);
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
