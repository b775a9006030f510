package dev.msgrelay.cluster;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** A thread of a node, which never ends in silence: what its work throws, an error of the JVM too, is the end of the node. */
final class NodeThread {
    private static final long END_MILLIS = 5_000;

    private final Runnable work;
    private final Consumer<Throwable> failed;
    private final Thread thread;

    /**
     * @param work until it is told to end
     * @param failed told what it has thrown
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

    /** For threads that Aeron starts: whether they throw something or not, their end is that of the node. */
    static ThreadFactory factory(Runnable ended) {
        return task -> {
            Runnable work = () -> {
                try {
                    task.run();
                } finally {
                    ended.run();
                }
            };
            return new Thread(work, "relay-cluster");
        };
    }

    private void run() {
        try {
            work.run();
        } catch (Throwable e) {
            failed.accept(e);
        }
    }

    /** Wakes it, and waits for its end, which its work was told of, for a while at most; not where it waits for itself. */
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
