package dev.msgrelay.client;

import java.io.IOException;

/**
 * The relay does not know the epoch of HELLO, and knows an older one of this client, such as behind an older backup:
 * the connection is given up, and another one is made at once with that epoch. Never told to a user.
 */
final class OlderEpochException extends IOException {
    private static final long serialVersionUID = 1L;

    OlderEpochException() {
        super("asking again with an older epoch");
    }
}
