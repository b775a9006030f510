package dev.msgrelay.server.journal.disk;

import java.io.IOException;

/** A directory that cannot be used. The message is for a person: it names the directory, and what to do. */
public class DiskException extends IOException {
    private static final long serialVersionUID = 1L;

    public DiskException(String message) {
        super(message);
    }

    public DiskException(String message, Throwable cause) {
        super(message, cause);
    }
}
