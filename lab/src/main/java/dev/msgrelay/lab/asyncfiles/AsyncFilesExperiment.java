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
import dev.msgrelay.lab.asyncfiles.RecordWriter.Forward;
import dev.msgrelay.lab.asyncfiles.RecordWriter.Forward.Closing;
import dev.msgrelay.lab.asyncfiles.RecordWriter.Plain;
import dev.msgrelay.lab.asyncfiles.RecordWriter.Waiting;
import dev.msgrelay.loadgen.cli.Limits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** Small writes into a file, by a plain stream and by an asynchronous channel. */
@Command(
        name = "async-files",
        description = {
            "One thread writes small records into a file: by a plain stream, and by an asynchronous channel.",
            "The channel has the JDK's pool or a fixed one; the thread waits for each write, or for none."
        })
public final class AsyncFilesExperiment extends Experiment {
    static final String PLAIN = "plain write";
    static final String DEFAULT_WAITING = "default pool, waiting";
    static final String DEFAULT_FORWARD = "default pool, not waiting";
    static final String FIXED_WAITING = "fixed pool, waiting";
    static final String FIXED_FORWARD = "fixed pool, not waiting";
    static final String CLOSED_AT_ONCE = "fixed pool, not waiting, closed at once";

    /** Its asynchronous channel had 10 threads in all instead of 5. */
    private static final ArticleFigures ARTICLE = ArticleFigures.of(List.of(GIVEN, THREADS), """
            plain write               | 367806.2 | 0
            default pool, not waiting | 190226.8 | 5
            """);

    private static final List<Claim> CLAIMS = List.of(
            Claim.better(
                    "even if you do not wait, conventional I/O is faster with one thread",
                    GIVEN,
                    PLAIN,
                    DEFAULT_FORWARD),
            Claim.better(
                    "(a comment) with a fixed pool it is much faster than conventional I/O, for the caller",
                    GIVEN,
                    FIXED_FORWARD,
                    PLAIN),
            Claim.better(
                    "(a comment) it is the default pool's threads that make it slow",
                    GIVEN,
                    FIXED_FORWARD,
                    DEFAULT_FORWARD),
            Claim.better(
                    "(a comment) synchronous I/O is always more efficient with one thread",
                    WRITTEN,
                    PLAIN,
                    FIXED_FORWARD),
            Claim.open(WRITTEN, DEFAULT_FORWARD, DEFAULT_WAITING),
            Claim.open(WRITTEN, FIXED_FORWARD, FIXED_WAITING),
            Claim.open(WRITTEN, PLAIN, FIXED_WAITING));

    private static final int MAX_POOL = 1_000;

    /** The JDK's own pool may make a thread for each. */
    private static final int MAX_OUTSTANDING = 10_000;

    private static final Duration DURATION = Duration.ofSeconds(1);
    private static final Duration QUICK_DURATION = Duration.ofMillis(400);
    private static final int DESCRIPTORS = 8;

    /** More writes than any machine does in a second. */
    private static final double WRITES_PER_SECOND = 10e6;

    private static final double NANOS = 1e9;

    @Option(names = "--pool", paramLabel = "N", description = "Threads of the fixed pool (as many as cores).")
    private int pool = Runtime.getRuntime().availableProcessors();

    @Option(
            names = "--outstanding",
            paramLabel = "N",
            description = "Writes on their way at most, where nobody waits for them (64).")
    private int outstanding = 64;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            description = "How long every go writes (1s, as in the article; with --quick 400ms).")
    private Duration duration;

    @Option(
            names = "--close-at-once",
            description = "Show one that closes the channel without waiting as well: it loses data, and is FAILED.")
    private boolean closeAtOnce;

    public AsyncFilesExperiment() {
        super(
                "is an asynchronous file channel faster than plain writes, does waiting for it cost, and is all written?",
                new Article(
                        "Java 7: NIO.2 File Channels on the test bench, Part 1",
                        2012,
                        "Core i5-2310 at 2.9 GHz, four cores, Windows 7, Java 7; \"Hello\" written over and over"));
    }

    private Duration duration() {
        return duration != null ? duration : quick() ? QUICK_DURATION : DURATION;
    }

    @Override
    protected void check(CommandSpec command) {
        Limits.within(command, "--pool", pool, 1, MAX_POOL);
        Limits.within(command, "--outstanding", outstanding, 1, MAX_OUTSTANDING);
        Limits.duration(command, duration, duration());
    }

    @Override
    public Needs needs() {
        double seconds = duration().toNanos() / NANOS;
        return new Needs((long) (Records.SIZE * WRITES_PER_SECOND * seconds), DESCRIPTORS, 1 + pool);
    }

    @Override
    public List<LabTable> tables() {
        Set<Long> others = Set.copyOf(WriteGo.cpuTimes().keySet());
        List<Contestant> ways = new ArrayList<>();
        ways.add(way(PLAIN, Plain::new, others));
        ways.add(way(DEFAULT_WAITING, file -> new Waiting(file, 0), others));
        ways.add(way(FIXED_WAITING, file -> new Waiting(file, pool), others));
        ways.add(way(DEFAULT_FORWARD, file -> new Forward(file, 0, outstanding, Closing.WAITS), others));
        ways.add(way(FIXED_FORWARD, file -> new Forward(file, pool, outstanding, Closing.WAITS), others));
        if (closeAtOnce) {
            ways.add(way(CLOSED_AT_ONCE, file -> new Forward(file, pool, outstanding, Closing.AT_ONCE), others));
        }
        return List.of(new LabTable(
                "writes",
                "one thread writes records of " + Records.SIZE + " bytes for "
                        + duration().toMillis()
                        + " ms; a fixed pool of " + pool + "; where it does not wait, up to " + outstanding
                        + " writes on their way",
                List.of(GIVEN, WRITTEN, THREADS),
                ways,
                ARTICLE,
                table -> Claim.judge(CLAIMS, table),
                List.of()));
    }

    private Contestant way(String name, WriteGo.Opener opener, Set<Long> others) {
        return new Contestant(name, "", new WriteGo(opener, duration().toNanos(), others)::go);
    }
}
