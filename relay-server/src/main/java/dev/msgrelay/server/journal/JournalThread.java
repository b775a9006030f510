package dev.msgrelay.server.journal;

import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** A thread that repeats a duty, and sleeps while there is nothing to do. It is never interrupted. */
final class JournalThread extends Thread {
    interface Duty {
        /** Does one short step. Returns how long the thread may sleep before the next step, in ns; 0: not at all. */
        long step(long nanos, long millis);
    }

    /** The longest sleep. A thread must also wake for work that depends only on the time. */
    static final long SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** If two reads of the clocks are further apart than this, the process was stopped in between. */
    private static final long APART_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Runnable look;
    private final Duty duty;
    private final Consumer<Throwable> failure;
    private volatile boolean parked;
    private volatile boolean ended;

    /**
     * @param look called before each step, and before the clocks are read: nothing that it sees is newer than they are
     * @param failure receives the exception that ends the thread
     */
    JournalThread(String name, Runnable look, Duty duty, Consumer<Throwable> failure) {
        super(name);
        this.look = look;
        this.duty = duty;
        this.failure = failure;
        setDaemon(true);
    }

    /** Wakes this thread if it sleeps. Called on any thread, after the change that this thread must see. */
    void wake() {
        VarHandle.fullFence();
        if (parked) {
            LockSupport.unpark(this);
        }
    }

    /** Ends this thread after its current step. Any thread. */
    void endSoon() {
        ended = true;
        LockSupport.unpark(this);
    }

    private long stepNow() {
        look.run();
        return stepNow(duty);
    }

    /** One step with the present times. */
    static long stepNow(Duty duty) {
        long nanos = System.nanoTime();
        long millis = System.currentTimeMillis();
        // If the process was stopped between the reads, the clock would seem to step. So both are read again.
        while (System.nanoTime() - nanos > APART_NANOS) {
            nanos = System.nanoTime();
            millis = System.currentTimeMillis();
        }
        return duty.step(nanos, millis);
    }

    @Override
    public void run() {
        try {
            while (!ended) {
                if (stepNow() == 0) {
                    continue;
                }
                parked = true;
                VarHandle.fullFence();
                // One more step after the flag is set, because no thread wakes this one for a change made before.
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
