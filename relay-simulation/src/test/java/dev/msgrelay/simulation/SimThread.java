package dev.msgrelay.simulation;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;

/** A thread of the relay's that is none: what it is given is done when the run's one thread gets to it. */
public final class SimThread extends AbstractExecutorService {
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private boolean ended;

    /** Whether it has anything to do. */
    public boolean hasWork() {
        return !tasks.isEmpty();
    }

    /** Does what it was given first. */
    public void goOn() {
        tasks.remove().run();
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    @Override
    public void shutdown() {
        ended = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutdown();
        return List.copyOf(tasks);
    }

    @Override
    public boolean isShutdown() {
        return ended;
    }

    @Override
    public boolean isTerminated() {
        return ended && tasks.isEmpty();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return isTerminated();
    }
}
