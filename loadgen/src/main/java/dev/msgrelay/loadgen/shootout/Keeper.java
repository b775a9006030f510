package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.result.Shootout;
import java.io.IOException;

/**
 * Writes results; a disk without room does not end a shootout: it is told once, and tried again with every run. An
 * interrupt is left for the one who goes on: a file that is written by an interrupted thread is closed under it.
 */
final class Keeper {
    private final ResultFile files;
    private final ShootoutListener listener;
    private boolean failed;

    Keeper(ResultFile files, ShootoutListener listener) {
        this.files = files;
        this.listener = listener;
    }

    void keep(Shootout shootout) {
        boolean interrupted = Thread.interrupted();
        IOException failure = write(shootout);
        if (failure != null && Thread.interrupted()) {
            interrupted = true;
            failure = write(shootout);
        }
        tell(failure);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Null where all is written. */
    private IOException write(Shootout shootout) {
        try {
            files.write(shootout);
            return null;
        } catch (IOException e) {
            return e;
        }
    }

    private void tell(IOException failure) {
        if (failure != null && !failed) {
            listener.notice("results cannot be written: " + failure.getMessage() + "; the shootout goes on");
        } else if (failure == null && failed) {
            listener.notice("results are written again");
        }
        failed = failure != null;
    }

    boolean hasFailed() {
        return failed;
    }
}
