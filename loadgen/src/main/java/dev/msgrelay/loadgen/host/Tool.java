package dev.msgrelay.loadgen.host;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/** Runs a command of the system; a test answers instead. */
@FunctionalInterface
public interface Tool {
    /**
     * The result of a command.
     *
     * @param exitCode 0 for success
     * @param output what it printed, without white space at its ends: stdout and stderr together, or stdout alone
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

    /** A command was killed, since it had not ended in time. */
    final class NotEndedException extends IOException {
        private static final long serialVersionUID = 1L;

        private final long limitMillis;

        NotEndedException(String command, long limitMillis) {
            super(words(command, limitMillis));
            this.limitMillis = limitMillis;
        }

        /** The same of the command that was meant, where the first word is that of a program which becomes it. */
        public IOException of(String command) {
            return new IOException(words(command, limitMillis), this);
        }

        private static String words(String command, long limitMillis) {
            return command + " did not end within " + limitMillis + " ms";
        }
    }

    /**
     * Runs it and waits, for a bounded time.
     *
     * @throws NotEndedException it did not end in time and was killed
     * @throws IOException there is no such command
     */
    Outcome run(List<String> command) throws IOException, InterruptedException;
}
