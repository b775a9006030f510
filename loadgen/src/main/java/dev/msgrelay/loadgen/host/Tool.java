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
     * @param output stdout; it includes stderr unless the two are separated into {@code errors}
     */
    record Completed(int exitCode, String output, String errors) {
        public Completed(int exitCode, String output) {
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
     * @throws IOException if there is no such command, or if it was killed at the time limit
     */
    Completed run(List<String> command) throws IOException, InterruptedException;
}
