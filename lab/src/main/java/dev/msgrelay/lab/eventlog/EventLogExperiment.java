package dev.msgrelay.lab.eventlog;

import dev.msgrelay.lab.ArticleFigures;
import dev.msgrelay.lab.Chart.Axis;
import dev.msgrelay.lab.Chart.Series.Point;
import dev.msgrelay.lab.Claim;
import dev.msgrelay.lab.Column;
import dev.msgrelay.lab.Contestant;
import dev.msgrelay.lab.Contestant.Go;
import dev.msgrelay.lab.Contestant.Opener;
import dev.msgrelay.lab.Experiment;
import dev.msgrelay.lab.LabTable;
import dev.msgrelay.lab.Measurement;
import dev.msgrelay.lab.Needs;
import dev.msgrelay.lab.Plots;
import dev.msgrelay.lab.Threads;
import dev.msgrelay.lab.WrongResultException;
import dev.msgrelay.lab.eventlog.EventLog.Event;
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
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * Compares ways in which many threads write events into one file: with a lock, at reserved positions, in blocks, or by
 * a background thread.
 */
public final class EventLogExperiment {
    static final Column MEAN = Column.lower("mean", "ms");
    static final Column MAX = Column.lower("max", "ms");
    static final Column DEVIATION = Column.lower("std deviation", "ms");
    static final Column RATE = Column.higher("bursts", "1/s");
    static final Column COUNT = Column.plain("count", "");
    static final List<Column> SHOWN = List.of(MEAN, MAX, DEVIATION, RATE, COUNT);

    private static final String LOCKED_WRITER = "LockedWriter";
    private static final String LOCKED_STREAM = "LockedStream";
    private static final String ATOMIC = "AtomicPositionWrites";
    private static final String BUFFERED = "BufferedWrites";
    private static final String OFF_THREAD = "BufferedWritesOffThread";

    /**
     * The article measures for one minute, after two minutes of warm-up. It gives the number of bursts: 41,896, 46,795,
     * 43,633, 64,255, 66,660; here they are per second.
     */
    private static final ArticleFigures ARTICLE = ArticleFigures.of(SHOWN, """
            LockedWriter            | 19.843 | 241.566 | 8.568 | 698.27
            LockedStream            | 17.440 |  62.194 | 3.846 | 779.92
            AtomicPositionWrites    | 18.896 |  36.209 | 2.133 | 727.22
            BufferedWrites          | 11.851 |  56.820 | 4.852 | 1070.92
            BufferedWritesOffThread | 11.322 |  39.682 | 4.152 | 1111.00
            """);

    private static final List<Claim> CLAIMS = List.of(
            Claim.better("converting outside the lock improves the tail", MAX, LOCKED_STREAM, LOCKED_WRITER),
            Claim.better("without locks the worst case gets better", MAX, ATOMIC, LOCKED_STREAM),
            Claim.better("without locks the average is higher", MEAN, LOCKED_STREAM, ATOMIC),
            Claim.better("buffering reduces the latency", MEAN, BUFFERED, ATOMIC),
            Claim.better("buffering creates higher outliers", MAX, ATOMIC, BUFFERED),
            Claim.better("background writes reduce the latency", MEAN, OFF_THREAD, BUFFERED),
            Claim.better("background writes avoid the spikes of bulk writes", MAX, OFF_THREAD, BUFFERED),
            Claim.better("less contention improves the tail massively", MAX, OFF_THREAD, LOCKED_WRITER));

    /** Bytes that a thread collects, in the contestants that collect events. */
    static final int BLOCK = 8 * 1024;

    /** Number of threads that write: with fewer there is hardly any contention. */
    private static final int THREADS = Math.max(4, Runtime.getRuntime().availableProcessors());

    private EventLogExperiment() {}

    public static Experiment of(Experiment.Settings settings) {
        Duration duration = settings.duration(Duration.ofSeconds(5), Duration.ofMillis(400));
        // The disk space: a line has 170 bytes on average, a thread sleeps 3 ms on average between two bursts, and the
        // warm-up takes a fifth more.
        long bursts = THREADS * duration.toMillis() * 6 / 5 / 3;
        return new Experiment(
                "event-log",
                "How long does a burst of log events hold up the threads that write it, on average and at worst?",
                "Synchronizing File Writes, 2019",
                "a cloud machine of 16 cores, OpenJDK 13; about 16 threads, by its figures; one minute each",
                new Needs(bursts * Bursts.EVENTS * 170, 8, THREADS),
                () -> List.of(table(duration)),
                () -> {});
    }

    private static LabTable table(Duration duration) {
        List<Contestant> rows = List.of(
                row("NullLogger", file -> event -> {}, duration),
                row(LOCKED_WRITER, EventLog.LockedWriter::new, duration),
                row(LOCKED_STREAM, EventLog.LockedStream::new, duration),
                row(ATOMIC, file -> new EventLog.PositionWrites(file, 0), duration),
                row(BUFFERED, file -> new EventLog.PositionWrites(file, BLOCK), duration),
                row(OFF_THREAD, BufferedWritesOffThread::new, duration),
                row("Disruptor, batched writes", DisruptorBatches::new, duration));
        return new LabTable(
                "bursts",
                "time of a burst of " + Bursts.EVENTS + " events, " + THREADS
                        + " threads that sleep 1 to 5 ms in between, for " + duration.toMillis()
                        + " ms; making the events is within the time",
                SHOWN,
                rows,
                ARTICLE,
                table -> Claim.judge(CLAIMS, table),
                List.of(Plots.ofCurves(
                        "time of a burst, by percentile",
                        Axis.log("one burst in so many takes longer"),
                        Axis.linear("ms"))));
    }

    private static Contestant row(String name, Opener<Path, EventLog> opener, Duration duration) {
        return new Contestant(name, "", new Bursts(opener, THREADS, duration)::go);
    }

    /**
     * Measures one way of logging: threads record bursts of events in a new log for some time. Then the log is closed,
     * and its file is compared with the recorded events.
     */
    record Bursts(Opener<Path, EventLog> opener, int threads, Duration duration) {
        private static final int ROUNDS = 200;

        static final int EVENTS = 3 * ROUNDS;

        private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(10);

        /** The points of the plot: one in this many bursts takes longer. */
        private static final int[] ONE_IN = {1, 2, 4, 10, 20, 40, 100, 200, 400, 1_000, 2_000, 4_000, 10_000, 100_000};

        Measurement go(Go go) throws IOException, InterruptedException, WrongResultException {
            Path file = go.scratch().resolve("event-log");
            try {
                EventTally recorded = new EventTally();
                Histogram times = new Histogram(LONGEST_NANOS, 3);
                for (BurstThread thread : record(file, go.time(duration))) {
                    if (thread.failure != null) {
                        throw new IOException("an event could not be recorded: " + thread.failure, thread.failure);
                    }
                    recorded.add(thread.tally);
                    times.add(thread.times);
                }
                // The NullLogger has no file.
                if (Files.exists(file)) {
                    recorded.verify(file);
                }
                return measurement(times);
            } finally {
                Files.deleteIfExists(file);
            }
        }

        private List<BurstThread> record(Path file, Duration time) throws IOException, InterruptedException {
            List<BurstThread> bursts = new ArrayList<>();
            try (EventLog log = opener.open(file)) {
                for (int i = 0; i < threads; i++) {
                    bursts.add(new BurstThread(i, log));
                }
                try {
                    bursts.forEach(Thread::start);
                    TimeUnit.NANOSECONDS.sleep(time.toNanos() / 5);
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

        private Measurement measurement(Histogram times) throws IOException {
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

        private static List<Point> percentiles(Histogram times) {
            return IntStream.of(ONE_IN)
                    .filter(oneIn -> oneIn <= times.getTotalCount())
                    .mapToObj(oneIn -> new Point(oneIn, times.getValueAtPercentile(100.0 - 100.0 / oneIn) / 1e6))
                    .toList();
        }

        /**
         * One of the article's threads. It repeats until it is stopped: it sleeps 1 to 5 ms, then creates and records a
         * burst of 600 events. Its figures are read after its end.
         */
        private static final class BurstThread extends Thread {
            private final Random random;
            private final EventLog log;

            /** Nanoseconds of each burst after the warm-up. */
            private final Histogram times = new Histogram(LONGEST_NANOS, 3);

            /** All events that it recorded, including the warm-up. */
            private final EventTally tally = new EventTally();

            /** The events of the last burst, which are added to the tally after its time was taken. */
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
                    record(timestamp, "EventNo: " + eventNo + " Data: medium  " + dataBase64.substring(0, 48));
                }
            }

            private void record(ZonedDateTime timestamp, String message) throws IOException {
                Event event = new Event(UUID.randomUUID(), timestamp, message);
                log.recordEvent(event);
                recorded.add(event);
            }
        }
    }
}
