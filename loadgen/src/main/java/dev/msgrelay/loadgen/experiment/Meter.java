package dev.msgrelay.loadgen.experiment;

/** The machine around the runs: a test puts another one in its place. */
public interface Meter {
    /** As {@link System#nanoTime}. */
    long nanoTime();

    /** Whether somebody has asked the process to end. */
    boolean isEndAsked();

    static Meter ofThisHost(Interrupts interrupts) {
        return new Meter() {
            @Override
            public long nanoTime() {
                return System.nanoTime();
            }

            @Override
            public boolean isEndAsked() {
                return interrupts.isRequested();
            }
        };
    }
}
