package dev.msgrelay.server.cli;

import java.util.concurrent.locks.LockSupport;

/** The command with a relay that looks through its journal for ever. */
public final class RecoveringRelayMain {
    private RecoveringRelayMain() {}

    public static void main(String[] args) {
        RelayServerMain.run(
                (config, recovery) -> {
                    recovery.looked(0, 1);
                    while (true) {
                        LockSupport.park();
                    }
                },
                args);
    }
}
