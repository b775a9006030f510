package dev.msgrelay.loadgen.rig;

import dev.msgrelay.protocol.text.TextFile;

/**
 * A run cannot continue: a child process died, failed, or did not answer in time. The message is one line for people.
 */
public final class RunException extends Exception {
    private static final long serialVersionUID = 1L;

    public RunException(String message) {
        super(message);
    }

    /** Describes a failure in one line, including the reason that the JDK's exceptions for files leave out. */
    public static String oneLine(Exception e) {
        return e instanceof RunException ? e.getMessage() : TextFile.fault(e);
    }
}
