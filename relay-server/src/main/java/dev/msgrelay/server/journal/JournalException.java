package dev.msgrelay.server.journal;

import java.io.IOException;

/** A relay's journal has failed, so later messages are not on its disk. The exception's text names the directory. */
public final class JournalException extends IOException {
    private static final long serialVersionUID = 1L;

    public JournalException(String message, Throwable cause) {
        super(message, cause);
    }
}
