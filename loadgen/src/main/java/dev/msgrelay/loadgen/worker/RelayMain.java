package dev.msgrelay.loadgen.worker;

import dev.msgrelay.server.cli.RelayServerMain;

/** Runs our relay as a child process of loadgen. The relay ends when the controller ends. */
public final class RelayMain {
    private RelayMain() {}

    public static void main(String[] args) {
        Control.exitWithParent();
        RelayServerMain.main(args);
    }
}
