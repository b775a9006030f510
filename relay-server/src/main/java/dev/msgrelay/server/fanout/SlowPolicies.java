package dev.msgrelay.server.fanout;

import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.flow.WindowGate;

/** The policies of a relay, one object each, by their names on the wire. */
public final class SlowPolicies {
    private final SlowPolicy disconnect = new SlowPolicy.Alone(Policy.DISCONNECT, Step.TOO_SLOW);
    private final SlowPolicy skip = new SlowPolicy.Alone(Policy.SKIP, Step.GAP);
    private final SlowPolicy replay = new SlowPolicy.Alone(Policy.REPLAY, Step.JOURNAL);
    private final SlowPolicy backpressure;

    public SlowPolicies(WindowGate gate) {
        backpressure = new SlowPolicy.Backpressure(gate);
    }

    SlowPolicy of(Policy wire) {
        return switch (wire) {
            case DISCONNECT -> disconnect;
            case SKIP -> skip;
            case BACKPRESSURE -> backpressure;
            case REPLAY -> replay;
            case RELAY_DEFAULT -> throw new IllegalArgumentException("no policy of a subscriber: " + wire);
        };
    }
}
