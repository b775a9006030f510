package dev.msgrelay.lab.eventlog;

import dev.msgrelay.lab.Column;
import dev.msgrelay.lab.Contestant.Go;
import dev.msgrelay.lab.Measurement;
import dev.msgrelay.lab.Opener;
import dev.msgrelay.lab.Threads;
import dev.msgrelay.lab.WrongResultException;
import dev.msgrelay.lab.eventlog.EventLog.Event;
import dev.msgrelay.loadgen.render.Chart.Series.Point;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * One way of logging: threads record bursts into a new log for a while; the log is closed, and its file is read back and
 * compared with what was recorded.
 */
record EventLogGo(Opener<Path, EventLog> opener, int threads, Duration duration) {
    static final Column MEAN = Column.lower("mean", "ms");
    static final Column MAX = Column.lower("max", "ms");
    static final Column DEVIATION = Column.lower("std deviation", "ms");
    static final Column RATE = Column.higher("bursts", "1/s");
    static final Column COUNT = Column.plain("count", "");

    static final List<Column> SHOWN = List.of(MEAN, MAX, DEVIATION, RATE, COUNT);

    private static final int ROUNDS = 200;

    /** Those of a burst. */
    static final int EVENTS = 3 * ROUNDS;

    /** The points of the plot: one in so many bursts takes longer. */
    private static final int[] ONE_IN = {1, 2, 4, 10, 20, 40, 100, 200, 400, 1_000, 2_000, 4_000, 10_000, 100_000};

    Measurement go(Go go) throws IOException, InterruptedException, WrongResultException {
        Path file = go.scratch().resolve("event-log");
        try {
            List<BurstThread> bursts = record(file, go.time(duration));
            check(file, bursts);
            return measurement(bursts);
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /** Before the measured part of a go, with the log just opened. */
    static Duration leadIn(Duration duration) {
        return duration.dividedBy(5);
    }

    /** Ends with the log closed and all threads ended. */
    private List<BurstThread> record(Path file, Duration time) throws IOException, InterruptedException {
        List<BurstThread> bursts = new ArrayList<>();
        try (EventLog log = opener.open(file)) {
            for (int i = 0; i < threads; i++) {
                bursts.add(new BurstThread(i, log));
            }
            try {
                bursts.forEach(Thread::start);
                TimeUnit.NANOSECONDS.sleep(leadIn(time).toNanos());
                bursts.forEach(thread -> thread.measuring = true);
                TimeUnit.NANOSECONDS.sleep(time.toNanos());
            } finally {
                bursts.forEach(thread -> thread.ending = true);
                for (BurstThread thread : bursts) {
                    Threads.join(thread);
                }
            }
        }
        return bursts;
    }

    private static void check(Path file, List<BurstThread> bursts) throws IOException, WrongResultException {
        EventTally recorded = new EventTally();
        for (BurstThread thread : bursts) {
            if (thread.failure != null) {
                throw new IOException("an event could not be recorded: " + thread.failure, thread.failure);
            }
            recorded.add(thread.tally);
        }
        // The one that does nothing has no file.
        if (Files.exists(file)) {
            String problem = recorded.problem(file);
            if (problem != null) {
                throw new WrongResultException(problem);
            }
        }
    }

    private Measurement measurement(List<BurstThread> bursts) throws IOException {
        Histogram times = new Histogram(bursts.get(0).times);
        for (BurstThread thread : bursts) {
            times.add(thread.times);
        }
        if (times.getTotalCount() == 0) {
            throw new IOException("no burst within " + duration.toMillis() + " ms: give it longer");
        }
        return Measurement.of(MEAN, times.getMean() / 1e6)
                .and(MAX, times.getMaxValue() / 1e6)
                .and(DEVIATION, times.getStdDeviation() / 1e6)
                .and(RATE, times.getTotalCount() * 1e9 / duration.toNanos())
                .and(COUNT, times.getTotalCount())
                .withCurve(percentiles(times));
    }

    /** As far as there are bursts enough to speak of. */
    private static List<Point> percentiles(Histogram times) {
        List<Point> points = new ArrayList<>();
        for (int oneIn : ONE_IN) {
            if (oneIn <= times.getTotalCount()) {
                double percentile = 100.0 - 100.0 / oneIn;
                points.add(new Point(oneIn, times.getValueAtPercentile(percentile) / 1e6));
            }
        }
        return points;
    }

    /**
     * One of the article's threads: sleeps 1 to 5 ms, makes and records a burst of 600 events, and so on, until it is stopped.
     * Its figures are asked for after its end.
     */
    private static final class BurstThread extends Thread {
        private static final int MEDIUM = 48;
        private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(10);

        private final Random random;
        private final EventLog log;

        /** Nanoseconds per burst, without the warm-up's. */
        private final Histogram times = new Histogram(LONGEST_NANOS, 3);

        /** Everything it recorded, warm-up included. */
        private final EventTally tally = new EventTally();

        /** The events of the last burst: they are tallied once its time is taken. */
        private final List<Event> recorded = new ArrayList<>(EVENTS);

        private volatile boolean measuring;
        private volatile boolean ending;
        private volatile Throwable failure;

        BurstThread(int number, EventLog log) {
            super("event-log-burst-" + number);
            setDaemon(true);
            random = new Random(number);
            this.log = log;
        }

        @Override
        public void run() {
            try {
                while (!ending) {
                    Thread.sleep(1 + random.nextInt(5));
                    boolean measured = measuring;
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
                byte[] data = new byte[96];
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
    }
}
