package dev.msgrelay.loadgen.result.files;

import dev.msgrelay.loadgen.result.Ceilings;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Correctness;
import dev.msgrelay.loadgen.result.Correctness.SubscriberRecord;
import dev.msgrelay.loadgen.result.Delays;
import dev.msgrelay.loadgen.result.Flow;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.Parameters;
import dev.msgrelay.loadgen.result.Resources;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.Shootout;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/** A shootout as CSV (RFC 4180): a row per run. New columns come last, old ones stay. */
final class CsvWriter {
    private static final String LINE_END = "\r\n";
    private static final double SECOND_NANOS = 1e9;

    private final StringBuilder out = new StringBuilder();
    private final Map<String, String> row = new LinkedHashMap<>();

    private CsvWriter() {}

    /** The whole file; without a run the first line alone. */
    static String of(Shootout shootout) {
        CsvWriter writer = new CsvWriter();
        writer.row(null, null, null);
        writer.line(String.join(",", writer.row.keySet()));
        for (LaneResult lane : shootout.lanes()) {
            for (Cell cell : lane.cells()) {
                for (RunRecord run : cell.runs()) {
                    writer.row(lane, cell, run);
                    writer.line(
                            writer.row.values().stream().map(CsvWriter::quoted).collect(Collectors.joining(",")));
                }
            }
        }
        return writer.out.toString();
    }

    /** Fills the row's columns; with null their names are all that counts. */
    private void row(LaneResult lane, Cell cell, RunRecord run) {
        row.clear();
        boolean named = run == null;
        cell(named ? null : lane, named ? null : cell);
        moment(run);
        throughput(run, named ? null : cell.ceilings());
        histogram("latency", named ? null : run.delays().latency());
        histogram("skew", named ? null : run.delays().skew());
        correctness(named ? null : run.correctness());
        resources(named ? null : run.resources());
    }

    private void cell(LaneResult lane, Cell cell) {
        Parameters parameters = cell == null ? null : cell.parameters();
        put("lane", lane == null ? null : lane.name());
        put("emulated", lane == null ? null : lane.emulated());
        put(
                "publishers_at",
                lane == null ? null : ShootoutJson.word(lane.places().publishers()));
        put(
                "subscribers_at",
                lane == null ? null : ShootoutJson.word(lane.places().subscribers()));
        put("body", parameters == null ? null : parameters.body().text());
        put("mean_body_bytes", parameters == null ? null : parameters.body().meanBytes());
        put("publishers", parameters == null ? null : parameters.publishers());
        put("subscribers", parameters == null ? null : parameters.subscribers());
        put("batch", parameters == null ? null : parameters.batch());
        put("rate", parameters == null ? null : parameters.rate());
        put("mtu", parameters == null ? null : parameters.mtu());
        put("burst", parameters == null ? null : parameters.burst());
    }

    private void moment(RunRecord run) {
        put("round", run == null ? null : run.moment().round());
        put("started", run == null ? null : run.moment().started());
        put("warmup_s", run == null ? null : run.moment().warmupNanos() / SECOND_NANOS);
        put("measured_s", run == null ? null : run.moment().measuredNanos() / SECOND_NANOS);
        put("passed", run == null ? null : run.outcome().passed());
        put("partial", run == null ? null : run.outcome().partial());
        put("failures", run == null ? null : String.join("; ", run.outcome().failures()));
        put("marks", run == null ? null : String.join("; ", run.outcome().marks()));
        put("hop_before_ns", run == null ? null : run.hops().beforeNanos());
        put("hop_after_ns", run == null ? null : run.hops().afterNanos());
        put("regime", run == null ? null : run.hops().regime());
    }

    private void throughput(RunRecord run, Ceilings ceilings) {
        flow("in", run == null ? null : run.throughput().in());
        flow("out", run == null ? null : run.throughput().out());
        put("ceiling_source", ceilings == null ? null : ceilings.source());
        put("ceiling_msg_per_s", ceilings == null ? null : ceilings.batched().messagesPerSecond());
        put("ceiling_bytes_per_s", ceilings == null ? null : ceilings.batched().bytesPerSecond());
        boolean single = ceilings != null && ceilings.single() != null;
        put("single_ceiling_msg_per_s", single ? ceilings.single().messagesPerSecond() : null);
        put("single_ceiling_bytes_per_s", single ? ceilings.single().bytesPerSecond() : null);
        put("ingress_fraction", run == null ? null : run.throughput().ingressFraction());
        put("egress_fraction", run == null ? null : run.throughput().egressFraction());
    }

    private void flow(String name, Flow flow) {
        put(name + "_messages", flow == null ? null : flow.messages());
        put(name + "_msg_per_s", flow == null ? null : flow.messagesPerSecond());
        put(name + "_bytes_per_s", flow == null ? null : flow.bytesPerSecond());
    }

    private void histogram(String name, Histogram histogram) {
        boolean recorded = histogram != null && histogram.getTotalCount() > 0;
        put(name + "_recorded", histogram == null ? null : histogram.getTotalCount());
        for (double percentile : Delays.PERCENTILES) {
            put(
                    name + "_p" + RunJson.name(percentile) + "_ns",
                    recorded ? histogram.getValueAtPercentile(percentile) : null);
        }
        put(name + "_max_ns", recorded ? histogram.getMaxValue() : null);
    }

    private void correctness(Correctness correctness) {
        put("checked", correctness == null ? null : correctness.checked());
        put("lost", sum(correctness, SubscriberRecord::lost));
        put("duplicated", sum(correctness, SubscriberRecord::duplicated));
        put("reordered", sum(correctness, SubscriberRecord::reordered));
        put("corrupted", sum(correctness, SubscriberRecord::corrupted));
        put("closed", sum(correctness, one -> one.closed() == null ? 0 : 1));
        put("scheduled", correctness == null ? null : correctness.schedule().scheduled());
        put("late", correctness == null ? null : correctness.schedule().late());
        put("worst_late_ns", correctness == null ? null : correctness.schedule().worstLateNanos());
    }

    private static Long sum(Correctness correctness, ToLongFunction<SubscriberRecord> count) {
        return correctness == null
                ? null
                : correctness.subscribers().stream().mapToLong(count).sum();
    }

    private void resources(Resources resources) {
        put("cpu_s", resources == null ? null : resources.cpuSeconds());
        boolean known = resources != null && resources.boundBy() != null;
        put("bound_by", known ? resources.boundBy().kind() : null);
    }

    private void put(String column, Object value) {
        row.put(column, text(value));
    }

    private static String text(Object value) {
        if (value instanceof Double number) {
            return Double.isFinite(number)
                    ? new BigDecimal(number.toString()).stripTrailingZeros().toPlainString()
                    : "";
        }
        return value == null ? "" : value.toString();
    }

    private static String quoted(String text) {
        boolean plain = text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\r' || c == '\n');
        return plain ? text : '"' + text.replace("\"", "\"\"") + '"';
    }

    private void line(String text) {
        out.append(text).append(LINE_END);
    }
}
