package dev.msgrelay.lab.eventlog;

import static dev.msgrelay.lab.eventlog.EventLogGo.MAX;
import static dev.msgrelay.lab.eventlog.EventLogGo.MEAN;

import dev.msgrelay.lab.ArticleFigures;
import dev.msgrelay.lab.Claim;
import dev.msgrelay.lab.Contestant;
import dev.msgrelay.lab.Experiment;
import dev.msgrelay.lab.LabTable;
import dev.msgrelay.lab.Needs;
import dev.msgrelay.lab.Opener;
import dev.msgrelay.lab.Plots;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Many threads write events into one file: under a lock, at places of their own, gathered, by a thread of its own. */
public final class EventLogExperiment {
    private static final String NULL_LOGGER = "NullLogger";
    private static final String LOCKED_WRITER = "LockedWriter";
    private static final String LOCKED_STREAM = "LockedStream";
    private static final String ATOMIC = "AtomicPositionWrites";
    private static final String BUFFERED = "BufferedWrites";
    private static final String OFF_THREAD = "BufferedWritesOffThread";
    private static final String DISRUPTOR = "Disruptor, batched writes";

    /** One minute, after two of warm-up. It counts bursts: 41,896, 46,795, 43,633, 64,255, 66,660; here a second. */
    private static final ArticleFigures ARTICLE = ArticleFigures.of(EventLogGo.SHOWN, """
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

    /** Bytes that a thread gathers where the article has it gather. */
    static final int BLOCK = 8 * 1024;

    /** Threads that write: with fewer there is no contention worth looking at. */
    private static final int THREADS = Math.max(4, Runtime.getRuntime().availableProcessors());

    private EventLogExperiment() {}

    public static Experiment of(Experiment.Settings settings) {
        Duration duration = settings.duration(Duration.ofSeconds(5), Duration.ofMillis(400));
        // A line has 170 bytes on average, and a thread sleeps 3 ms on average between two bursts.
        long bursts = THREADS * duration.plus(EventLogGo.leadIn(duration)).toMillis() / 3;
        return new Experiment(
                "event-log",
                "How long does a burst of log events hold up the threads that write it, on average and at worst?",
                "Synchronizing File Writes, 2019",
                "a cloud machine of 16 cores, OpenJDK 13; about 16 threads, by its figures; one minute each",
                new Needs(bursts * EventLogGo.EVENTS * 170, 8, THREADS),
                () -> List.of(table(duration)),
                () -> {});
    }

    private static LabTable table(Duration duration) {
        List<Contestant> rows = List.of(
                row(NULL_LOGGER, file -> event -> {}, duration),
                row(LOCKED_WRITER, EventLog.LockedWriter::new, duration),
                row(LOCKED_STREAM, EventLog.LockedStream::new, duration),
                row(ATOMIC, file -> new EventLog.PositionWrites(file, 0), duration),
                row(BUFFERED, file -> new EventLog.PositionWrites(file, BLOCK), duration),
                row(OFF_THREAD, file -> new BufferedWritesOffThread(file, BLOCK), duration),
                row(DISRUPTOR, DisruptorBatches::new, duration));
        return new LabTable(
                "bursts",
                "time of a burst of " + EventLogGo.EVENTS + " events, " + THREADS
                        + " threads that sleep 1 to 5 ms in between, for " + duration.toMillis()
                        + " ms; making the events is within the time",
                EventLogGo.SHOWN,
                rows,
                ARTICLE,
                table -> Claim.judge(CLAIMS, table),
                List.of(Plots.ofCurves(
                        "time of a burst, by percentile",
                        Plots.log("one burst in so many takes longer"),
                        Plots.linear("ms"))));
    }

    private static Contestant row(String name, Opener<Path, EventLog> opener, Duration duration) {
        return new Contestant(name, "", new EventLogGo(opener, THREADS, duration)::go);
    }
}
