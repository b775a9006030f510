package dev.msgrelay.server.journal.disk;

/** There is no room at present. What was begun may be done again: it is the one fault that a journal survives. */
public final class DiskFullException extends DiskException {
    private static final long serialVersionUID = 1L;

    public DiskFullException(String message, Throwable cause) {
        super(message, cause);
    }
}
