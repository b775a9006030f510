package dev.msgrelay.loadgen.lab.eventlog;

import static dev.msgrelay.loadgen.lab.eventlog.EventLogArticle.ATOMIC;
import static dev.msgrelay.loadgen.lab.eventlog.EventLogArticle.BUFFERED;
import static dev.msgrelay.loadgen.lab.eventlog.EventLogArticle.LOCKED_STREAM;
import static dev.msgrelay.loadgen.lab.eventlog.EventLogArticle.LOCKED_WRITER;
import static dev.msgrelay.loadgen.lab.eventlog.EventLogArticle.OFF_THREAD;

import dev.msgrelay.loadgen.lab.Article;
import dev.msgrelay.loadgen.lab.Chart;
import dev.msgrelay.loadgen.lab.ChartSeries;
import dev.msgrelay.loadgen.lab.Column;
import dev.msgrelay.loadgen.lab.Contestant;
import dev.msgrelay.loadgen.lab.Experiment;
import dev.msgrelay.loadgen.lab.Finding;
import dev.msgrelay.loadgen.lab.Findings;
import dev.msgrelay.loadgen.lab.LabOptions;
import dev.msgrelay.loadgen.lab.LabTable;
import dev.msgrelay.loadgen.lab.Needs;
import dev.msgrelay.loadgen.lab.TableResult;
import dev.msgrelay.loadgen.lab.eventlog.BufferedWritesOffThread.Ending;
import java.util.ArrayList;
import java.util.List;

/** Many threads write events into one file: under a lock, at places of their own, gathered, by a thread of its own. */
public final class EventLogExperiment implements Experiment {
    private static final int DESCRIPTORS = 8;
    private static final String NULL_LOGGER = "NullLogger";
    private static final String DISRUPTOR = "Disruptor, batched writes";

    /** A line has 170 bytes on average, and a thread sleeps 3 ms on average between two bursts. */
    private static final double BYTES_PER_THREAD_AND_SECOND = EventBurst.EVENTS * 170 / 0.003;

    private static final double NANOS = 1e9;

    private final EventLogOptions options;

    public EventLogExperiment(EventLogOptions options) {
        this.options = options;
    }

    @Override
    public String name() {
        return "event-log";
    }

    @Override
    public String question() {
        return "how long does a burst of log events hold up the threads that write it, on average and at worst?";
    }

    @Override
    public Article article() {
        return EventLogArticle.ARTICLE;
    }

    @Override
    public Needs needs(LabOptions lab) {
        double seconds = options.duration().plus(options.leadIn()).toNanos() / NANOS;
        return new Needs(
                (long) (options.threads() * BYTES_PER_THREAD_AND_SECOND * seconds), DESCRIPTORS, options.threads());
    }

    @Override
    public List<LabTable> tables(LabOptions lab) {
        List<Contestant> ways = new ArrayList<>();
        ways.add(way(NULL_LOGGER, file -> new NullLogger()));
        ways.add(way(LOCKED_WRITER, LockedWriter::new));
        ways.add(way(LOCKED_STREAM, LockedStream::new));
        ways.add(way(ATOMIC, AtomicPositionWrites::new));
        ways.add(way(BUFFERED, BufferedWrites::new));
        ways.add(way(OFF_THREAD, file -> new BufferedWritesOffThread(file, Ending.WRITES_WHAT_IS_QUEUED)));
        if (options.asPrinted()) {
            ways.add(way(
                    OFF_THREAD + ", closed as printed", file -> new BufferedWritesOffThread(file, Ending.AS_PRINTED)));
        }
        ways.add(way(DISRUPTOR, DisruptorBatches::new));
        return List.of(new LabTable(
                "bursts",
                "time of a burst of " + EventBurst.EVENTS + " events, " + options.threads()
                        + " threads that sleep 1 to 5 ms in between, for "
                        + options.duration().toMillis() + " ms; making the events is within the time",
                List.of(EventLogGo.MEAN, EventLogGo.MAX, EventLogGo.DEVIATION, EventLogGo.RATE, EventLogGo.COUNT),
                ways,
                EventLogArticle.CLAIMS,
                List.of(new Chart(
                        "time of a burst, by percentile",
                        new Chart.Axis("one burst in so many takes longer", true),
                        new Chart.Axis("ms", false),
                        ChartSeries.ofCurves())),
                EventLogExperiment::findings));
    }

    private Contestant way(String name, EventLogGo.Opener opener) {
        return new EventLogGo(name, opener, options);
    }

    private static List<Finding> findings(TableResult table) {
        return List.of(
                better(
                        "converting outside the lock improves the tail",
                        table,
                        EventLogGo.MAX,
                        LOCKED_STREAM,
                        LOCKED_WRITER),
                better("without locks the worst case gets better", table, EventLogGo.MAX, ATOMIC, LOCKED_STREAM),
                better("without locks the average is higher", table, EventLogGo.MEAN, LOCKED_STREAM, ATOMIC),
                better("buffering reduces the latency", table, EventLogGo.MEAN, BUFFERED, ATOMIC),
                better("buffering creates higher outliers", table, EventLogGo.MAX, ATOMIC, BUFFERED),
                better("background writes reduce the latency", table, EventLogGo.MEAN, OFF_THREAD, BUFFERED),
                better(
                        "background writes avoid the spikes of bulk writes",
                        table,
                        EventLogGo.MAX,
                        OFF_THREAD,
                        BUFFERED),
                better("less contention improves the tail massively", table, EventLogGo.MAX, OFF_THREAD, LOCKED_WRITER),
                Findings.compare(table, EventLogGo.MEAN, DISRUPTOR, OFF_THREAD),
                Findings.compare(table, EventLogGo.MAX, DISRUPTOR, OFF_THREAD),
                Findings.compare(table, EventLogGo.MAX, DISRUPTOR, LOCKED_WRITER),
                Findings.compare(table, EventLogGo.MEAN, LOCKED_WRITER, NULL_LOGGER));
    }

    private static Finding better(String claim, TableResult table, Column column, String better, String worse) {
        return Findings.better(claim, table, column, better, worse, EventLogArticle.ratio(column, better, worse));
    }
}
