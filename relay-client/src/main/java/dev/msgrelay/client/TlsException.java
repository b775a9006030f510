package dev.msgrelay.client;

import java.io.IOException;

/**
 * The TLS handshake has failed, or a connection was ended for a broken rule of TLS; the message says why.
 *
 * <pre>{@code
 * try {
 *     subscriber.run((sequence, type, body) -> {});
 * } catch (TlsException e) {
 *     System.err.println("no TLS: " + e.getMessage());
 * }
 * }</pre>
 */
public final class TlsException extends IOException {
    private static final long serialVersionUID = 1L;

    private final RetryAdvice advice;

    TlsException(String message, RetryAdvice advice, Throwable cause) {
        super(message, cause);
        this.advice = advice;
    }

    /** What the client does next. It reads its files for each connection, so a renewed one may cure the failure. */
    RetryAdvice advice() {
        return advice;
    }
}
