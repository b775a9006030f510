package dev.msgrelay.loadgen.lab.eventlog;

import dev.msgrelay.loadgen.lab.Column;
import dev.msgrelay.loadgen.lab.Contestant;
import dev.msgrelay.loadgen.lab.Go;
import dev.msgrelay.loadgen.lab.Measurement;
import dev.msgrelay.loadgen.lab.Point;
import dev.msgrelay.loadgen.lab.WrongResultException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.HdrHistogram.Histogram;

/**
 * One way of logging: threads record bursts into a new log for a while; the log is closed, and its file is read back and
 * compared with what was recorded.
 */
final class EventLogGo implements Contestant {
    static final Column MEAN = Column.lower("mean", "ms");
    static final Column MAX = Column.lower("max", "ms");
    static final Column DEVIATION = Column.lower("std deviation", "ms");
    static final Column RATE = Column.higher("bursts", "1/s");
    static final Column COUNT = Column.plain("count", "");

    private static final double MILLI = 1e6;
    private static final double NANOS = 1e9;
    private static final Duration WARM_UP = Duration.ofSeconds(1);

    /** A burst takes far less, whatever the log; then something hangs. */
    private static final long END_SECONDS = 60;

    /** Of the plot: one in so many bursts takes longer. */
    private static final int[] ONE_IN = {1, 2, 4, 10, 20, 40, 100, 200, 400, 1_000, 2_000, 4_000, 10_000, 100_000};

    /** Opens a log on a file that is not there yet. */
    @FunctionalInterface
    interface Opener {
        EventLog open(Path file) throws IOException;
    }

    private final String name;
    private final Opener opener;
    private final EventLogOptions options;

    EventLogGo(String name, Opener opener, EventLogOptions options) {
        this.name = name;
        this.opener = opener;
        this.options = options;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void warmUp(Go go) throws IOException, InterruptedException, WrongResultException {
        Duration shorter = options.duration().compareTo(WARM_UP) < 0 ? options.duration() : WARM_UP;
        run(go, new EventLogOptions(options.threads(), shorter, false));
    }

    @Override
    public Measurement go(Go go) throws IOException, InterruptedException, WrongResultException {
        return measurement(run(go, options), options.duration());
    }

    private List<BurstThread> run(Go go, EventLogOptions how)
            throws IOException, InterruptedException, WrongResultException {
        Path file = go.scratch().resolve("event-log");
        try {
            List<BurstThread> threads = record(file, how);
            check(file, threads);
            return threads;
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /** Ends with the log closed and all threads ended. */
    private List<BurstThread> record(Path file, EventLogOptions how) throws IOException, InterruptedException {
        List<BurstThread> threads = new ArrayList<>();
        try (EventLog log = opener.open(file)) {
            AtomicBoolean measuring = new AtomicBoolean();
            for (int i = 0; i < how.threads(); i++) {
                threads.add(new BurstThread(i, log, measuring::get));
            }
            try {
                threads.forEach(Thread::start);
                TimeUnit.NANOSECONDS.sleep(how.leadIn().toNanos());
                measuring.set(true);
                TimeUnit.NANOSECONDS.sleep(how.duration().toNanos());
            } finally {
                threads.forEach(BurstThread::finish);
                join(threads);
            }
        }
        return threads;
    }

    private static void join(List<BurstThread> threads) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(END_SECONDS);
        for (BurstThread thread : threads) {
            long left = deadline - System.nanoTime();
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
            if (thread.isAlive()) {
                throw new IOException("a burst did not end within " + END_SECONDS + " s");
            }
        }
    }

    private static void check(Path file, List<BurstThread> threads) throws IOException, WrongResultException {
        EventTally recorded = new EventTally();
        for (BurstThread thread : threads) {
            if (thread.failure() != null) {
                throw new IOException("an event could not be recorded: " + thread.failure(), thread.failure());
            }
            recorded.add(thread.tally());
        }
        // The one that does nothing has no file.
        if (Files.exists(file)) {
            String problem = EventFile.problem(file, recorded);
            if (problem != null) {
                throw new WrongResultException(problem);
            }
        }
    }

    private static Measurement measurement(List<BurstThread> threads, Duration duration) throws IOException {
        Histogram times = new Histogram(threads.get(0).times());
        for (BurstThread thread : threads) {
            times.add(thread.times());
        }
        if (times.getTotalCount() == 0) {
            throw new IOException("no burst within " + duration.toMillis() + " ms: give it longer");
        }
        return Measurement.of(MEAN, times.getMean() / MILLI)
                .and(MAX, times.getMaxValue() / MILLI)
                .and(DEVIATION, times.getStdDeviation() / MILLI)
                .and(RATE, times.getTotalCount() * NANOS / duration.toNanos())
                .and(COUNT, times.getTotalCount())
                .withCurve(percentiles(times));
    }

    /** As far as there are bursts enough to speak of. */
    private static List<Point> percentiles(Histogram times) {
        List<Point> points = new ArrayList<>();
        for (int oneIn : ONE_IN) {
            if (oneIn <= times.getTotalCount()) {
                double percentile = 100.0 - 100.0 / oneIn;
                points.add(new Point(oneIn, times.getValueAtPercentile(percentile) / MILLI));
            }
        }
        return points;
    }
}
