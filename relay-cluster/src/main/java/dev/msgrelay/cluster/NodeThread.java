package dev.msgrelay.cluster;

import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * A thread of a node, which never ends in silence: a throwable of its work, an error of the JVM too, is the end of the
 * node.
 */
final class NodeThread {
    private static final long END_MILLIS = 5_000;

    private final Runnable work;
    private final Consumer<Throwable> failed;
    private final Thread thread;

    /**
     * @param work runs until it is told to end
     * @param failed gets what the work has thrown
     */
    NodeThread(String name, Runnable work, Consumer<Throwable> failed) {
        this.work = work;
        this.failed = failed;
        this.thread = new Thread(this::run, name);
        this.thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /**
     * Returns a factory of threads for Aeron: whether they throw something or not, their end is that of the node.
     *
     * @param ended gets what a thread has thrown at its end, if anything
     */
    static ThreadFactory factory(Consumer<Optional<Throwable>> ended) {
        return task -> {
            Runnable work = () -> {
                Optional<Throwable> thrown = Optional.empty();
                try {
                    task.run();
                } catch (Throwable e) {
                    thrown = Optional.of(e);
                }
                ended.accept(thrown);
            };
            Thread thread = new Thread(work, "relay-cluster");
            // One that hangs in a disk must not hold up the end of the program.
            thread.setDaemon(true);
            return thread;
        };
    }

    private void run() {
        try {
            work.run();
        } catch (Throwable e) {
            failed.accept(e);
        }
    }

    /**
     * Wakes the thread, whose work was told to end, and waits for its end for a while at most; not from within the
     * work.
     */
    void awaitEnd() {
        if (thread == Thread.currentThread()) {
            return;
        }
        LockSupport.unpark(thread);
        try {
            thread.join(END_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
