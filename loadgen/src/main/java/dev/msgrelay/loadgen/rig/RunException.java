package dev.msgrelay.loadgen.rig;

import dev.msgrelay.protocol.text.TextFile;

/** A run that cannot go on: a child died, failed, or did not answer in time. The message is one line for people. */
public final class RunException extends Exception {
    private static final long serialVersionUID = 1L;

    public RunException(String message) {
        super(message);
    }

    /** Any failure in one line, with the reason that the JDK leaves out for files. */
    public static String oneLine(Exception e) {
        return e instanceof RunException ? e.getMessage() : TextFile.fault(e);
    }
}
