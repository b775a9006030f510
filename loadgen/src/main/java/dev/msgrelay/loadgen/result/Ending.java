package dev.msgrelay.loadgen.result;

/**
 * How a shootout ended.
 *
 * @param reason one line for people; empty when complete
 */
public record Ending(How how, String reason) {
    /** The states of a shootout. */
    public enum How {
        /** Not yet: what a file says that was written between two runs, also after a crash of the tool. */
        RUNNING,
        COMPLETE,
        INTERRUPTED,
        FAILED
    }

    public static Ending running() {
        return new Ending(How.RUNNING, "");
    }

    public static Ending complete() {
        return new Ending(How.COMPLETE, "");
    }

    public static Ending interrupted(String reason) {
        return new Ending(How.INTERRUPTED, reason);
    }

    public static Ending failed(String reason) {
        return new Ending(How.FAILED, reason);
    }
}
