package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.result.Shootout;
import java.io.IOException;

/** Writes results; a disk without room does not end a shootout: it is told once, and tried again with every run. */
final class Keeper {
    private final ResultFile files;
    private final ShootoutListener listener;
    private boolean failed;

    Keeper(ResultFile files, ShootoutListener listener) {
        this.files = files;
        this.listener = listener;
    }

    void keep(Shootout shootout) {
        try {
            files.write(shootout);
            if (failed) {
                listener.notice("results are written again");
            }
            failed = false;
        } catch (IOException e) {
            if (!failed) {
                listener.notice("results cannot be written: " + e.getMessage() + "; the shootout goes on");
            }
            failed = true;
        }
    }

    boolean hasFailed() {
        return failed;
    }
}
