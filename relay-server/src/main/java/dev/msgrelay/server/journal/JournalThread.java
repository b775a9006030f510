package dev.msgrelay.server.journal;

import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** A thread that repeats one duty, and sleeps while the duty has nothing to do. It is never interrupted. */
final class JournalThread {
    interface Duty {
        /**
         * One bounded step.
         *
         * @param nanos of a clock that only goes forward
         * @param millis since 1970
         * @return the time for which the thread may sleep unless it is woken, in ns; 0: the next step is due at once
         */
        long step(long nanos, long millis);
    }

    /** The longest sleep of a thread that nobody wakes: some work depends on the time alone. */
    static final long SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** More than two looks at clocks take, unless the process is stopped in between. */
    private static final long APART_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Duty duty;
    private final Consumer<Throwable> failure;
    private final Thread thread;
    private volatile boolean parked;
    private volatile boolean ended;

    /** @param failure gets the exception that ends the thread */
    JournalThread(String name, Duty duty, Consumer<Throwable> failure) {
        this.duty = duty;
        this.failure = failure;
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Wakes the thread if it sleeps. Any thread, after its changes have been made visible. */
    void wake() {
        VarHandle.fullFence();
        if (parked) {
            LockSupport.unpark(thread);
        }
    }

    /** Ends the thread after its current step. Any thread. */
    void tellEnd() {
        ended = true;
        LockSupport.unpark(thread);
    }

    Thread thread() {
        return thread;
    }

    private long stepNow() {
        long nanos = System.nanoTime();
        long millis = System.currentTimeMillis();
        // Both clocks are read at one moment: a stop of the process in between would look like a step of the clock.
        while (System.nanoTime() - nanos > APART_NANOS) {
            nanos = System.nanoTime();
            millis = System.currentTimeMillis();
        }
        return duty.step(nanos, millis);
    }

    private void run() {
        try {
            while (!ended) {
                if (stepNow() == 0) {
                    continue;
                }
                parked = true;
                VarHandle.fullFence();
                // One more step behind the flag: a thread that changed something before it did not wake this one.
                long sleep = stepNow();
                if (sleep > 0 && !ended) {
                    LockSupport.parkNanos(this, sleep);
                }
                parked = false;
            }
        } catch (Throwable e) {
            failure.accept(e);
        }
    }
}
