package dev.msgrelay.server.fanout;

import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.flow.ReaderGate;

/**
 * A rule for subscribers that read too slowly. It knows none of them; any thread.
 *
 * @param wire the policy's name in HELLO and WELCOME
 * @param overtaken what becomes of a subscriber that the log has overtaken. TOO_SLOW: it is cut off; GAP: it jumps to the newest
 *     packets, and is told what it missed; JOURNAL: it gets from there what it was too slow for
 * @param gate holds publishers back for the subscriber, as long as that makes progress; or never does
 */
record SlowPolicy(Policy wire, Step overtaken, ReaderGate gate) {
    /** No time: nobody is held back. */
    static final long NEVER = Long.MAX_VALUE;

    static SlowPolicy of(Policy wire, ReaderGate gate) {
        return switch (wire) {
            case DISCONNECT -> new SlowPolicy(wire, Step.TOO_SLOW, ReaderGate.NEVER_HOLDS);
            case SKIP -> new SlowPolicy(wire, Step.GAP, ReaderGate.NEVER_HOLDS);
            case REPLAY -> new SlowPolicy(wire, Step.JOURNAL, ReaderGate.NEVER_HOLDS);
            case BACKPRESSURE -> new SlowPolicy(wire, Step.TOO_SLOW, gate);
            case RELAY_DEFAULT -> throw new IllegalArgumentException("no policy of a subscriber: " + wire);
        };
    }
}
