package dev.msgrelay.server.journal;

import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** A thread that does one duty over and over, and sleeps while there is nothing to do. It is never interrupted. */
final class JournalThread {
    interface Duty {
        /**
         * One bounded step.
         *
         * @param nanos of a clock that only goes forward
         * @param millis since 1970
         * @return 0: there may be more to do at once; otherwise how long it may sleep unless it is woken, in ns
         */
        long step(long nanos, long millis);
    }

    /** The longest sleep without being woken: some work depends on the time alone. */
    static final long SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** Two looks at clocks take less, unless somebody stops the process. */
    private static final long APART_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Duty duty;
    private final Consumer<Throwable> failure;
    private final Thread thread;
    private volatile boolean parked;
    private volatile boolean ended;

    /** @param failure told what was thrown, which ends the thread */
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
        // Both are read at one moment: a process stopped between the two would take that for a step of the clock.
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
                // Work once more after the flag is up: a thread that came before it did not wake this one.
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
