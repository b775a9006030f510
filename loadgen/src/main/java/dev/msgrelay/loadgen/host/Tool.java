package dev.msgrelay.loadgen.host;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/** Runs a command of the system; tests have their own. */
@FunctionalInterface
public interface Tool {
    /**
     * The result of a command.
     *
     * @param exitCode 0 for success
     * @param output stdout and stderr together, or stdout alone, without white space at the ends
     * @param errors stderr, where the two are kept apart; else empty
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
     * Runs a command and waits for its end, for a bounded time.
     *
     * @throws IOException there is no such command, or it did not end in time and was killed
     */
    Outcome run(List<String> command) throws IOException, InterruptedException;
}
