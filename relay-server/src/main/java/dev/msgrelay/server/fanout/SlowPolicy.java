package dev.msgrelay.server.fanout;

import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.flow.ReaderGate;

/**
 * A rule for subscribers that read too slowly. It knows none of them; any thread.
 *
 * @param wire the policy's name in HELLO and WELCOME
 * @param overtaken what becomes of a subscriber that the log has overtaken
 * @param gate holds publishers back for the subscriber, as long as that makes progress; or never does
 */
record SlowPolicy(Policy wire, Overtaken overtaken, ReaderGate gate) {
    /** The end of a subscriber's stream as it was, once the log has overtaken it. */
    enum Overtaken {
        /** The subscriber is cut off: {@link Allowance#tooSlow} says why. */
        CUT,
        /** The subscriber jumps to the newest packets, and is told what it missed. */
        JUMP,
        /** The journal has what the subscriber was too slow for. */
        JOURNAL
    }

    /** No time: nobody is held back. */
    static final long NEVER = Long.MAX_VALUE;

    static SlowPolicy of(Policy wire, ReaderGate gate) {
        return switch (wire) {
            case DISCONNECT -> new SlowPolicy(wire, Overtaken.CUT, ReaderGate.NEVER_HOLDS);
            case SKIP -> new SlowPolicy(wire, Overtaken.JUMP, ReaderGate.NEVER_HOLDS);
            case REPLAY -> new SlowPolicy(wire, Overtaken.JOURNAL, ReaderGate.NEVER_HOLDS);
            case BACKPRESSURE -> new SlowPolicy(wire, Overtaken.CUT, gate);
            case RELAY_DEFAULT -> throw new IllegalArgumentException("no policy of a subscriber: " + wire);
        };
    }
}
