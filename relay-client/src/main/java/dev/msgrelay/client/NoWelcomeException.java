package dev.msgrelay.client;

import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;

/** The relay closed behind HELLO and before WELCOME, without ERROR: what one that knows no HELLO does. */
final class NoWelcomeException extends IOException {
    private static final long serialVersionUID = 1L;

    NoWelcomeException(Endpoint endpoint, IOException end) {
        super("the relay at " + endpoint + " ended the connection before its WELCOME: " + end.getMessage(), end);
    }
}
