package dev.msgrelay.server;

/** How far a relay's life has come; read by its publishers, moved on by {@link RelayServer#close}. */
final class RelayState {
    private volatile boolean closing;

    boolean closing() {
        return closing;
    }

    void close() {
        closing = true;
    }
}
