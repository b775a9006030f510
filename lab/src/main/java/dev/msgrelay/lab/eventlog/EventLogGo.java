package dev.msgrelay.lab.eventlog;

import dev.msgrelay.lab.Column;
import dev.msgrelay.lab.Contestant.Go;
import dev.msgrelay.lab.Measurement;
import dev.msgrelay.lab.Opener;
import dev.msgrelay.lab.Threads;
import dev.msgrelay.lab.WrongResultException;
import dev.msgrelay.loadgen.render.Chart.Series.Point;
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
 *
 * @param threads that record bursts
 * @param duration of the measured part of a go
 */
record EventLogGo(Opener<Path, EventLog> opener, int threads, Duration duration) {
    static final Column MEAN = Column.lower("mean", "ms");
    static final Column MAX = Column.lower("max", "ms");
    static final Column DEVIATION = Column.lower("std deviation", "ms");
    static final Column RATE = Column.higher("bursts", "1/s");
    static final Column COUNT = Column.plain("count", "");

    private static final Duration WARM_UP = Duration.ofSeconds(1);

    /** The points of the plot: one in so many bursts takes longer. */
    private static final int[] ONE_IN = {1, 2, 4, 10, 20, 40, 100, 200, 400, 1_000, 2_000, 4_000, 10_000, 100_000};

    Measurement go(Go go) throws IOException, InterruptedException, WrongResultException {
        Path file = go.scratch().resolve("event-log");
        try {
            Duration shorter = duration.compareTo(WARM_UP) < 0 ? duration : WARM_UP;
            List<BurstThread> bursts = record(file, go.isWarmUp() ? shorter : duration);
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
            AtomicBoolean measuring = new AtomicBoolean();
            for (int i = 0; i < threads; i++) {
                bursts.add(new BurstThread(i, log, measuring::get));
            }
            try {
                bursts.forEach(Thread::start);
                TimeUnit.NANOSECONDS.sleep(leadIn(time).toNanos());
                measuring.set(true);
                TimeUnit.NANOSECONDS.sleep(time.toNanos());
            } finally {
                bursts.forEach(BurstThread::finish);
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
            if (thread.failure() != null) {
                throw new IOException("an event could not be recorded: " + thread.failure(), thread.failure());
            }
            recorded.add(thread.tally());
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
        Histogram times = new Histogram(bursts.get(0).times());
        for (BurstThread thread : bursts) {
            times.add(thread.times());
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
}
