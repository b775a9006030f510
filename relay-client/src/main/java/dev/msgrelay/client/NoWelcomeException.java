package dev.msgrelay.client;

import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;

/** The relay closed after HELLO and before WELCOME, without ERROR, as a relay does that does not know HELLO. */
final class NoWelcomeException extends IOException {
    private static final long serialVersionUID = 1L;

    NoWelcomeException(Endpoint endpoint, IOException end) {
        this("the relay at " + endpoint + " ended the connection before its WELCOME: " + end.getMessage(), end);
    }

    NoWelcomeException(String message, IOException end) {
        super(message, end);
    }
}
