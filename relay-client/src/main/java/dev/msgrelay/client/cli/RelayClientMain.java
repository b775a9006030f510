package dev.msgrelay.client.cli;

/** Entry point. */
public final class RelayClientMain {
    private RelayClientMain() {}

    public static void main(String[] args) {}
}
