package dev.msgrelay.client;

import java.io.IOException;

/** The relay cannot do what the client was told to need; trying again would not help. The message says what and why. */
public final class RelayUnsuitableException extends IOException {
    private static final long serialVersionUID = 1L;

    RelayUnsuitableException(String message, Throwable cause) {
        super(message, cause);
    }

    RelayUnsuitableException(String message) {
        super(message);
    }
}
