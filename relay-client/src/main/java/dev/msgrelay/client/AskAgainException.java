package dev.msgrelay.client;

import java.io.IOException;

/**
 * WELCOME shows that HELLO has to ask for something else, such as with an older epoch behind an older backup: the
 * connection is given up, and another one is made at once. Never told to a user.
 */
final class AskAgainException extends IOException {
    private static final long serialVersionUID = 1L;

    AskAgainException(String what) {
        super(what);
    }
}
