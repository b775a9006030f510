package dev.msgrelay.client;

import dev.msgrelay.protocol.GapReason;

/**
 * Messages that a subscriber does not get. With a choice of types, messages of other types are counted as well. Those
 * of {@link GapReason#SUPERSEDED} are no loss: with a start with the state, newer messages of the same types come.
 *
 * <pre>{@code
 * SubscriberOptions.builder("127.0.0.1:7400").onGap(gap -> System.err.println(gap.text()));
 * }</pre>
 *
 * @param from sequence of the first missed message
 * @param to sequence of the last missed message
 * @param code the code of a {@link GapReason}, or one that this version does not know; {@link #UNEXPLAINED}
 */
public record Gap(long from, long to, int code) {
    /**
     * The code of a gap that the relay did not explain: the numbers jumped, and jumped again when the messages were
     * asked for again.
     */
    public static final int UNEXPLAINED = 0;

    /** Number of missed messages. */
    public long count() {
        return to - from + 1;
    }

    /** The relay's reason; null: the relay gave none, or one that this version does not know. */
    public GapReason reason() {
        return GapReason.ofCode(code);
    }

    /** Whether messages are missed: always, but for {@link GapReason#SUPERSEDED}. */
    public boolean isLoss() {
        return code != GapReason.SUPERSEDED.code();
    }

    /** One line for people. */
    public String text() {
        GapReason known = reason();
        String why =
                known != null ? known.text() : code == UNEXPLAINED ? "the relay does not say why" : "reason " + code;
        String which = from == to ? "message " + from : count() + " messages, " + from + " to " + to;
        return (isLoss() ? "missed " : "passed over ") + which + ": " + why;
    }
}
