package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.result.Shootout;
import java.io.IOException;

/** Where results are kept. */
@FunctionalInterface
public interface ResultFile {
    /**
     * Writes everything anew, in the place of what was written before; called after every run.
     *
     * @throws IOException it could not be written; what was written before is still there
     */
    void write(Shootout shootout) throws IOException;
}
