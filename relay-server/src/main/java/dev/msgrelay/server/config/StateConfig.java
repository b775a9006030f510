package dev.msgrelay.server.config;

import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.state.StateIndex;

/**
 * Whether the relay keeps the newest message of each type, for subscribers that start with the state.
 *
 * @param bytes size of the memory for these messages; 0: none are kept
 * @param types types that are kept
 * @param conflateAfter bytes that a subscriber with the policy LATEST may be behind before it gets the newest message
 *     of each type instead of the stream
 */
public record StateConfig(int bytes, TypeRanges types, int conflateAfter) {
    private static final int MOST_BYTES = 1 << 30;
    /** About a packet, which is the least that a subscriber is sent at once when more is there. */
    private static final int LEAST_CONFLATE = 1 << 10;

    public StateConfig {
        if (bytes == 0 && !types.isAll()) {
            throw new IllegalArgumentException("state types " + types.text(8) + " need --state");
        }
        Range.check("conflate after", conflateAfter, LEAST_CONFLATE, MOST_BYTES);
    }

    public boolean on() {
        return bytes > 0;
    }

    /** Checks that a message with the longest body can be kept. */
    void checkFor(StreamConfig stream) {
        if (bytes != 0) {
            int maxBody = stream.maxBody();
            long least = StateIndex.leastSize(maxBody);
            Range.check("state", bytes, least, MOST_BYTES, " (max body " + maxBody + ")");
        }
    }
}
