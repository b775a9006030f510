package dev.msgrelay.server.fanout;

import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.fanout.SlowPolicy.Overtaken;
import dev.msgrelay.server.flow.WindowGate;

/** The policies of a relay, by their names on the wire. */
public final class SlowPolicies {
    private final SlowPolicy disconnect = new SlowPolicy.Alone(Policy.DISCONNECT, Overtaken.CUT_OFF);
    private final SlowPolicy skip = new SlowPolicy.Alone(Policy.SKIP, Overtaken.SKIPS);
    private final SlowPolicy replay = new SlowPolicy.Alone(Policy.REPLAY, Overtaken.REPLAYS);
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
