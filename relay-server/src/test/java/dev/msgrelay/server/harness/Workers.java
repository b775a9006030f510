package dev.msgrelay.server.harness;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** Threads of a test; what one of them throws fails the test. */
public final class Workers {
    public interface Task {
        void run() throws Exception;
    }

    private final List<Thread> threads = new ArrayList<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    public Workers start(String name, Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (Throwable t) {
                        failure.compareAndSet(null, t);
                    }
                },
                name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
        return this;
    }

    /** Whether one has failed already, so that waiting for it is of no use. */
    public boolean failed() {
        return failure.get() != null;
    }

    public Throwable failure() {
        return failure.get();
    }

    /** Waits for all, for a bounded time. */
    public void join() throws InterruptedException {
        for (Thread thread : threads) {
            Await.join(thread);
        }
        if (failed()) {
            throw new AssertionError("a thread of the test failed: " + failure.get(), failure.get());
        }
    }
}
