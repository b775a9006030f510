package dev.msgrelay.server.journal.disk;

/**
 * Nothing was written, and the same may be done again: there is no room at present, or the system gives a reason that is none
 * of a broken disk. It is the one fault that a journal survives.
 */
public final class DiskFullException extends DiskException {
    private static final long serialVersionUID = 1L;

    private final String words;

    /**
     * @param journal its name in messages
     * @param words the system's
     */
    public DiskFullException(String journal, String words, Throwable cause) {
        super(journal + ": " + words, cause);
        this.words = words;
    }

    /** The reason in the system's words. */
    public String words() {
        return words;
    }
}
