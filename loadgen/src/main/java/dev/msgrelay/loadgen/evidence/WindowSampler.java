package dev.msgrelay.loadgen.evidence;

import dev.msgrelay.loadgen.host.CpuGroups;
import dev.msgrelay.server.host.SystemTree;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Takes samples during one window, on a daemon thread of its own. The controller's thread starts it and waits for its
 * result.
 */
public final class WindowSampler implements AutoCloseable {
    /** The most samples in a window. Each costs some milliseconds, as the kernel walks a large table. */
    private static final int SAMPLES = 20;

    private static final long SHORTEST_STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(300);
    private static final long LONGEST_STEP_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The last sample is taken this long before the window's end, since publishers' threads end with the window. */
    private static final long BEFORE_END_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /**
     * With a schedule, the first sample is taken this long before the window, since a sample within it would disturb
     * the schedule.
     */
    private static final long BEFORE_BEGIN_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final int LOOKS_AHEAD = 3;
    private static final long AHEAD_STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** The longest wait for samples after the window's end. It is reached only if the machine stands still. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Sampler sampler;
    private final long begin;
    private final long end;
    private final boolean scheduled;
    private final FutureTask<Sampled> task = new FutureTask<>(this::look);
    private final Thread thread = new Thread(task, "bound-sampler");

    /** @param scheduled whether publishers send on a schedule, which samples within the window would disturb */
    public WindowSampler(
            SystemTree source, CpuGroups groups, Watched watched, long begin, long end, boolean scheduled) {
        this.sampler = new Sampler(source, groups, watched);
        this.begin = begin;
        this.end = end;
        this.scheduled = scheduled;
        thread.setDaemon(true);
        thread.start();
    }

    /** Returns the samples after the window's end; {@link Sampled#NOTHING} if they failed or took too long. */
    public Sampled sampled() throws InterruptedException {
        try {
            return task.get(Math.max(0, end - System.nanoTime()) + PATIENCE_NANOS, TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            return Sampled.NOTHING;
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }

    private Sampled look() throws InterruptedException {
        if (scheduled) {
            lookAround();
        } else {
            lookWithin();
        }
        return sampler.sampled();
    }

    private void lookWithin() throws InterruptedException {
        long last = end - Math.min(BEFORE_END_NANOS, (end - begin) / 4);
        sleepUntil(begin);
        sampler.first(System.nanoTime());
        long step = Math.min(LONGEST_STEP_NANOS, Math.max(SHORTEST_STEP_NANOS, (end - begin) / SAMPLES));
        for (long at = begin + step; at < last; at = Math.max(at, System.nanoTime()) + step) {
            sleepUntil(at);
            sampler.next(System.nanoTime());
        }
        sleepUntil(last);
        sampler.last(System.nanoTime());
    }

    /** Takes samples before and after the window. Threads with a schedule still run after the window. */
    private void lookAround() throws InterruptedException {
        for (int i = LOOKS_AHEAD; i > 0; i--) {
            sleepUntil(begin - BEFORE_BEGIN_NANOS - i * AHEAD_STEP_NANOS);
            sampler.sampleSockets();
        }
        sleepUntil(begin - BEFORE_BEGIN_NANOS);
        sampler.first(System.nanoTime());
        sleepUntil(end);
        sampler.last(System.nanoTime());
    }

    private static void sleepUntil(long moment) throws InterruptedException {
        long left;
        while ((left = moment - System.nanoTime()) > 0) {
            TimeUnit.NANOSECONDS.sleep(left);
        }
    }
}
