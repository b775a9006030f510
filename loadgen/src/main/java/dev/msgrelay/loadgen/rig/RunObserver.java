package dev.msgrelay.loadgen.rig;

/** Hears of the progress of runs; called by the controller's thread. */
public interface RunObserver {
    RunObserver NONE = new RunObserver() {};

    /** A line for people at once: a run failed, a lane is skipped, a file was not written. */
    default void notice(String line) {}

    /**
     * A run begins, or the work before the first one.
     *
     * @param where place of the run, and time left: "round 1/3, run 4/24, 10gbe (emulated), 1 -> 1, about 3 min left";
     *     empty before the first one
     */
    default void begins(String where) {}

    /** The work that is being done now: "starting 2 publishers", "warm-up", "measuring", "draining". */
    default void phase(String what) {}

    /** About once a second while messages flow. */
    default void progress(Live live) {}
}
