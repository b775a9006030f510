package dev.msgrelay.server.journal;

import java.io.IOException;

/** The failure of a relay's journal: later messages of the stream are on no disk. The message names the directory. */
public final class JournalException extends IOException {
    private static final long serialVersionUID = 1L;

    public JournalException(String message, Throwable cause) {
        super(message, cause);
    }
}
