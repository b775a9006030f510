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
        // 2. Clients that understand GOAWAY are told to go elsewhere; their connections work on meanwhile.
        engine.sayGoAway(millis);
        // 3. No more input from publishers, of this process or other ones. Bytes that they have sent and that were not
        // read are not in the stream.
        engine.stopReading(millis);
        // 4. The rest of the stream goes out. Only the core knows when all of it has.
        await(onCore(engine::drained), drainTimeout);
        // 5. Every client is told that the relay ends.
        engine.closeConnections();
        await(() -> engine.services().table().allGone(), CLOSE_TIMEOUT);
    }

    /** The core's last answer to a question, which is put again after each answer; false before the first answer. */
    private BooleanSupplier onCore(BooleanSupplier question) {
        AtomicBoolean asked = new AtomicBoolean();
        AtomicBoolean answer = new AtomicBoolean();
        return () -> {
            // One question at a time: a core that hangs would pile them up.
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
