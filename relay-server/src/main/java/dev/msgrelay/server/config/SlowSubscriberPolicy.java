package dev.msgrelay.server.config;

import dev.msgrelay.protocol.Policy;
import java.util.Locale;

/** What happens to a subscriber when the log is about to overwrite what it has not read. */
public enum SlowSubscriberPolicy {
    /** It is disconnected; nobody else notices. */
    DISCONNECT(Policy.DISCONNECT),
    /** Publishers wait, as long as it makes progress. */
    BACKPRESSURE(Policy.BACKPRESSURE),
    /** It jumps to the newest packets and misses what lies between. */
    SKIP(Policy.SKIP);

    private final Policy wire;

    SlowSubscriberPolicy(Policy wire) {
        this.wire = wire;
    }

    /** As it stands in HELLO and WELCOME. */
    public Policy wire() {
        return wire;
    }

    /** The policy that a subscriber asks for; null: the relay's default. */
    public static SlowSubscriberPolicy of(Policy wanted) {
        for (SlowSubscriberPolicy policy : values()) {
            if (policy.wire == wanted) {
                return policy;
            }
        }
        return null;
    }

    /** The name as it is written on the command line. */
    public String flag() {
        return name().toLowerCase(Locale.ROOT);
    }
}
