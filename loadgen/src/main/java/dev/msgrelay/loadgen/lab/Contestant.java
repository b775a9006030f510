package dev.msgrelay.loadgen.lab;

import java.io.IOException;

/**
 * One row of a table: one way of doing the thing, in one setting. What it starts in a go (threads, sockets, files), it
 * ends before the go is over, also when it is interrupted.
 */
public interface Contestant {
    /** Which way: the same in every setting and table. */
    String name();

    /** In which setting: "8 threads", "not pre-allocated"; empty where there is only one. */
    default String setting() {
        return "";
    }

    /** What the row is called; one of its kind in a table. */
    default String label() {
        return setting().isEmpty() ? name() : name() + ", " + setting();
    }

    /**
     * Does it once and checks the result.
     *
     * @throws WrongResultException the result is not what it must be; the row is FAILED
     * @throws IOException it could not be done; the row is FAILED too
     * @throws InterruptedException the command is to end
     */
    Measurement go(Go go) throws IOException, InterruptedException, WrongResultException;

    /** A go that nobody counts, before the first round; shorter where a whole one takes long. */
    default void warmUp(Go go) throws IOException, InterruptedException, WrongResultException {
        go(go);
    }
}
