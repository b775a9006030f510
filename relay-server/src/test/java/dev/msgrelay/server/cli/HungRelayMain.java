package dev.msgrelay.server.cli;

import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.stream.NodeLeftException;
import java.util.concurrent.CountDownLatch;

/** The command with a relay whose disk hangs as soon as it has started, and with it whatever ends a JVM in order. */
public final class HungRelayMain {
    private HungRelayMain() {}

    public static void main(String[] args) {
        CountDownLatch never = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                never.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
        RelayServerMain.run(
                (config, recovery) -> {
                    RelayServer relay = RelayServer.start(config, recovery);
                    relay.failure().complete(NodeLeftException.ofHungDisk("node 2 of orders leaves"));
                    return relay;
                },
                args);
    }
}
