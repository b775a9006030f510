package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.rig.RunObserver;
import java.io.IOException;

/**
 * Writes results; a disk without room does not end an experiment: it is told once, and tried again with every run. An
 * interrupt is left for the one who goes on: a file that is written by an interrupted thread is closed under it.
 */
public final class Keeper {
    private final Writer writer;
    private final RunObserver observer;
    private boolean failed;

    @FunctionalInterface
    public interface Writer {
        /** Writes everything anew; where that fails, what was written before is still there. */
        void write() throws IOException;
    }

    public Keeper(Writer writer, RunObserver observer) {
        this.writer = writer;
        this.observer = observer;
    }

    public void keep() {
        boolean interrupted = Thread.interrupted();
        IOException failure = write();
        if (failure != null && Thread.interrupted()) {
            interrupted = true;
            failure = write();
        }
        tell(failure);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Null where all is written. */
    private IOException write() {
        try {
            writer.write();
            return null;
        } catch (IOException e) {
            return e;
        }
    }

    private void tell(IOException failure) {
        if (failure != null && !failed) {
            observer.notice("results cannot be written: " + failure.getMessage() + "; the runs go on");
        } else if (failure == null && failed) {
            observer.notice("results are written again");
        }
        failed = failure != null;
    }

    public boolean hasFailed() {
        return failed;
    }
}
