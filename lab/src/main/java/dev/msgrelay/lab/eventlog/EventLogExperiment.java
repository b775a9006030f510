package dev.msgrelay.lab.eventlog;

import static dev.msgrelay.lab.eventlog.EventLogGo.COUNT;
import static dev.msgrelay.lab.eventlog.EventLogGo.DEVIATION;
import static dev.msgrelay.lab.eventlog.EventLogGo.MAX;
import static dev.msgrelay.lab.eventlog.EventLogGo.MEAN;
import static dev.msgrelay.lab.eventlog.EventLogGo.RATE;

import dev.msgrelay.lab.ArticleFigures;
import dev.msgrelay.lab.Claim;
import dev.msgrelay.lab.Contestant;
import dev.msgrelay.lab.Experiment;
import dev.msgrelay.lab.LabTable;
import dev.msgrelay.lab.Needs;
import dev.msgrelay.lab.Plots;
import dev.msgrelay.lab.eventlog.BufferedWritesOffThread.Ending;
import dev.msgrelay.loadgen.cli.Limits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** Many threads write events into one file: under a lock, at places of their own, gathered, by a thread of its own. */
@Command(
        name = "event-log",
        description = {
            "Threads write bursts of events into one file: locked, at atomic positions, gathered, by another thread.",
            "Measures how long a burst takes, and checks that the file holds every event once, whole."
        })
public final class EventLogExperiment extends Experiment {
    private static final String NULL_LOGGER = "NullLogger";
    private static final String LOCKED_WRITER = "LockedWriter";
    private static final String LOCKED_STREAM = "LockedStream";
    private static final String ATOMIC = "AtomicPositionWrites";
    private static final String BUFFERED = "BufferedWrites";
    private static final String OFF_THREAD = "BufferedWritesOffThread";
    private static final String DISRUPTOR = "Disruptor, batched writes";

    /** One minute, after two of warm-up. It counts bursts: 41,896, 46,795, 43,633, 64,255, 66,660; here a second. */
    private static final ArticleFigures ARTICLE = ArticleFigures.of(List.of(MEAN, MAX, DEVIATION, RATE), """
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
            Claim.better("less contention improves the tail massively", MAX, OFF_THREAD, LOCKED_WRITER),
            Claim.open(MEAN, DISRUPTOR, OFF_THREAD),
            Claim.open(MAX, DISRUPTOR, OFF_THREAD),
            Claim.open(MAX, DISRUPTOR, LOCKED_WRITER),
            Claim.open(MEAN, LOCKED_WRITER, NULL_LOGGER));

    private static final int MAX_THREADS = 1_000;
    private static final Duration DURATION = Duration.ofSeconds(5);
    private static final Duration QUICK_DURATION = Duration.ofMillis(400);
    private static final int DESCRIPTORS = 8;

    /** A line has 170 bytes on average, and a thread sleeps 3 ms on average between two bursts. */
    private static final double BYTES_PER_THREAD_AND_SECOND = BurstThread.EVENTS * 170 / 0.003;

    private static final double NANOS = 1e9;

    /** With fewer there is no contention worth looking at. */
    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "Threads that write (as many as cores, at least 4). The article: about 16.")
    private int threads = Math.max(4, Runtime.getRuntime().availableProcessors());

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            description = "How long every go is measured (5s; with --quick 400ms). The article: 60s.")
    private Duration duration;

    @Option(
            names = "--as-printed",
            description =
                    "Show BufferedWritesOffThread closed as in the article as well: it loses events, and is FAILED.")
    private boolean asPrinted;

    public EventLogExperiment() {
        super(
                "how long does a burst of log events hold up the threads that write it, on average and at worst?",
                new Article(
                        "Synchronizing File Writes",
                        2019,
                        "a cloud machine of 16 cores, OpenJDK 13; about 16 threads, by its figures"));
    }

    private Duration duration() {
        return duration != null ? duration : quick() ? QUICK_DURATION : DURATION;
    }

    @Override
    protected void check(CommandSpec command) {
        Limits.within(command, "--threads", threads, 1, MAX_THREADS);
        Limits.duration(command, duration, duration());
    }

    @Override
    public Needs needs() {
        double seconds = duration().plus(EventLogGo.leadIn(duration())).toNanos() / NANOS;
        return new Needs((long) (threads * BYTES_PER_THREAD_AND_SECOND * seconds), DESCRIPTORS, threads);
    }

    @Override
    public List<LabTable> tables() {
        List<Contestant> ways = new ArrayList<>();
        ways.add(way(NULL_LOGGER, file -> new EventLog.NullLogger()));
        ways.add(way(LOCKED_WRITER, EventLog.LockedWriter::new));
        ways.add(way(LOCKED_STREAM, EventLog.LockedStream::new));
        ways.add(way(ATOMIC, EventLog.AtomicPositionWrites::new));
        ways.add(way(BUFFERED, EventLog.BufferedWrites::new));
        ways.add(way(OFF_THREAD, file -> new BufferedWritesOffThread(file, Ending.WRITES_WHAT_IS_QUEUED)));
        if (asPrinted) {
            ways.add(way(
                    OFF_THREAD + ", closed as printed", file -> new BufferedWritesOffThread(file, Ending.AS_PRINTED)));
        }
        ways.add(way(DISRUPTOR, DisruptorBatches::new));
        return List.of(new LabTable(
                "bursts",
                "time of a burst of " + BurstThread.EVENTS + " events, " + threads
                        + " threads that sleep 1 to 5 ms in between, for "
                        + duration().toMillis()
                        + " ms; making the events is within the time",
                List.of(MEAN, MAX, DEVIATION, RATE, COUNT),
                ways,
                ARTICLE,
                table -> Claim.judge(CLAIMS, table),
                List.of(Plots.ofCurves(
                        "time of a burst, by percentile",
                        Plots.log("one burst in so many takes longer"),
                        Plots.linear("ms")))));
    }

    private Contestant way(String name, EventLogGo.Opener opener) {
        EventLogGo go = new EventLogGo(opener, threads, duration());
        return new Contestant(name, "", go::warmUp, go::go);
    }
}
