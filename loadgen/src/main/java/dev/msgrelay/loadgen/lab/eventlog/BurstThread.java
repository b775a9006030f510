package dev.msgrelay.loadgen.lab.eventlog;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;

/** One of the article's threads: sleeps 1 to 5 ms, records a burst, and so on, until it is stopped. */
final class BurstThread extends Thread {
    private static final int MAX_PAUSE_MILLIS = 5;
    private static final int DIGITS = 3;
    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final Random random;
    private final EventBurst burst;
    private final BooleanSupplier measuring;
    private final Histogram times = new Histogram(LONGEST_NANOS, DIGITS);
    private final EventTally tally = new EventTally();
    private volatile boolean isRunning = true;
    private volatile Throwable failure;

    /**
     * @param measuring whether the warm-up is over
     */
    BurstThread(int number, EventLog logger, BooleanSupplier measuring) {
        super("event-log-burst-" + number);
        setDaemon(true);
        random = new Random(number);
        burst = new EventBurst(random, logger);
        this.measuring = measuring;
    }

    @Override
    public void run() {
        try {
            while (isRunning) {
                Thread.sleep(1 + random.nextInt(MAX_PAUSE_MILLIS));
                boolean measured = measuring.getAsBoolean();
                long start = System.nanoTime();
                burst.run();
                long time = System.nanoTime() - start;
                burst.addTo(tally);
                if (measured) {
                    times.recordValue(Math.min(time, LONGEST_NANOS));
                }
            }
        } catch (InterruptedException | RuntimeException e) {
            failure = e;
        }
    }

    /** After the burst that it is at. */
    void finish() {
        isRunning = false;
    }

    /** What ended it early, or null. */
    Throwable failure() {
        return failure;
    }

    /** Nanoseconds per burst; once the thread has ended. */
    Histogram times() {
        return times;
    }

    /** Everything it recorded, warm-up included; once the thread has ended. */
    EventTally tally() {
        return tally;
    }
}
