package dev.msgrelay.client;

import dev.msgrelay.protocol.GapReason;

/**
 * Messages that a subscriber does not get. With a choice of types it counts those of other types as well.
 *
 * @param from sequence of the first one
 * @param to sequence of the last one
 * @param code that of a {@link GapReason}, or one that this version does not know; {@link #UNEXPLAINED}
 */
public record Gap(long from, long to, int code) {
    /** The relay did not say a word about it: the numbers jumped, and did so again when they were asked for again. */
    public static final int UNEXPLAINED = 0;

    /** How many there are. */
    public long count() {
        return to - from + 1;
    }

    /** Why, as the relay told; null where it told nothing, or knows more reasons than this version. */
    public GapReason reason() {
        return GapReason.ofCode(code);
    }

    /** One line for people. */
    public String text() {
        GapReason known = reason();
        String why =
                known != null ? known.text() : code == UNEXPLAINED ? "the relay does not say why" : "reason " + code;
        String which = from == to ? "message " + from : count() + " messages, " + from + " to " + to;
        return "missed " + which + ": " + why;
    }
}
