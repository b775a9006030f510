package dev.msgrelay.loadgen.lab.asyncfiles;

import dev.msgrelay.loadgen.lab.Article;
import dev.msgrelay.loadgen.lab.Claims;
import dev.msgrelay.loadgen.lab.Contestant;
import dev.msgrelay.loadgen.lab.Experiment;
import dev.msgrelay.loadgen.lab.Finding;
import dev.msgrelay.loadgen.lab.Findings;
import dev.msgrelay.loadgen.lab.LabOptions;
import dev.msgrelay.loadgen.lab.LabTable;
import dev.msgrelay.loadgen.lab.Needs;
import dev.msgrelay.loadgen.lab.TableResult;
import dev.msgrelay.loadgen.lab.asyncfiles.ForwardWriter.Closing;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Small writes into a file, by a plain stream and by an asynchronous channel. */
public final class AsyncFilesExperiment implements Experiment {
    static final String PLAIN = "plain write";
    static final String DEFAULT_WAITING = "default pool, waiting";
    static final String DEFAULT_FORWARD = "default pool, not waiting";
    static final String FIXED_WAITING = "fixed pool, waiting";
    static final String FIXED_FORWARD = "fixed pool, not waiting";
    static final String CLOSED_AT_ONCE = "fixed pool, not waiting, closed at once";

    private static final Article ARTICLE = new Article(
            "Java 7: NIO.2 File Channels on the test bench, Part 1",
            2012,
            "Core i5-2310 at 2.9 GHz, four cores, Windows 7, Java 7; \"Hello\" written over and over");
    private static final double PLAIN_RATE = 367_806.2;
    private static final double ASYNC_RATE = 190_226.8;

    /** It had 10 threads instead of 5. */
    private static final int ASYNC_THREADS = 5;

    private static final Claims CLAIMS = Claims.NONE
            .and(PLAIN, WriteGo.GIVEN, PLAIN_RATE)
            .and(PLAIN, WriteGo.THREADS, 0)
            .and(DEFAULT_FORWARD, WriteGo.GIVEN, ASYNC_RATE)
            .and(DEFAULT_FORWARD, WriteGo.THREADS, ASYNC_THREADS);

    private static final int DESCRIPTORS = 8;

    /** More writes than any machine does in a second. */
    private static final double WRITES_PER_SECOND = 10e6;

    private static final double NANOS = 1e9;

    private final AsyncFilesOptions options;

    public AsyncFilesExperiment(AsyncFilesOptions options) {
        this.options = options;
    }

    @Override
    public String name() {
        return "async-files";
    }

    @Override
    public String question() {
        return "is an asynchronous file channel faster than plain writes, does waiting for it cost, and is all written?";
    }

    @Override
    public Article article() {
        return ARTICLE;
    }

    @Override
    public Needs needs(LabOptions lab) {
        double seconds = options.duration().toNanos() / NANOS;
        return new Needs((long) (Records.SIZE * WRITES_PER_SECOND * seconds), DESCRIPTORS, 1 + options.pool());
    }

    @Override
    public List<LabTable> tables(LabOptions lab) {
        // Taken now: threads that come later are the channels'.
        Set<Long> others = WorkingThreads.all();
        List<Contestant> ways = new ArrayList<>();
        ways.add(way(PLAIN, PlainWriter::new, others));
        ways.add(way(DEFAULT_WAITING, file -> new WaitingWriter(AsyncFile.withDefaultPool(file)), others));
        ways.add(way(FIXED_WAITING, file -> new WaitingWriter(fixed(file)), others));
        ways.add(way(DEFAULT_FORWARD, file -> forward(AsyncFile.withDefaultPool(file), Closing.WAITS), others));
        ways.add(way(FIXED_FORWARD, file -> forward(fixed(file), Closing.WAITS), others));
        if (options.closeAtOnce()) {
            ways.add(way(CLOSED_AT_ONCE, file -> forward(fixed(file), Closing.AT_ONCE), others));
        }
        return List.of(new LabTable(
                "writes",
                "one thread writes records of " + Records.SIZE + " bytes for "
                        + options.duration().toMillis() + " ms; a fixed pool of " + options.pool()
                        + "; where it does not wait, up to "
                        + options.outstanding() + " writes on their way",
                List.of(WriteGo.GIVEN, WriteGo.WRITTEN, WriteGo.THREADS),
                ways,
                CLAIMS,
                List.of(),
                AsyncFilesExperiment::findings));
    }

    private WriteGo way(String name, WriteGo.Opener opener, Set<Long> others) {
        return new WriteGo(name, opener, options.duration().toNanos(), others);
    }

    private AsyncFile fixed(Path file) throws IOException {
        return AsyncFile.withFixedPool(file, options.pool());
    }

    private RecordWriter forward(AsyncFile file, Closing closing) {
        return new ForwardWriter(file, options.outstanding(), closing);
    }

    private static List<Finding> findings(TableResult table) {
        return List.of(
                Findings.better(
                        "even if you do not wait, conventional I/O is faster with one thread",
                        table,
                        WriteGo.GIVEN,
                        PLAIN,
                        DEFAULT_FORWARD,
                        PLAIN_RATE / ASYNC_RATE),
                Findings.better(
                        "(a comment) with a fixed pool it is much faster than conventional I/O, for the caller",
                        table,
                        WriteGo.GIVEN,
                        FIXED_FORWARD,
                        PLAIN),
                Findings.better(
                        "(a comment) it is the default pool's threads that make it slow",
                        table,
                        WriteGo.GIVEN,
                        FIXED_FORWARD,
                        DEFAULT_FORWARD),
                Findings.better(
                        "(a comment) synchronous I/O is always more efficient with one thread",
                        table,
                        WriteGo.WRITTEN,
                        PLAIN,
                        FIXED_FORWARD),
                Findings.compare(table, WriteGo.WRITTEN, DEFAULT_FORWARD, DEFAULT_WAITING),
                Findings.compare(table, WriteGo.WRITTEN, FIXED_FORWARD, FIXED_WAITING),
                Findings.compare(table, WriteGo.WRITTEN, PLAIN, FIXED_WAITING));
    }
}
