package dev.msgrelay.server.cli;

import dev.msgrelay.server.RelayServer;

/** The command with a relay that fails as soon as it has started. */
public final class FaultyRelayMain {
    static final RuntimeException FAULT = new IllegalStateException("the log is in doubt");

    private FaultyRelayMain() {}

    public static void main(String[] args) {
        RelayServerMain.run(
                (config, recovery) -> {
                    RelayServer relay = RelayServer.start(config, recovery);
                    relay.failure().complete(FAULT);
                    return relay;
                },
                args);
    }
}
