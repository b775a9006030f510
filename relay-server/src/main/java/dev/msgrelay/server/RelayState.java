package dev.msgrelay.server;

/** Whether a relay is closing; read by its publishers, set by {@link RelayServer#close}. */
final class RelayState {
    private volatile boolean closing;

    boolean closing() {
        return closing;
    }

    void close() {
        closing = true;
    }
}
