package dev.msgrelay.loadgen.result;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** A file of results that cannot be read or written: one line that names it, and what about it. */
public final class ResultFileException extends IOException {
    private static final long serialVersionUID = 1L;

    public ResultFileException(String message) {
        super(message);
    }

    public ResultFileException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Any failure in one line: of files the system often says nothing but the name. */
    public static String told(Exception e) {
        if (e instanceof FileSystemException file) {
            return file.getFile() + ": " + reason(file);
        }
        return e.getMessage() == null ? e.toString() : e.getMessage();
    }

    /** The system's words, without the path in front of it that the message names already. */
    public static String reason(IOException e) {
        if (e instanceof NoSuchFileException) {
            return "no such file or directory";
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof FileSystemException system && system.getReason() != null) {
            return system.getReason();
        }
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }
}
