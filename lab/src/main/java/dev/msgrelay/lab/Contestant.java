package dev.msgrelay.lab;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A row of a table: one way of doing the thing, in one setting.
 *
 * @param name which way: the same in every setting and table
 * @param setting "8 threads", "growing"; empty where there is only one
 * @param warmUp a go that nobody counts, before the first round
 * @param work one go
 */
public record Contestant(String name, String setting, Work warmUp, Work work) {
    /** Warmed up by a go like any other. */
    public Contestant(String name, String setting, Work work) {
        this(name, setting, work, work);
    }

    /** Does it once. What it starts (threads, sockets, files), it ends before it returns, also when it is interrupted. */
    @FunctionalInterface
    public interface Work {
        /**
         * Does it and checks the result.
         *
         * @throws WrongResultException the result is not what it must be; the row is FAILED
         * @throws IOException it could not be done; the row is FAILED too
         * @throws InterruptedException the command is to end
         */
        Measurement go(Go go) throws IOException, InterruptedException, WrongResultException;
    }

    /**
     * What a contestant is given.
     *
     * @param scratch a directory of the experiment's own, for files; removed at the end
     * @param round from 1; 0 for the warm-up
     */
    public record Go(Path scratch, int round) {}

    /** What the row is called; one of its kind in a table. */
    public String label() {
        return label(name, setting);
    }

    /** What the row of this name in this setting is called. */
    public static String label(String name, String setting) {
        return setting.isEmpty() ? name : name + ", " + setting;
    }
}
