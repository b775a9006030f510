package dev.msgrelay.lab;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A row of a table: one way of doing the thing, in one setting.
 *
 * @param name the way: the same in every setting and table
 * @param setting "8 threads", "growing"; empty where there is only one
 * @param work one go
 */
public record Contestant(String name, String setting, Work work) {
    /** The work of a row. A go ends the threads, sockets and files that it starts, also when it is interrupted. */
    @FunctionalInterface
    public interface Work {
        /** Does it once and checks the result: a wrong one, or one that cannot be had, makes the row FAILED. */
        Measurement go(Go go) throws IOException, InterruptedException, WrongResultException;
    }

    /**
     * One go.
     *
     * @param scratch a directory of the experiment's own, for files; removed at the end
     * @param round from 1; 0 for the warm-up, which may be shorter
     */
    public record Go(Path scratch, int round) {
        public boolean isWarmUp() {
            return round == 0;
        }

        /** How long this one measures: the warm-up no longer than a second. */
        public Duration time(Duration asked) {
            return isWarmUp() && asked.toSeconds() > 0 ? Duration.ofSeconds(1) : asked;
        }
    }

    /** Opens a contestant, for one go, on what it works on: a file that is not there yet, a set of files. */
    @FunctionalInterface
    public interface Opener<F, T> {
        T open(F on) throws IOException;
    }

    /** The label of the row with this name in this setting; one of its kind in a table. */
    public static String label(String name, String setting) {
        return setting.isEmpty() ? name : name + ", " + setting;
    }
}
