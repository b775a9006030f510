package dev.msgrelay.client;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.FrameException;
import java.io.IOException;

/** What a client does about the end of a connection: the table of errors in {@code docs/protocol.md}. */
enum RetryAdvice {
    /** The same would happen again. */
    STOP,
    /** By the {@link ReconnectPolicy}. */
    AGAIN,
    /** The same, with the longest wait from the first time on. */
    SLOWLY,
    /** A few times only, whatever the policy: nobody knows whether it can ever work. */
    FEW,
    /** The same, with the longest wait from the first time on. */
    FEW_SLOWLY;

    boolean isSlow() {
        return this == SLOWLY || this == FEW_SLOWLY;
    }

    boolean isFew() {
        return this == FEW || this == FEW_SLOWLY;
    }

    static RetryAdvice of(IOException end) {
        if (end instanceof RelayErrorException error) {
            return ofCode(error.code());
        }
        if (end instanceof TlsException tls) {
            return tls.isHopeless() ? STOP : FEW;
        }
        if (end instanceof RelayUnsuitableException) {
            return STOP;
        }
        if (end instanceof FrameException fault) {
            return ofFault(fault.reason());
        }
        return AGAIN;
    }

    /** The relay sent ERROR. */
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

    /** The relay's bytes broke a rule: perhaps a passing fault, perhaps no relay at all. */
    private static RetryAdvice ofFault(CloseReason reason) {
        // The message over the limit is still in the stream, and the frame not understood comes again.
        return reason == CloseReason.OVERSIZED_LENGTH || reason == CloseReason.UNSUPPORTED ? STOP : FEW;
    }
}
