package dev.msgrelay.lab.asyncfiles;

import dev.msgrelay.lab.Column;
import dev.msgrelay.lab.Contestant.Go;
import dev.msgrelay.lab.Measurement;
import dev.msgrelay.lab.Opener;
import dev.msgrelay.lab.WrongResultException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * One way of writing: writes records into a new file for a while, closes it, and the file is compared with them.
 *
 * @param others threads that were there before the first of these was run: those that come later are the channels'
 */
record WriteGo(Opener<Path, RecordWriter> opener, long nanos, Set<Long> others) {
    /** As the article counts. */
    static final Column GIVEN = Column.higher("writes begun", "1/s");

    /** The writes that count. */
    static final Column WRITTEN = Column.higher("writes done, with the closing", "1/s");

    static final Column THREADS = Column.plain("threads beside the caller's", "");

    private static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();

    /** The clock is read once for so many records. */
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
        String problem = Records.problem(file, count);
        if (problem != null) {
            throw new WrongResultException(problem);
        }
        return Measurement.of(GIVEN, count * 1e9 / (given - start))
                .and(WRITTEN, count * 1e9 / (done - start))
                .and(THREADS, working);
    }

    /** Threads that took processor time since: the JDK's pool keeps its threads for good, so their number says nothing. */
    private long working(Map<Long, Long> before) {
        return cpuTimes().entrySet().stream()
                .filter(thread -> !others.contains(thread.getKey())
                        && thread.getValue() > before.getOrDefault(thread.getKey(), 0L))
                .count();
    }

    /** The threads that there are, and the processor time that each has taken. */
    static Map<Long, Long> cpuTimes() {
        Map<Long, Long> times = new HashMap<>();
        for (long id : BEAN.getAllThreadIds()) {
            times.put(id, BEAN.getThreadCpuTime(id));
        }
        return times;
    }
}
