package dev.msgrelay.loadgen.lab;

/** Hears how a run goes on; called by the thread that runs it. */
public interface LabObserver {
    /** Hears nothing. */
    LabObserver NONE = new LabObserver() {};

    /**
     * An experiment begins.
     *
     * @param number from 1
     * @param of how many
     */
    default void experiment(Experiment experiment, int number, int of) {}

    /** A table begins, with so many goes: the warm-up and all rounds. */
    default void table(LabTable table, int number, int of, int goes) {}

    /**
     * A go begins.
     *
     * @param round from 1; 0 for the warm-up
     */
    default void starting(LabTable table, Contestant contestant, int round, int rounds) {}

    /** The go is over. */
    default void ended() {}
}
