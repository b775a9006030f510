package dev.msgrelay.client.cli;

import dev.msgrelay.protocol.cli.ExitCodes;
import java.io.IOException;

/** A failure that ends the command with another exit code than {@link ExitCodes#FAILED}. */
final class CodedException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    /** @param exitCode one of {@link ExitCodes} */
    CodedException(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    int exitCode() {
        return exitCode;
    }
}
