package dev.msgrelay.lab;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A row of a table: one way to do the work, in one setting.
 *
 * @param setting "8 threads", "growing"; empty if there is only one setting
 */
public record Contestant(String name, String setting, Work work) {
    /** The work of a row. It releases the threads, sockets and files that it uses, even if it is interrupted. */
    @FunctionalInterface
    public interface Work {
        /** Does the work once and checks the result. An exception makes the row FAILED. */
        Measurement go(Go go) throws IOException, InterruptedException, WrongResultException;
    }

    public record Go(Path scratch, int round) {
        public boolean isWarmUp() {
            return round == 0;
        }

        /** Returns how long to measure: the warm-up takes at most a second. */
        public Duration time(Duration asked) {
            return isWarmUp() && asked.toSeconds() > 0 ? Duration.ofSeconds(1) : asked;
        }
    }

    /** Opens a contestant for one go, on a file or a set of files. */
    @FunctionalInterface
    public interface Opener<F, T> {
        T open(F on) throws IOException;
    }

    public static String label(String name, String setting) {
        return setting.isEmpty() ? name : name + ", " + setting;
    }
}
