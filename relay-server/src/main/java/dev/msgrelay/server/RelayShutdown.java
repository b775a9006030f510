package dev.msgrelay.server;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** The end of a relay, as one ordered, time-bounded method. */
final class RelayShutdown {
    private static final long LOOK_NANOS = 1_000_000;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    private final RelayServer relay;
    private final Duration drainTimeout;

    RelayShutdown(RelayServer relay, Duration drainTimeout) {
        this.relay = relay;
        this.drainTimeout = drainTimeout;
    }

    void run() {
        // 1. No new connections, no new messages from this process.
        if (!relay.beginClose()) {
            return;
        }
        // 2. Who understands it is told to go elsewhere; the connection works on meanwhile.
        relay.sayGoAway();
        // 3. No more from publishers, of this process or other ones. What they have sent and was not read is not in the
        // stream.
        relay.stopReading();
        // 4. What is in the stream goes out.
        await(relay::drained, drainTimeout);
        // 5. Everyone is told.
        relay.closeSessions();
        await(relay::sessionsClosed, CLOSE_TIMEOUT);
        // 6. Threads and memory.
        try {
            relay.release();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void await(BooleanSupplier done, Duration atMost) {
        long deadline = System.nanoTime() + atMost.toNanos();
        while (!done.getAsBoolean() && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }
}
