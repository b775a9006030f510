package dev.msgrelay.loadgen.host;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/** Runs commands of the system. Tests replace it. */
@FunctionalInterface
public interface Tool {
    /**
     * The result of a command.
     *
     * @param exitCode exit code; 0: success
     * @param output stdout, with stderr merged into it unless the two are separated; without white space at its ends
     * @param errors stderr if it is separate; otherwise empty
     */
    record Outcome(int exitCode, String output, String errors) {
        public Outcome(int exitCode, String output) {
            this(exitCode, output, "");
        }

        public boolean succeeded() {
            return exitCode == 0;
        }

        public String firstLine() {
            return Stream.of(output, errors).flatMap(String::lines).findFirst().orElse("exit code " + exitCode);
        }
    }

    /**
     * Runs a command and waits for its end, up to a time limit.
     *
     * @throws IOException there is no such command, or it was killed at the time limit
     */
    Outcome run(List<String> command) throws IOException, InterruptedException;
}
