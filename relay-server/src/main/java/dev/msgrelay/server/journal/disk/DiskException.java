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

    /**
     * Nothing was written, and the same write may be tried again: the disk has no room at present, or the system gives
     * a reason that is none of a broken disk. A journal survives this fault alone.
     */
    public static final class Full extends DiskException {
        private static final long serialVersionUID = 1L;

        private final String words;

        /**
         * @param journal its name in messages
         * @param words the system's
         */
        public Full(String journal, String words, Throwable cause) {
            super(journal + ": " + words, cause);
            this.words = words;
        }

        /** The reason in the system's words. */
        public String words() {
            return words;
        }
    }
}
