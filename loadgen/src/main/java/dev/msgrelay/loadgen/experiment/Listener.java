package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.rig.RunObserver;

/** Hears how an experiment goes on; called by its thread. */
public interface Listener {
    /** Something that people should know at once, one line: a run failed, a lane is skipped, a file was not written. */
    void notice(String line);

    /**
     * A run begins, or something before the first one.
     *
     * @param where which it is and how much is left: "round 1/3, run 4/24, 10gbe (emulated), 1 -> 1, about 3 min left";
     *     empty before the first one
     * @return hears how the run goes on
     */
    RunObserver begins(String where);
}
