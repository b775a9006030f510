package dev.msgrelay.lab.asyncfiles;

import dev.msgrelay.lab.ArticleFigures;
import dev.msgrelay.lab.Claim;
import dev.msgrelay.lab.Column;
import dev.msgrelay.lab.Contestant;
import dev.msgrelay.lab.Contestant.Go;
import dev.msgrelay.lab.Contestant.Opener;
import dev.msgrelay.lab.Experiment;
import dev.msgrelay.lab.LabTable;
import dev.msgrelay.lab.Measurement;
import dev.msgrelay.lab.Needs;
import dev.msgrelay.lab.WrongResultException;
import dev.msgrelay.lab.asyncfiles.RecordWriter.Asynchronous;
import dev.msgrelay.lab.asyncfiles.RecordWriter.Plain;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** Compares small writes into a file by a stream and by an asynchronous channel. */
public final class AsyncFilesExperiment {
    /** The rate as the article counts it: writes that were started. */
    static final Column GIVEN = Column.higher("writes begun", "1/s");

    /** The rate of writes that are in the file. */
    static final Column WRITTEN = Column.higher("writes done, with the closing", "1/s");

    static final Column THREADS = Column.plain("threads beside the caller's", "");

    static final String PLAIN = "plain write";
    static final String FORWARD = "default pool, not waiting";
    static final String FIXED_WAITING = "fixed pool, waiting";
    static final String FIXED_FORWARD = "fixed pool, not waiting";

    /** In the article the asynchronous channel had 10 threads in total instead of 5. */
    private static final ArticleFigures ARTICLE = ArticleFigures.of(List.of(GIVEN, THREADS), """
            plain write               | 367806.2 | 0
            default pool, not waiting | 190226.8 | 5
            """);

    private static final List<Claim> CLAIMS = List.of(
            Claim.better("even if you do not wait, conventional I/O is faster with one thread", GIVEN, PLAIN, FORWARD),
            Claim.better(
                    "(a comment) with a fixed pool it is much faster than conventional I/O, for the caller",
                    GIVEN,
                    FIXED_FORWARD,
                    PLAIN),
            Claim.better(
                    "(a comment) it is the default pool's threads that make it slow", GIVEN, FIXED_FORWARD, FORWARD),
            Claim.better(
                    "(a comment) synchronous I/O is always more efficient with one thread",
                    WRITTEN,
                    PLAIN,
                    FIXED_FORWARD));

    /** The most writes that are not completed yet, if the thread does not wait for each. */
    private static final int OUTSTANDING = 64;

    private static final int POOL = Runtime.getRuntime().availableProcessors();

    private AsyncFilesExperiment() {}

    public static Experiment of(Experiment.Settings settings) {
        // The article measures for one second.
        Duration duration = settings.duration(Duration.ofSeconds(1), Duration.ofMillis(400));
        return new Experiment(
                "async-files",
                "Is an asynchronous file channel faster than plain writes, does waiting for it cost, and is all written?",
                "Java 7: NIO.2 File Channels on the test bench, Part 1, 2012",
                "Core i5-2310 at 2.9 GHz, four cores, Windows 7, Java 7; \"Hello\" written over and over",
                // The disk space is enough for ten million writes a second, which no machine reaches.
                new Needs(RecordWriter.SIZE * 10_000 * duration.toMillis(), 8, 1 + POOL),
                () -> List.of(table(duration)),
                () -> {});
    }

    private static LabTable table(Duration duration) {
        Set<Long> others = Set.copyOf(Writes.cpuTimes().keySet());
        List<Contestant> rows = List.of(
                row(PLAIN, Plain::new, duration, others),
                row("default pool, waiting", file -> new Asynchronous(file, 0, 0), duration, others),
                row(FIXED_WAITING, file -> new Asynchronous(file, POOL, 0), duration, others),
                row(FORWARD, file -> new Asynchronous(file, 0, OUTSTANDING), duration, others),
                row(FIXED_FORWARD, file -> new Asynchronous(file, POOL, OUTSTANDING), duration, others));
        return new LabTable(
                "writes",
                "one thread writes records of " + RecordWriter.SIZE + " bytes for " + duration.toMillis()
                        + " ms; a fixed pool of " + POOL + "; where it does not wait, up to " + OUTSTANDING
                        + " writes on their way",
                List.of(GIVEN, WRITTEN, THREADS),
                rows,
                ARTICLE,
                table -> Claim.judge(CLAIMS, table),
                List.of());
    }

    private static Contestant row(String name, Opener<Path, RecordWriter> opener, Duration duration, Set<Long> others) {
        return new Contestant(name, "", new Writes(opener, duration.toNanos(), others)::go);
    }

    /**
     * Measures one way of writing: writes records into a new file for some time, closes the file, and checks its
     * content. Threads in {@code others} existed before the first go; threads that started later belong to the
     * channels.
     */
    record Writes(Opener<Path, RecordWriter> opener, long nanos, Set<Long> others) {
        private static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();

        /** The clock is read once for this many records. */
        private static final int BATCH = 32;

        Measurement go(Go go) throws IOException, InterruptedException, WrongResultException {
            Path file = go.scratch().resolve("records");
            Files.deleteIfExists(file);
            try {
                return measure(file);
            } finally {
                Files.deleteIfExists(file);
            }
        }

        private Measurement measure(Path file) throws IOException, InterruptedException, WrongResultException {
            Map<Long, Long> before = cpuTimes();
            long count = 0;
            long given;
            long working;
            long start = System.nanoTime();
            try (RecordWriter writer = opener.open(file)) {
                do {
                    for (int i = 0; i < BATCH; i++) {
                        writer.write(count++);
                    }
                    if (Thread.interrupted()) {
                        throw new InterruptedException();
                    }
                    given = System.nanoTime();
                } while (given - start < nanos);
                working = working(before);
            }
            long done = System.nanoTime();
            RecordWriter.verify(file, count);
            return Measurement.of(GIVEN, count * 1e9 / (given - start))
                    .and(WRITTEN, count * 1e9 / (done - start))
                    .and(THREADS, working);
        }

        /**
         * Returns how many threads used CPU time since {@code before}. The number of threads alone would not tell, as
         * the JDK's pool keeps idle threads.
         */
        private long working(Map<Long, Long> before) {
            return cpuTimes().entrySet().stream()
                    .filter(thread -> !others.contains(thread.getKey())
                            && thread.getValue() > before.getOrDefault(thread.getKey(), 0L))
                    .count();
        }

        /** Returns the CPU time of all threads of this JVM, by thread id. */
        static Map<Long, Long> cpuTimes() {
            return LongStream.of(BEAN.getAllThreadIds())
                    .boxed()
                    .collect(Collectors.toMap(id -> id, BEAN::getThreadCpuTime));
        }
    }
}
