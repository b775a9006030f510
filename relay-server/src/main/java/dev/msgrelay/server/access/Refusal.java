package dev.msgrelay.server.access;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.RetryAfterFrame;

/**
 * The reason why a connection may not act, or ends, with a text for people.
 *
 * @param waitMillis time in RETRY_AFTER, 0 to {@link RetryAfterFrame#MAX_MILLIS}; {@link #NO_WAIT}: no such frame
 */
public record Refusal(CloseReason reason, String text, int waitMillis) {
    /** The value of {@code waitMillis} where a wait cures nothing, or its length is unknown. */
    public static final int NO_WAIT = -1;

    /** A wait for something that comes free whenever another client leaves, in ms. */
    private static final int WHILE_OTHERS_LEAVE = 1000;

    /** A refusal whose wait is the usual one for its reason. */
    public Refusal(CloseReason reason, String text) {
        this(reason, text, usualWait(reason));
    }

    /**
     * The rule: a client gets a wait where this relay lacks something that other clients will give back. It gets none
     * for its own mistake, for its own slowness, which a wait makes worse, and where only people can help. At SHUTDOWN
     * the end of the wait is unknown, and another relay may have the stream at once. A client whose name is in use
     * tries a few times only, and these tries must last as long as the name's owner stays away.
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
