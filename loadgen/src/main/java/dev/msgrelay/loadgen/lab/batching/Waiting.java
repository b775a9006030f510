package dev.msgrelay.loadgen.lab.batching;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** How a batching thread waits for the next message. One thread waits; any may wake it. */
final class Waiting {
    private final Wait strategy;
    private volatile Thread sleeper;
    private volatile boolean ended;

    Waiting(Wait strategy) {
        this.strategy = strategy;
    }

    /** Waits until there is something; false when there is nothing and nothing more will come. */
    boolean await(BooleanSupplier something) {
        while (!something.getAsBoolean()) {
            if (ended) {
                // What came before the end is seen by now.
                return something.getAsBoolean();
            }
            if (strategy == Wait.YIELD) {
                Thread.yield();
                continue;
            }
            sleeper = Thread.currentThread();
            if (!something.getAsBoolean() && !ended) {
                LockSupport.park(this);
            }
            sleeper = null;
        }
        return true;
    }

    /** There is something: wakes the thread if it sleeps. */
    void signal() {
        Thread thread = sleeper;
        if (thread != null) {
            LockSupport.unpark(thread);
        }
    }

    /** Nothing more will come. */
    void end() {
        ended = true;
        signal();
    }
}
