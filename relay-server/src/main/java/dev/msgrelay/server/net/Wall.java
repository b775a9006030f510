package dev.msgrelay.server.net;

import java.util.function.Consumer;

/**
 * The wall around a step of a connection that no event of its channel began. Netty has the same wall around each event.
 * Without it, a failure of one connection would end its loop's task or the order, and that connection never.
 */
public final class Wall {
    private Wall() {}

    /**
     * Runs a step.
     *
     * @param onFailure told of whatever the step throws, errors of the JVM as well
     */
    public static void run(Runnable step, Consumer<Throwable> onFailure) {
        try {
            step.run();
        } catch (Throwable e) {
            onFailure.accept(e);
        }
    }
}
