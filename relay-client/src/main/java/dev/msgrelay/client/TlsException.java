package dev.msgrelay.client;

import java.io.IOException;

/** No TLS connection came about, or one was ended by the rules of TLS; the message says why. */
public final class TlsException extends IOException {
    private static final long serialVersionUID = 1L;

    private final boolean hopeless;

    TlsException(String message, boolean hopeless, Throwable cause) {
        super(message, cause);
        this.hopeless = hopeless;
    }

    /** Whether the relay's certificate was refused here, and would be again. */
    boolean isHopeless() {
        return hopeless;
    }
}
