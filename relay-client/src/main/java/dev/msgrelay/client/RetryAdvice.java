package dev.msgrelay.client;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.FrameException;
import java.io.IOException;

/** A client's reaction to the end of a connection: the table of errors in {@code docs/protocol.md}. */
enum RetryAdvice {
    /** No try: the same would happen again. */
    STOP,
    /** Tries by the {@link ReconnectPolicy}. */
    AGAIN,
    /** Tries by the policy, with the longest wait from the first time on. */
    SLOWLY,
    /** A few tries only, whatever the policy: nobody knows whether one can ever succeed. */
    FEW,
    /** A few tries only, with the longest wait from the first time on. */
    FEW_SLOWLY;

    boolean isSlow() {
        return this == SLOWLY || this == FEW_SLOWLY;
    }

    boolean isFew() {
        return this == FEW || this == FEW_SLOWLY;
    }

    static RetryAdvice of(IOException end) {
        if (end instanceof RelayErrorException error) {
            return error.advice();
        }
        if (end instanceof TlsException tls) {
            return tls.advice();
        }
        if (end instanceof RelayUnsuitableException) {
            return STOP;
        }
        if (end instanceof FrameException fault) {
            return ofFault(fault.reason());
        }
        return AGAIN;
    }

    /** The advice after the relay's ERROR. */
    static RetryAdvice ofCode(int code) {
        CloseReason reason = CloseReason.ofCode(code);
        if (reason == null) {
            return FEW;
        }
        return switch (reason) {
            case NEGATIVE_LENGTH,
                    OVERSIZED_LENGTH,
                    RESERVED_TYPE,
                    UNEXPECTED_INPUT,
                    MALFORMED_CONTROL,
                    UNSUPPORTED,
                    WRONG_ROLE,
                    PROTOCOL_ORDER,
                    NAME_TAKEN,
                    BAD_START,
                    TOO_MANY_NAMES,
                    MESSAGE_GAP,
                    NOT_AUTHENTICATED,
                    NOT_PERMITTED -> STOP;
            case TOO_MANY_CONNECTIONS, TOO_MANY_PUBLISHERS, TOO_MANY_FROM_ADDRESS, RATE_LIMITED -> SLOWLY;
            case NAME_HELD -> FEW_SLOWLY;
            case TLS_FAILED -> FEW;
            case PEER_CLOSED,
                    CONNECTION_LOST,
                    TRUNCATED_FRAME,
                    SLOW_SUBSCRIBER,
                    STALLED_SUBSCRIBER,
                    SHUTDOWN,
                    INTERNAL_ERROR,
                    HANDSHAKE_TIMEOUT,
                    IDLE_TIMEOUT,
                    MEMORY_LIMIT,
                    FRAME_TIMEOUT,
                    REVOKED,
                    TLS_KEY_USED_UP,
                    JOURNAL_FAILED -> AGAIN;
        };
    }

    /** The advice after bytes of the relay that broke a rule: perhaps a passing fault, perhaps no relay at all. */
    private static RetryAdvice ofFault(CloseReason reason) {
        // The stream still has the message over the limit, and the unknown frame comes again.
        return reason == CloseReason.OVERSIZED_LENGTH || reason == CloseReason.UNSUPPORTED ? STOP : FEW;
    }
}
