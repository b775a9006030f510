package dev.msgrelay.loadgen.host;

import java.io.IOException;
import java.util.List;

/** Runs a command of the system; a test answers instead. */
@FunctionalInterface
public interface Tool {
    /**
     * The result of a command.
     *
     * @param exitCode 0 for success
     * @param output what it printed, stdout and stderr together, without white space at its ends
     */
    record Outcome(int exitCode, String output) {
        public boolean succeeded() {
            return exitCode == 0;
        }

        public String firstLine() {
            return output.lines().findFirst().orElse("exit code " + exitCode);
        }
    }

    /**
     * Runs it and waits, for a bounded time.
     *
     * @throws IOException there is no such command, or it did not end in time and was killed
     */
    Outcome run(List<String> command) throws IOException, InterruptedException;
}
