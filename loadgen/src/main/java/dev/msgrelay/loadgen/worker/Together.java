package dev.msgrelay.loadgen.worker;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ToIntFunction;

/** Publishers at full speed: a thread for each, all at the same time. */
public final class Together {
    /** What one of them does on its thread. */
    @FunctionalInterface
    public interface Task<T> {
        void run(T publisher) throws IOException;
    }

    private Together() {}

    /**
     * Runs the task for each publisher on a thread of its own and waits for all of them.
     *
     * @param id names the thread
     * @throws IOException the first failure, once all have ended
     */
    public static <T> void publish(List<T> publishers, ToIntFunction<T> id, Task<T> task)
            throws IOException, InterruptedException {
        AtomicReference<IOException> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (T publisher : publishers) {
            Thread thread = new Thread(
                    () -> {
                        try {
                            task.run(publisher);
                        } catch (IOException e) {
                            failure.compareAndSet(null, e);
                        }
                    },
                    "publisher-" + id.applyAsInt(publisher));
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (failure.get() != null) {
            throw failure.get();
        }
    }
}
