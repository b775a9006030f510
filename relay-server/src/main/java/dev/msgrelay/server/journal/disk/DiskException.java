package dev.msgrelay.server.journal.disk;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** A directory that cannot be used. The message is for a person: it names the directory, and what to do. */
public class DiskException extends IOException {
    private static final long serialVersionUID = 1L;

    public DiskException(String message) {
        super(message);
    }

    public DiskException(String message, Throwable cause) {
        super(message, cause);
    }

    /** The machine's own words for a fault; the messages of the JDK are little more than a file's name. */
    public static String words(Throwable e) {
        if (!(e instanceof FileSystemException of)) {
            return e instanceof IOException && e.getMessage() != null ? e.getMessage() : e.toString();
        }
        String what = e instanceof AccessDeniedException
                ? "permission denied"
                : e instanceof NoSuchFileException
                        ? "it is not there"
                        : of.getReason() == null ? e.getClass().getSimpleName() : of.getReason();
        return of.getFile() + ": " + what;
    }
}
