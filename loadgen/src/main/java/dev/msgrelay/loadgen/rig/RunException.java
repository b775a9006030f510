package dev.msgrelay.loadgen.rig;

/** A run that cannot go on: a child died, failed, or did not answer in time. The message is one line for people. */
public final class RunException extends Exception {
    private static final long serialVersionUID = 1L;

    public RunException(String message) {
        super(message);
    }
}
