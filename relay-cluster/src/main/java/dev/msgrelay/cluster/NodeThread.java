package dev.msgrelay.cluster;

import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** A thread of a node. If its work throws, even an error of the JVM, the node ends. */
final class NodeThread {
    private static final long END_MILLIS = 5_000;

    private final Runnable work;
    private final Consumer<Throwable> failed;
    private final Thread thread;

    /**
     * @param work returns after it was told to end
     * @param failed gets an exception or error of the work
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
     * A factory of Aeron's threads. The node ends with the first of them, whether it has thrown or not.
     *
     * @param ended gets the exception or error that has ended a thread, if there is one
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
            // A thread that waits for a hanging disk must not delay the end of the program.
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

    /** Wakes the thread, whose work was told to end, and waits at most 5 s for it; not on the thread itself. */
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
