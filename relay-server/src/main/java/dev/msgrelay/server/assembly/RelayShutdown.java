package dev.msgrelay.server.assembly;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** The end of a relay up to that of its threads, as one ordered, time-bounded method. */
public record RelayShutdown(Entrances entrances, RelayEngine engine, Duration drainTimeout) {
    private static final long LOOK_NANOS = 1_000_000;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    public void run() {
        int millis = (int) Math.min(Integer.MAX_VALUE, drainTimeout.toMillis());
        // 1. No new connections, no new messages from this process.
        entrances.close();
        // 2. Subscribers that said HELLO get GOAWAY, and the stream as before.
        engine.sayGoAway(millis);
        // 3. No more input from publishers, of this process or other ones. Bytes in their sockets are left.
        engine.stopReading(millis);
        // 4. Subscribers get the rest of the stream.
        await(onCore(engine::drained), drainTimeout);
        // 5. Every client gets the reason of its close.
        engine.closeConnections();
        await(() -> engine.services().table().allGone(), CLOSE_TIMEOUT);
    }

    /** The last answer of the core to a question that is asked again after each answer; false before the first one. */
    private BooleanSupplier onCore(BooleanSupplier question) {
        AtomicBoolean asked = new AtomicBoolean();
        AtomicBoolean answer = new AtomicBoolean();
        return () -> {
            // One question at a time: a core that hangs would gather them.
            if (asked.compareAndSet(false, true)) {
                engine.core().io().execute(() -> {
                    answer.set(question.getAsBoolean());
                    asked.set(false);
                });
            }
            return answer.get();
        };
    }

    private static void await(BooleanSupplier done, Duration atMost) {
        long deadline = System.nanoTime() + atMost.toNanos();
        while (!done.getAsBoolean() && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }
}
