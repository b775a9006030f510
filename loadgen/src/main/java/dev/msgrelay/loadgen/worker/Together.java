package dev.msgrelay.loadgen.worker;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/** Several that do the same: a thread for each, all at the same time. */
public final class Together {
    /** What one of them does on its thread. */
    @FunctionalInterface
    public interface Task<T> {
        void run(T one) throws IOException, InterruptedException;
    }

    private Together() {}

    /**
     * Runs the task for each of them on a thread of its own and waits for all.
     *
     * @param name of the thread
     * @throws IOException the first failure, once all have ended
     */
    public static <T> void run(List<T> all, Function<T, String> name, Task<T> task)
            throws IOException, InterruptedException {
        AtomicReference<IOException> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (T one : all) {
            Thread thread = new Thread(
                    () -> {
                        try {
                            task.run(one);
                        } catch (IOException e) {
                            failure.compareAndSet(null, e);
                        } catch (InterruptedException e) {
                            failure.compareAndSet(null, new InterruptedIOException("interrupted"));
                        }
                    },
                    name.apply(one));
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
