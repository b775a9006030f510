package dev.msgrelay.server.journal.disk;

import java.io.IOException;

/** A directory cannot be used. The message, which is for people, names the directory and what to do. */
public class DiskException extends IOException {
    private static final long serialVersionUID = 1L;

    public DiskException(String message) {
        super(message);
    }

    public DiskException(String message, Throwable cause) {
        super(message, cause);
    }

    /**
     * The disk has no room at present, or the system reports another reason that does not mean a broken disk. The same
     * write may be tried again. This is the only fault that a journal survives.
     */
    public static final class Full extends DiskException {
        private static final long serialVersionUID = 1L;

        private final String words;

        /** @param words the reason in the system's words */
        public Full(String journal, String words, Throwable cause) {
            super(journal + ": " + words, cause);
            this.words = words;
        }

        public String words() {
            return words;
        }
    }
}
