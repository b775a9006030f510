package dev.msgrelay.lab.eventlog;

import dev.msgrelay.lab.eventlog.EventLog.Event;
import java.io.IOException;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;

/**
 * One of the article's threads: sleeps 1 to 5 ms, makes and records a burst of 600 events, and so on, until it is stopped.
 */
final class BurstThread extends Thread {
    private static final int MAX_PAUSE_MILLIS = 5;
    private static final int ROUNDS = 200;
    private static final int DATA = 96;
    private static final int MEDIUM = 48;
    private static final int DIGITS = 3;
    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(10);

    static final int EVENTS = 3 * ROUNDS;

    private final Random random;
    private final EventLog log;
    private final BooleanSupplier measuring;
    private final Histogram times = new Histogram(LONGEST_NANOS, DIGITS);
    private final EventTally tally = new EventTally();

    /** The events of the last burst: they are tallied once its time is taken. */
    private final List<Event> recorded = new ArrayList<>(EVENTS);

    private volatile boolean isRunning = true;
    private volatile Throwable failure;

    /**
     * @param measuring whether the warm-up is over
     */
    BurstThread(int number, EventLog log, BooleanSupplier measuring) {
        super("event-log-burst-" + number);
        setDaemon(true);
        random = new Random(number);
        this.log = log;
        this.measuring = measuring;
    }

    @Override
    public void run() {
        try {
            while (isRunning) {
                Thread.sleep(1 + random.nextInt(MAX_PAUSE_MILLIS));
                boolean measured = measuring.getAsBoolean();
                long start = System.nanoTime();
                burst();
                long time = System.nanoTime() - start;
                recorded.forEach(tally::add);
                recorded.clear();
                if (measured) {
                    times.recordValue(Math.min(time, LONGEST_NANOS));
                }
            }
        } catch (InterruptedException | IOException | RuntimeException e) {
            failure = e;
        }
    }

    private void burst() throws IOException {
        for (int i = 0; i < ROUNDS; i++) {
            byte[] data = new byte[DATA];
            random.nextBytes(data);
            String dataBase64 = Base64.getEncoder().encodeToString(data);
            String eventNo = System.currentTimeMillis() + "." + i;
            ZonedDateTime timestamp = ZonedDateTime.now(ZoneOffset.UTC);
            record(timestamp, "EventNo: " + eventNo + " Data:" + dataBase64);
            record(timestamp, "EventNo: " + eventNo + " Data: Small " + random.nextLong());
            record(timestamp, "EventNo: " + eventNo + " Data: medium  " + dataBase64.substring(0, MEDIUM));
        }
    }

    private void record(ZonedDateTime timestamp, String message) throws IOException {
        Event event = new Event(UUID.randomUUID(), timestamp, message);
        log.recordEvent(event);
        recorded.add(event);
    }

    /** After the burst that it is at. */
    void finish() {
        isRunning = false;
    }

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
