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

    private final boolean hopeless;

    TlsException(String message, boolean hopeless, Throwable cause) {
        super(message, cause);
        this.hopeless = hopeless;
    }

    /** Whether this client refused the relay's certificate, and would refuse it again. */
    boolean isHopeless() {
        return hopeless;
    }
}
