package dev.msgrelay.loadgen.worker;

import dev.msgrelay.server.cli.RelayServerMain;

/** Runs our relay as a child process of loadgen: it ends with its controller. */
public final class RelayMain {
    private RelayMain() {}

    public static void main(String[] args) {
        Control.exitWithParent();
        RelayServerMain.main(args);
    }
}
