package dev.msgrelay.loadgen.lab.asyncfiles;

import dev.msgrelay.loadgen.lab.Column;
import dev.msgrelay.loadgen.lab.Contestant;
import dev.msgrelay.loadgen.lab.Go;
import dev.msgrelay.loadgen.lab.Measurement;
import dev.msgrelay.loadgen.lab.WrongResultException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/** One way of writing: writes records into a new file for a while, closes it, and the file is compared with them. */
final class WriteGo implements Contestant {
    /** As the article counts. */
    static final Column GIVEN = Column.higher("writes begun", "1/s");

    /** What counts. */
    static final Column WRITTEN = Column.higher("writes done, with the closing", "1/s");

    static final Column THREADS = Column.plain("threads beside the caller's", "");

    private static final double NANOS = 1e9;

    /** The clock is read once for so many records. */
    private static final int BATCH = 32;

    /** Opens a writer on a file that is not there yet. */
    @FunctionalInterface
    interface Opener {
        RecordWriter open(Path file) throws IOException;
    }

    private final String name;
    private final Opener opener;
    private final long nanos;

    /** Threads that were there before the first of these was run. */
    private final Set<Long> others;

    WriteGo(String name, Opener opener, long nanos, Set<Long> others) {
        this.name = name;
        this.opener = opener;
        this.nanos = nanos;
        this.others = others;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Measurement go(Go go) throws IOException, InterruptedException, WrongResultException {
        Path file = go.scratch().resolve("records");
        Files.deleteIfExists(file);
        try {
            return measure(file);
        } finally {
            Files.deleteIfExists(file);
        }
    }

    private Measurement measure(Path file) throws IOException, InterruptedException, WrongResultException {
        WorkingThreads threads = WorkingThreads.since(others);
        long count;
        long given;
        int working;
        long start = System.nanoTime();
        try (RecordWriter writer = opener.open(file)) {
            given = write(writer, start);
            count = writer.count();
            working = threads.count();
        }
        long done = System.nanoTime();
        String problem = Records.problem(file, count);
        if (problem != null) {
            throw new WrongResultException(problem);
        }
        return Measurement.of(GIVEN, count * NANOS / (given - start))
                .and(WRITTEN, count * NANOS / (done - start))
                .and(THREADS, working);
    }

    /** Returns the time at the end. */
    private long write(RecordWriter writer, long start) throws IOException, InterruptedException {
        long now = start;
        while (now - start < nanos) {
            for (int i = 0; i < BATCH; i++) {
                writer.write();
            }
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            now = System.nanoTime();
        }
        return now;
    }
}
