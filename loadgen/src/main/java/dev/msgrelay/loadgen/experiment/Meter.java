package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.host.CoreHop;

/** The machine around the runs: a test puts another one in its place. */
public interface Meter {
    /** Nanoseconds of a core-to-core hop, now; NaN where there is nobody to hand a number to. */
    double hopNanos() throws InterruptedException;

    /** As {@link System#nanoTime}. */
    long nanoTime();

    /** Whether somebody has asked the process to end. */
    boolean isEndAsked();

    static Meter ofThisHost(Interrupts interrupts) {
        return new Meter() {
            @Override
            public double hopNanos() throws InterruptedException {
                return Runtime.getRuntime().availableProcessors() < 2 ? Double.NaN : CoreHop.measureNanos();
            }

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
