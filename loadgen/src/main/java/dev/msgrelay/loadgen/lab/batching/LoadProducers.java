package dev.msgrelay.loadgen.lab.batching;

import dev.msgrelay.loadgen.load.Schedule;
import dev.msgrelay.loadgen.worker.Waiter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Threads that send for some time, as fast as they can or as messages arrive. A message that arrives while its thread is
 * still busy with an earlier one carries the time at which it arrived. The controlling thread owns it.
 */
final class LoadProducers implements AutoCloseable {
    /** Every thread sleeps by then. */
    private static final long START_NANOS = 5_000_000;

    private final List<Thread> threads = new ArrayList<>();
    private final long[] sent;
    private final CountDownLatch ready;
    private final CountDownLatch go = new CountDownLatch(1);
    private volatile Plan plan;
    private volatile boolean ended;
    private volatile IOException failure;

    /**
     * When to send.
     *
     * @param rate messages a second of each thread, all at the same moments; 0 for as fast as it goes
     */
    private record Plan(long startNanos, long endNanos, long rate) {}

    LoadProducers(int producers, int body, Sender sender) {
        ready = new CountDownLatch(producers);
        sent = new long[producers];
        for (int id = 0; id < producers; id++) {
            int index = id;
            Frame frame = new Frame(id, body);
            Sender.Outlet outlet = sender.newOutlet();
            Thread thread = new Thread(() -> run(index, frame, outlet), "producer-" + id);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
    }

    /**
     * Lets them go once all are there.
     *
     * @param rate messages a second of each thread, all at the same moments; 0 for as fast as it goes
     * @return when they start
     */
    long start(long nanos, long rate) throws InterruptedException {
        ready.await();
        long start = System.nanoTime() + START_NANOS;
        plan = new Plan(start, start + nanos, rate);
        go.countDown();
        return start;
    }

    private void run(int id, Frame frame, Sender.Outlet outlet) {
        Waiter.sharpenTimer();
        Waiter waiter = new Waiter(0);
        ready.countDown();
        try {
            go.await();
            if (ended) {
                return;
            }
            waiter.awaitMoment(plan.startNanos());
            sent[id] = plan.rate() == 0 ? atFullSpeed(frame, outlet, plan) : asTheyArrive(frame, outlet, plan, waiter);
        } catch (IOException e) {
            failure = e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private long atFullSpeed(Frame frame, Sender.Outlet outlet, Plan plan) throws IOException, InterruptedException {
        long number = 0;
        long now;
        while ((now = System.nanoTime()) < plan.endNanos() && !ended) {
            outlet.send(frame.of(number, now));
            number++;
        }
        return number;
    }

    private long asTheyArrive(Frame frame, Sender.Outlet outlet, Plan plan, Waiter waiter)
            throws IOException, InterruptedException {
        Schedule schedule = Schedule.staggered(plan.startNanos(), plan.rate(), 1, 0, 1);
        long number = 0;
        long due;
        while ((due = schedule.intended(number)) < plan.endNanos() && !ended) {
            if (waiter.awaitMoment(due) >= plan.endNanos()) {
                break;
            }
            outlet.send(frame.of(number, due));
            number++;
        }
        return number;
    }

    /**
     * Waits for the end of all.
     *
     * @return the messages of each
     * @throws IOException what one of them failed with
     */
    long[] awaitEnd() throws IOException {
        for (Thread thread : threads) {
            Ending.join(thread);
        }
        if (failure != null) {
            throw new IOException(failure.getMessage(), failure);
        }
        return sent.clone();
    }

    @Override
    public void close() throws IOException {
        ended = true;
        go.countDown();
        for (Thread thread : threads) {
            Ending.join(thread);
        }
    }
}
