package dev.msgrelay.loadgen.result.files;

import dev.msgrelay.loadgen.result.Correctness;
import dev.msgrelay.loadgen.result.Correctness.Schedule;
import dev.msgrelay.loadgen.result.Correctness.SubscriberRecord;
import dev.msgrelay.loadgen.result.Delays;
import dev.msgrelay.loadgen.result.Flow;
import dev.msgrelay.loadgen.result.Hops;
import dev.msgrelay.loadgen.result.Moment;
import dev.msgrelay.loadgen.result.Outcome;
import dev.msgrelay.loadgen.result.Resources;
import dev.msgrelay.loadgen.result.Resources.BoundBy;
import dev.msgrelay.loadgen.result.Resources.ProcessRecord;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.Throughput;
import dev.msgrelay.loadgen.result.TimelinePoint;
import dev.msgrelay.loadgen.worker.Histograms;
import java.nio.BufferUnderflowException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Reads a run's JSON. */
final class RunReader {
    private RunReader() {}

    static RunRecord run(Fields fields) {
        return new RunRecord(
                new Moment(
                        fields.count("round"),
                        time(fields, "started"),
                        fields.whole("warmupNanos"),
                        fields.whole("measuredNanos")),
                new Hops(fields.number("hopBeforeNanos"), fields.number("hopAfterNanos")),
                new Throughput(
                        fields.orNull("in", RunReader::flow),
                        flow(fields.object("out")),
                        fields.number("ingressFraction"),
                        fields.number("egressFraction"),
                        timeline(fields.object("timeline"))),
                new Delays(
                        fields.orNull("latency", RunReader::histogram),
                        fields.orNull("skew", RunReader::histogram),
                        fields.count("oneMessageIn")),
                new Correctness(
                        fields.flag("checked"),
                        fields.list("perSubscriber", RunReader::subscriber),
                        schedule(fields.object("schedule"))),
                new Resources(
                        fields.list("processes", RunReader::process), fields.orNull("boundBy", RunReader::boundBy)),
                new Outcome(fields.texts("failures"), fields.texts("marks"), fields.flag("partial")));
    }

    /** ISO 8601, as it is. */
    static String time(Fields fields, String name) {
        return fields.parsed(name, text -> {
            try {
                Instant.parse(text);
                return text;
            } catch (DateTimeParseException e) {
                throw new IllegalArgumentException("not a time like 2026-01-31T12:00:00Z", e);
            }
        });
    }

    private static Flow flow(Fields fields) {
        return new Flow(fields.whole("messages"), fields.whole("bytes"), fields.whole("nanos"));
    }

    private static Histogram histogram(Fields fields) {
        try {
            return Histograms.sparse(Histograms.decode(fields.text("histogram")));
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException | BufferUnderflowException e) {
            throw fields.wrong("the histogram cannot be decoded");
        }
    }

    private static SubscriberRecord subscriber(Fields fields) {
        return new SubscriberRecord(
                fields.count("index"),
                fields.whole("messages"),
                fields.whole("lost"),
                fields.whole("tail"),
                fields.whole("duplicated"),
                fields.whole("reordered"),
                fields.whole("corrupted"),
                fields.textOrNull("closed"));
    }

    private static Schedule schedule(Fields fields) {
        return new Schedule(
                fields.whole("scheduled"),
                fields.whole("late"),
                fields.whole("worstLateNanos"),
                fields.textOrNull("means"));
    }

    private static ProcessRecord process(Fields fields) {
        return new ProcessRecord(
                fields.text("name"),
                fields.number("cpuSeconds"),
                fields.whole("peakResidentBytes"),
                fields.text("site"));
    }

    private static BoundBy boundBy(Fields fields) {
        return new BoundBy(fields.text("kind"), fields.texts("reasons"));
    }

    private static List<TimelinePoint> timeline(Fields fields) {
        long[] nanos = fields.wholes("nanos");
        double[][] columns = {
            fields.numbers("in"), fields.numbers("out"), fields.numbers("bytesIn"), fields.numbers("bytesOut")
        };
        long[] lag = fields.wholes("lagBytes");
        for (double[] column : columns) {
            if (column.length != nanos.length || lag.length != nanos.length) {
                throw fields.wrong("columns of different length");
            }
        }
        List<TimelinePoint> points = new ArrayList<>(nanos.length);
        for (int i = 0; i < nanos.length; i++) {
            points.add(new TimelinePoint(nanos[i], columns[0][i], columns[1][i], columns[2][i], columns[3][i], lag[i]));
        }
        return points;
    }
}
