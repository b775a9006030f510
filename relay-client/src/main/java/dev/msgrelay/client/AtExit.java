package dev.msgrelay.client;

/** Threads that run as the JVM ends. */
final class AtExit {
    private AtExit() {}

    /** Adds a thread that is not started; without effect while the JVM is ending. */
    static void add(Thread hook) {
        try {
            Runtime.getRuntime().addShutdownHook(hook);
        } catch (IllegalStateException e) {
            // Too late for hooks.
        }
    }

    /** Removes a thread that {@link #add} has added; without effect while the JVM is ending. */
    static void remove(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // It runs.
        }
    }
}
