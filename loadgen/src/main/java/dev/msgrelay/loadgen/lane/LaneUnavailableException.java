package dev.msgrelay.loadgen.lane;

/** A lane that cannot be had here. The message is the reason, one line for people, without the lane's name. */
public final class LaneUnavailableException extends Exception {
    private static final long serialVersionUID = 1L;

    public LaneUnavailableException(String reason) {
        super(reason);
    }

    public LaneUnavailableException(String reason, Throwable cause) {
        super(reason, cause);
    }
}
