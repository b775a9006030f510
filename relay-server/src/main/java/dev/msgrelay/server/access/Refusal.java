package dev.msgrelay.server.access;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.RetryAfterFrame;

/**
 * The reason why a connection may not act, or ends, with a text for people, and the time after which the client may try
 * again.
 *
 * @param waitMillis what RETRY_AFTER tells, 0 to {@link RetryAfterFrame#MAX_MILLIS}; {@link #NO_WAIT}: nothing
 */
public record Refusal(CloseReason reason, String text, int waitMillis) {
    /** The value of {@link #waitMillis} where a wait cures nothing, or nobody knows how long it would be. */
    public static final int NO_WAIT = -1;

    /** A wait for something that comes free whenever another client leaves, in ms. */
    private static final int WHILE_OTHERS_LEAVE = 1000;

    /** A refusal whose wait is the usual one for its reason. */
    public Refusal(CloseReason reason, String text) {
        this(reason, text, usualWait(reason));
    }

    /**
     * The rule: a client is told a wait where this relay lacks something that others will give back. It is told none for
     * a mistake of its own, for its own slowness, which a wait makes worse, and where only people can help. At SHUTDOWN
     * nobody knows when the relay is back, and another relay may have the stream at once. For a name that is held, the
     * time that the holder stays away counts, and the client's few tries must last for that.
     */
    private static int usualWait(CloseReason reason) {
        return switch (reason) {
            case TOO_MANY_CONNECTIONS, TOO_MANY_PUBLISHERS, TOO_MANY_FROM_ADDRESS, MEMORY_LIMIT -> WHILE_OTHERS_LEAVE;
            default -> NO_WAIT;
        };
    }

    public static Refusal of(FrameException why) {
        return new Refusal(why.reason(), why.getMessage());
    }

    public FrameException exception() {
        return new FrameException(reason, text);
    }
}
