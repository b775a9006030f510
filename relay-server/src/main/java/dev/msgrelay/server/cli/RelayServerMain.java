package dev.msgrelay.server.cli;

/** Entry point. */
public final class RelayServerMain {
    private RelayServerMain() {}

    public static void main(String[] args) {}
}
