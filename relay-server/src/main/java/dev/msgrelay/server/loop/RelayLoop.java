package dev.msgrelay.server.loop;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ManualIoEventLoop;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One event loop and its thread. After each round of socket events it does the relay's own {@link Work} (drain the ring,
 * send to subscribers), so that what several sockets brought in one round is packed once and sent once; it sleeps in the
 * selector only when there is nothing of either kind.
 *
 * <pre>
 *   socket events, tasks --> work --> more work?  yes: look at the sockets without sleeping
 *                                                 no:  parked = true, look once more, sleep in the selector
 * </pre>
 */
public final class RelayLoop {
    /** What is done after each round of socket events, on the loop's thread. */
    public interface Work {
        /** Does some; answers whether there is more to do right away. */
        boolean run();

        /** Whether something waits that was not there at the last {@link #run}: asked just before the loop sleeps. */
        boolean pending();

        /** How long the loop may sleep at most when nothing is pending, in nanoseconds; 0: until it is woken. */
        default long sleepNanos() {
            return 0;
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(RelayLoop.class);

    /** Tasks of the loop may take this long before sockets are looked at again. */
    private static final long MAX_TASK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private static final Runnable NOTHING = () -> {};

    private final ManualIoEventLoop loop;
    private final Thread thread;
    private final AtomicBoolean parked = new AtomicBoolean();
    private Work work;

    public RelayLoop(String name, IoHandlerFactory transport) {
        loop = new ManualIoEventLoop(null, transport);
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
    }

    /** Starts the loop's thread; {@code work} is done on it from now on. */
    public void start(Work whatToDo) {
        work = whatToDo;
        loop.setOwningThread(thread);
        thread.start();
    }

    /** The Netty side of the loop: to register channels, to execute and schedule tasks. */
    public ManualIoEventLoop io() {
        return loop;
    }

    /** Has the loop do something every so often. A failure is logged, and does not end it. Any thread. */
    public void every(long millis, Runnable task) {
        Runnable guarded = () -> {
            try {
                task.run();
            } catch (RuntimeException e) {
                LOG.error("{}: unexpected failure, the loop goes on", thread.getName(), e);
            }
        };
        loop.scheduleWithFixedDelay(guarded, millis, millis, TimeUnit.MILLISECONDS);
    }

    /** Registers a channel with the loop. Any thread. */
    @SuppressWarnings("deprecation") // a loop of one's own is no group with a bootstrap of its own
    public ChannelFuture register(Channel channel) {
        return loop.register(channel);
    }

    /**
     * Hands a channel to another loop. It is nobody's until it has arrived: nothing is read or written. On the thread of the
     * loop it is registered with.
     *
     * @param arrival told on the other loop when that one has it, or of the failure if it has been closed on the way; not
     *     told of a channel that was closed before it left, which its handlers are
     */
    @SuppressWarnings("deprecation") // as above
    public static void move(Channel channel, RelayLoop to, ChannelFutureListener arrival) {
        channel.deregister().addListener(gone -> {
            if (channel.isOpen()) {
                // It is told before the other loop reads anything, which a listener that is added later may not be.
                to.loop.register(new DefaultChannelPromise(channel, to.loop).addListener(arrival));
            }
        });
    }

    /** Whether this JVM tells how much processor time a thread has used. */
    public static boolean tellsCpuTime() {
        return THREADS.isThreadCpuTimeSupported() && THREADS.isThreadCpuTimeEnabled();
    }

    /** Processor time that the loop's thread has used, in nanoseconds; -1 once it has ended. A call of the kernel. Any thread. */
    public long cpuNanos() {
        return THREADS.getThreadCpuTime(thread.getId());
    }

    /** Whether the loop sleeps or is about to. Any thread. */
    public boolean asleep() {
        return parked.get();
    }

    /**
     * Wakes the loop if it sleeps or is about to. Any thread. The caller has made visible what there is to do, followed
     * by a full fence; without work to do it costs one read of a field that rarely changes.
     */
    public void signal() {
        if (parked.getPlain() && parked.compareAndSet(true, false)) {
            // A task, not the loop's bare wakeup(): that one is lost while the loop is about to sleep but has not told
            // its selector yet. For tasks it looks once more after it has.
            loop.execute(NOTHING);
        }
    }

    /** Stops the loop once its tasks are done and waits for its thread. */
    public boolean stop(long timeoutMillis) throws InterruptedException {
        loop.shutdownGracefully(0, timeoutMillis, TimeUnit.MILLISECONDS);
        thread.join(timeoutMillis + 1000);
        return !thread.isAlive();
    }

    private void run() {
        boolean more = false;
        while (!loop.isTerminated()) {
            try {
                if (more) {
                    loop.runNow(MAX_TASK_NANOS);
                } else {
                    parkedRun();
                }
                more = work.run();
            } catch (Throwable t) {
                // Sessions handle their own faults; what arrives here is a fault of the relay, said loudly.
                LOG.error("{}: unexpected failure, the loop goes on", thread.getName(), t);
                more = false;
            }
        }
    }

    private void parkedRun() {
        // Volatile: whoever adds work after this sees it, whoever added before is seen by pending().
        parked.set(true);
        if (work.pending()) {
            parked.set(false);
            loop.runNow(MAX_TASK_NANOS);
        } else {
            loop.run(work.sleepNanos(), MAX_TASK_NANOS);
            parked.set(false);
        }
    }
}
