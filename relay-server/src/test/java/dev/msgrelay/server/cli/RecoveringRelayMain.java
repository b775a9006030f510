package dev.msgrelay.server.cli;

import dev.msgrelay.server.RelayServer;
import dev.msgrelay.testing.ThisMachine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The command with a relay that looks through its journal until there is the file of {@code relay.test.go}. */
public final class RecoveringRelayMain {
    private RecoveringRelayMain() {}

    public static void main(String[] args) {
        Path go = Path.of(ThisMachine.setting("relay.test.go"));
        RelayServerMain.run(
                (config, recovery) -> {
                    recovery.looked(0, 1);
                    while (!Files.exists(go)) {
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
                    }
                    return RelayServer.start(config, recovery);
                },
                args);
    }
}
