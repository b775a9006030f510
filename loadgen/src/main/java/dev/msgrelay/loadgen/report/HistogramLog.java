package dev.msgrelay.loadgen.report;

import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.Parameters;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.RunRecord.Moment;
import dev.msgrelay.loadgen.run.RunResult.Delay;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

/** All histograms of a results in HdrHistogram's own log, a tag for each; values in nanoseconds. */
final class HistogramLog {
    private static final double SECOND_MILLIS = 1e3;

    /** The log's column of maxima in milliseconds, as its readers expect. */
    private static final double MILLI_NANOS = 1e6;

    private final HistogramLogWriter writer;
    private final long start;

    private HistogramLog(HistogramLogWriter writer, long start) {
        this.writer = writer;
        this.start = start;
    }

    static String of(Results results) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        HistogramLogWriter writer = new HistogramLogWriter(bytes);
        long start = Instant.parse(results.origin().started()).toEpochMilli();
        writer.outputComment(
                "[loadgen results " + Results.SCHEMA_VERSION + ": nanoseconds; tags are lane/cell/round/what]");
        writer.outputLogFormatVersion();
        // Times of the lines count from here on.
        writer.outputBaseTime(start);
        writer.setBaseTime(start);
        writer.outputStartTime(start);
        writer.outputLegend();
        HistogramLog log = new HistogramLog(writer, start);
        for (LaneResult lane : results.lanes()) {
            for (Cell cell : lane.cells()) {
                cell.runs().forEach(run -> log.run(lane, cell, run));
            }
        }
        writer.close();
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** The tag of one histogram: "10gbe/1to8-body100/2/latency", of characters that the log allows. */
    static String tag(LaneResult lane, Cell cell, int round, String what) {
        Parameters parameters = cell.parameters();
        return allowed(lane.name())
                + (cell.contestant().equals(Cell.RELAY) ? "" : "/" + allowed(cell.contestant()))
                + "/" + parameters.publishers() + "to" + parameters.subscribers()
                + "-body" + allowed(parameters.body().text())
                + (parameters.batch() == 0 ? "" : "-batch" + parameters.batch())
                + (parameters.rate() == 0 ? "" : "-rate" + parameters.rate())
                + (parameters.burst() == 1 ? "" : "-burst" + parameters.burst())
                + (parameters.mtu() == 0 ? "" : "-mtu" + parameters.mtu())
                + "/" + round + "/" + what;
    }

    private void run(LaneResult lane, Cell cell, RunRecord run) {
        Moment moment = run.moment();
        long begin =
                Instant.parse(moment.started()).toEpochMilli() + TimeUnit.NANOSECONDS.toMillis(moment.warmupNanos());
        long end = begin + TimeUnit.NANOSECONDS.toMillis(moment.measuredNanos());
        for (Delay which : List.of(Delay.LATENCY, Delay.TIME_IN_QUEUE, Delay.SKEW)) {
            Histogram recorded = run.delays().of(which);
            if (recorded != null) {
                Histogram tagged = recorded.copy();
                tagged.setTag(tag(lane, cell, moment.round(), which.toString()));
                writer.outputIntervalHistogram(
                        (begin - start) / SECOND_MILLIS, (end - start) / SECOND_MILLIS, tagged, MILLI_NANOS);
            }
        }
    }

    private static String allowed(String text) {
        return text.replaceAll("[^A-Za-z0-9._:-]", "_");
    }
}
