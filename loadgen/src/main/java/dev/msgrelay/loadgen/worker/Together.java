package dev.msgrelay.loadgen.worker;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Several that do the same: a thread for each, all at the same time. */
public final class Together {
    /** The work of one of them on its thread. */
    @FunctionalInterface
    public interface Task<T> {
        void run(T one) throws IOException, InterruptedException;
    }

    private Together() {}

    /**
     * Runs the task for each of them on a thread of its own, that of one alone on the caller's, and waits for all.
     *
     * @throws IOException a failure, once all have ended
     */
    public static <T> void run(List<T> all, Task<T> task) throws IOException, InterruptedException {
        if (all.size() == 1) {
            task.run(all.get(0));
            return;
        }
        ExecutorService threads = Executors.newFixedThreadPool(all.size());
        try {
            List<Callable<Void>> tasks =
                    all.stream().map(one -> task(task, one)).toList();
            for (Future<Void> each : threads.invokeAll(tasks)) {
                each.get();
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException io
                    ? io
                    : new IOException(e.getCause().toString(), e.getCause());
        } finally {
            threads.shutdown();
        }
    }

    private static <T> Callable<Void> task(Task<T> task, T one) {
        return () -> {
            task.run(one);
            return null;
        };
    }
}
