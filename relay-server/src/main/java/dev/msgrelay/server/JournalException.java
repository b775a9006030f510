package dev.msgrelay.server;

import java.io.IOException;

/** A relay's journal has failed: what is in the stream from then on is on no disk. The message names the directory. */
public final class JournalException extends IOException {
    private static final long serialVersionUID = 1L;

    JournalException(String message, Throwable cause) {
        super(message, cause);
    }
}
