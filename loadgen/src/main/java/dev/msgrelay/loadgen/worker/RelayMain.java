package dev.msgrelay.loadgen.worker;

import dev.msgrelay.server.cli.RelayServerMain;

/** The relay as a child of loadgen: the relay's own program, which ends with its controller. */
public final class RelayMain {
    private RelayMain() {}

    public static void main(String[] args) {
        Control.exitWithParent();
        RelayServerMain.main(args);
    }
}
