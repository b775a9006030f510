package dev.msgrelay.server.access;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.RetryAfterFrame;

/**
 * The reason why a connection may not act, or is closed.
 *
 * @param text for people
 * @param waitMillis wait in RETRY_AFTER, 0 to {@link RetryAfterFrame#MAX_MILLIS}; {@link #NO_WAIT} for no such frame
 */
public record Refusal(CloseReason reason, String text, int waitMillis) {
    /** The value of {@code waitMillis} if waiting does not help, or if the time to wait is unknown. */
    public static final int NO_WAIT = -1;

    private static final int UNTIL_A_CLIENT_LEAVES = 1000;

    /** A refusal with the usual wait for its reason. */
    public Refusal(CloseReason reason, String text) {
        this(reason, text, usualWait(reason));
    }

    /**
     * A client shall wait if the relay is full, since other clients will leave. Waiting does not help after a client's
     * own mistake or where an operator has to act, and waiting makes a slow client slower. After SHUTDOWN a client
     * shall try other relays at once. A client whose name is in use has few attempts, which short waits would use up.
     */
    private static int usualWait(CloseReason reason) {
        return switch (reason) {
            case TOO_MANY_CONNECTIONS, TOO_MANY_PUBLISHERS, TOO_MANY_FROM_ADDRESS, MEMORY_LIMIT ->
                UNTIL_A_CLIENT_LEAVES;
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
