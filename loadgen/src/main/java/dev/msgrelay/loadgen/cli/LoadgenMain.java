package dev.msgrelay.loadgen.cli;

/** Entry point. */
public final class LoadgenMain {
    private LoadgenMain() {}

    public static void main(String[] args) {}
}
