package dev.msgrelay.testing;

import java.io.IOException;
import java.nio.file.Path;

/** Files that are no regular ones. */
public final class OddFiles {
    private OddFiles() {}

    /** Makes a named pipe; answers its path. */
    public static Path pipe(Path path) throws IOException, InterruptedException {
        TestProcess.Outcome made = TestProcess.run("mkfifo", path.toString());
        if (made.exitCode() != 0) {
            throw new IOException(made.said());
        }
        return path;
    }
}
