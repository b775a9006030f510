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
        /**
         * Does it once and checks the result.
         *
         * @throws WrongResultException the result is not what it must be; the row is FAILED
         * @throws IOException it could not be done; the row is FAILED too
         * @throws InterruptedException the command is to end
         */
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

    /** The name of the row; one of its kind in a table. */
    public String label() {
        return label(name, setting);
    }

    /** The label of the row with this name in this setting. */
    public static String label(String name, String setting) {
        return setting.isEmpty() ? name : name + ", " + setting;
    }
}
