package dev.msgrelay.loadgen.rig;

/** Receives the progress of runs. The controller's thread calls it. */
public interface RunObserver {
    RunObserver NONE = new RunObserver() {};

    /** Reports something at once: a run failed, a lane is skipped, a file was not written. */
    default void notice(String line) {}

    /**
     * Called at the start of a run, and of the work before the first run.
     *
     * @param where number of the run, and the time left: "round 1/3, run 4/24, 10gbe (emulated), 1 -> 1, about 3 min
     *     left"; empty before the first run
     */
    default void begins(String where) {}

    /** Reports the current work: "starting 2 publishers", "warm-up", "measuring", "draining". */
    default void phase(String what) {}

    default void progress(Live live) {}
}
