package dev.msgrelay.server.connection;

import dev.msgrelay.server.stream.WindowGate;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ManualIoEventLoop;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.concurrent.Ticker;
import java.lang.invoke.VarHandle;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * One thread and its duty cycle:
 *
 * <pre>
 *   cycle:  sockets (4 reads each), tasks --> duty: order, pack, send --> more?  yes: cycle again without sleeping
 *                                                                          no:  parked = true, look once more, sleep
 * </pre>
 *
 * What several sockets have brought in one cycle is packed once and sent once. No connection is written to while
 * another one is read. The thread sleeps in its selector, but only if neither the sockets nor the duty have work.
 */
public final class EngineLoop implements WindowGate.Writer {
    /** The work that the loop does in each cycle after its sockets and tasks. Called on the loop's thread. */
    @FunctionalInterface
    public interface Duty {
        /** Does a limited amount of work; returns whether there is more. */
        boolean work();

        /** Returns whether work has come since the last {@link #work}. Called just before the loop sleeps. */
        default boolean pending() {
            return false;
        }

        /** Returns for how many nanoseconds the loop may sleep; 0 if it may sleep until it is woken. */
        default long sleepNanos() {
            return 0;
        }
    }

    /** Longest time for which tasks run before the sockets are checked again. */
    private static final long MAX_TASK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Longest wait of {@link #awaitBetweenSteps}. A cycle takes a millisecond or two, but a busy host may delay it. */
    private static final long WRITER_MILLIS = 1_000;

    /** The duty of a loop without other work: one that only reads, or that only closes connections after a failure. */
    public static final Duty SOCKETS_ONLY = () -> false;

    private final ManualIoEventLoop io;
    private final Ticker clock;
    private final Thread thread;
    private final AtomicBoolean parked = new AtomicBoolean();
    private Duty duty;
    private Consumer<Throwable> onFailure;
    private boolean more;

    public EngineLoop(String name, IoHandlerFactory transport) {
        clock = Ticker.systemTicker();
        io = new ManualIoEventLoop(null, null, transport, clock);
        // Netty reuses objects only on a FastThreadLocalThread. Otherwise it would make new ones for each write.
        thread = new FastThreadLocalThread(this::run, name);
        thread.setDaemon(true);
    }

    /** Makes a loop that the calling thread drives, {@link #cycle} by cycle, with a clock of the caller's choice. */
    public EngineLoop(IoHandlerFactory transport, Ticker clock) {
        this.clock = clock;
        thread = Thread.currentThread();
        io = new ManualIoEventLoop(null, thread, transport, clock);
    }

    /**
     * Sets the loop's work from now on.
     *
     * @param failure gets an exception of the duty, on the loop's thread. The relay's state is in doubt then
     */
    public void duty(Duty work, Consumer<Throwable> failure) {
        duty = work;
        onFailure = failure;
    }

    public void start() {
        thread.start();
    }

    /** Returns Netty's event loop, with which channels are registered and which executes and schedules tasks. */
    public ManualIoEventLoop io() {
        return io;
    }

    /**
     * Returns the processor time of the loop's thread; 0 if the thread has ended, or if it is not measured. Any thread.
     */
    public long cpuNanos() {
        return Math.max(0, ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.getId()));
    }

    public long nanoTime() {
        return clock.nanoTime();
    }

    /** Runs a task at regular intervals, and passes the clock's time to the task. Any thread. */
    public void every(long millis, Consumer<Long> task) {
        Runnable guarded = () -> {
            try {
                task.accept(nanoTime());
            } catch (Throwable e) {
                onFailure.accept(e);
            }
        };
        io.scheduleWithFixedDelay(guarded, millis, millis, TimeUnit.MILLISECONDS);
    }

    /**
     * Moves a channel to another loop. During the move the channel is neither read nor written. On the channel's loop.
     *
     * @param arrival called on the other loop when the channel is registered there, or was closed on the way; not
     *     called for a channel that was closed before it left its loop
     */
    @SuppressWarnings("deprecation") // only this register() takes a promise with a listener
    public static void move(Channel channel, EngineLoop to, ChannelFutureListener arrival) {
        channel.deregister().addListener(gone -> {
            if (channel.isOpen()) {
                // The listener is added before the registration, so that the channel is not read before it runs.
                to.io.register(new DefaultChannelPromise(channel, to.io).addListener(arrival));
            }
        });
    }

    /** Returns whether the loop sleeps or is about to. Any thread. */
    public boolean asleep() {
        return parked.get();
    }

    /**
     * Wakes the loop if it sleeps or is about to. Any thread. Before the call, the caller writes the new work and then
     * executes a full fence. If the loop is awake, this only reads a field that rarely changes.
     */
    @Override
    public void signal() {
        if (parked.getPlain() && parked.compareAndSet(true, false)) {
            // A task is added, because a bare wakeup() is lost if Netty has not marked the loop as sleeping yet. Once
            // Netty has done so, it checks for tasks once more.
            io.execute(() -> {});
        }
    }

    /** Waits until a task has run. No append is under way then, since none outlasts one read, task or step. */
    @Override
    public void awaitBetweenSteps() {
        if (io.inEventLoop()) {
            return;
        }
        CountDownLatch between = new CountDownLatch(1);
        try {
            io.execute(between::countDown);
            between.await(WRITER_MILLIS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            // The loop has shut down, so it appends nothing any more.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Stops the loop when its tasks are done, and waits for its thread; returns whether the thread has ended. */
    public boolean stop(long timeoutMillis) throws InterruptedException {
        if (thread.getState() == Thread.State.NEW) {
            discard();
            return true;
        }
        io.shutdownGracefully(0, timeoutMillis, TimeUnit.MILLISECONDS);
        if (thread == Thread.currentThread()) {
            runToTheEnd();
            return true;
        }
        thread.join(timeoutMillis + 1000);
        return !thread.isAlive();
    }

    /** Waits for the end of the loop's thread, however long that takes; only after {@link #stop}. */
    public void awaitEnd() throws InterruptedException {
        thread.join();
    }

    /** Releases the transport of a loop that was never started. */
    public void discard() {
        io.setOwningThread(Thread.currentThread());
        io.shutdownGracefully(0, 0, TimeUnit.MILLISECONDS);
        runToTheEnd();
    }

    private void runToTheEnd() {
        while (!io.isTerminated()) {
            io.runNow();
        }
    }

    private void run() {
        io.setOwningThread(thread);
        while (!io.isTerminated()) {
            cycle();
        }
    }

    /** Runs one cycle, which begins with a sleep if nothing was left to do. On the loop's thread. */
    public void cycle() {
        try {
            if (more) {
                io.runNow(MAX_TASK_NANOS);
            } else {
                parkedRun();
            }
            try {
                more = duty.work();
            } catch (Throwable t) {
                // An exception in one connection is caught elsewhere. This one may have broken the order of the stream.
                duty = SOCKETS_ONLY;
                throw t;
            }
        } catch (Throwable t) {
            more = false;
            onFailure.accept(t);
        }
    }

    private void parkedRun() {
        // A thread that adds work after this line sees the flag, and wakes the loop. Work that was added earlier is
        // seen by pending(). The fence keeps pending() from reading its plain fields before the flag is set.
        parked.set(true);
        VarHandle.fullFence();
        if (duty.pending()) {
            parked.set(false);
            io.runNow(MAX_TASK_NANOS);
        } else {
            io.run(duty.sleepNanos(), MAX_TASK_NANOS);
            parked.set(false);
        }
    }
}
