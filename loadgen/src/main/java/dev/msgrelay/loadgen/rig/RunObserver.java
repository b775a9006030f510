package dev.msgrelay.loadgen.rig;

/** Hears how a run goes on; called by the controller's thread. */
public interface RunObserver {
    RunObserver NONE = new RunObserver() {};

    /** The work that is being done now: "starting 2 publishers", "warm-up", "measuring", "draining". */
    default void phase(String what) {}

    /** About once a second while messages flow. */
    default void progress(Live live) {}
}
