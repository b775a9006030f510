package dev.msgrelay.lab.asyncfiles;

import static dev.msgrelay.lab.asyncfiles.WriteGo.GIVEN;
import static dev.msgrelay.lab.asyncfiles.WriteGo.THREADS;
import static dev.msgrelay.lab.asyncfiles.WriteGo.WRITTEN;

import dev.msgrelay.lab.ArticleFigures;
import dev.msgrelay.lab.Claim;
import dev.msgrelay.lab.Contestant;
import dev.msgrelay.lab.Experiment;
import dev.msgrelay.lab.LabTable;
import dev.msgrelay.lab.Needs;
import dev.msgrelay.lab.Opener;
import dev.msgrelay.lab.asyncfiles.RecordWriter.Asynchronous;
import dev.msgrelay.lab.asyncfiles.RecordWriter.Plain;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Small writes into a file, by a plain stream and by an asynchronous channel. */
public final class AsyncFilesExperiment {
    static final String PLAIN = "plain write";
    static final String WAITING = "default pool, waiting";
    static final String FORWARD = "default pool, not waiting";
    static final String FIXED_WAITING = "fixed pool, waiting";
    static final String FIXED_FORWARD = "fixed pool, not waiting";

    /** Its asynchronous channel had 10 threads in all instead of 5. */
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

    /** Writes on their way at most, where nobody waits for them. */
    private static final int OUTSTANDING = 64;

    /** Threads of the fixed pool. */
    private static final int POOL = Runtime.getRuntime().availableProcessors();

    private AsyncFilesExperiment() {}

    public static Experiment of(Experiment.Settings settings) {
        // The article's second.
        Duration duration = settings.duration(Duration.ofSeconds(1), Duration.ofMillis(400));
        return new Experiment(
                "async-files",
                "Is an asynchronous file channel faster than plain writes, does waiting for it cost, and is all written?",
                "Java 7: NIO.2 File Channels on the test bench, Part 1, 2012",
                "Core i5-2310 at 2.9 GHz, four cores, Windows 7, Java 7; \"Hello\" written over and over",
                // Ten million writes a second: more than any machine does.
                new Needs(Records.SIZE * 10_000 * duration.toMillis(), 8, 1 + POOL),
                () -> List.of(table(duration)),
                () -> {});
    }

    private static LabTable table(Duration duration) {
        Set<Long> others = Set.copyOf(WriteGo.cpuTimes().keySet());
        List<Contestant> rows = List.of(
                row(PLAIN, Plain::new, duration, others),
                row(WAITING, file -> new Asynchronous(file, 0, 0), duration, others),
                row(FIXED_WAITING, file -> new Asynchronous(file, POOL, 0), duration, others),
                row(FORWARD, file -> new Asynchronous(file, 0, OUTSTANDING), duration, others),
                row(FIXED_FORWARD, file -> new Asynchronous(file, POOL, OUTSTANDING), duration, others));
        return new LabTable(
                "writes",
                "one thread writes records of " + Records.SIZE + " bytes for " + duration.toMillis()
                        + " ms; a fixed pool of " + POOL + "; where it does not wait, up to " + OUTSTANDING
                        + " writes on their way",
                List.of(GIVEN, WRITTEN, THREADS),
                rows,
                ARTICLE,
                table -> Claim.judge(CLAIMS, table),
                List.of());
    }

    private static Contestant row(String name, Opener<Path, RecordWriter> opener, Duration duration, Set<Long> others) {
        return new Contestant(name, "", new WriteGo(opener, duration.toNanos(), others)::go);
    }
}
