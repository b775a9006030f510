package dev.msgrelay.server;

import java.util.concurrent.CountDownLatch;

/** A relay whose core does nothing any more. */
public final class HungCore {
    private HungCore() {}

    /** Hangs the core's loop for as long as the process lives. */
    public static void hang(RelayServer relay) {
        relay.engine().core().io().execute(() -> {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }
}
