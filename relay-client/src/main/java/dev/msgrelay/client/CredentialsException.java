package dev.msgrelay.client;

import java.io.IOException;

/**
 * A file of the options cannot be used as a client is opened, or the token's function has failed: the program's to
 * mend.
 */
final class CredentialsException extends IOException {
    private static final long serialVersionUID = 1L;

    CredentialsException(IOException cause) {
        super(cause.getMessage(), cause);
    }
}
