package dev.msgrelay.loadgen.report;

import dev.msgrelay.loadgen.render.Csv;
import dev.msgrelay.loadgen.render.Table;
import dev.msgrelay.loadgen.render.Table.Column;
import dev.msgrelay.loadgen.render.Table.Value;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Cell.Ceilings;
import dev.msgrelay.loadgen.result.Figures;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.Parameters;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.RunRecord.Correctness;
import dev.msgrelay.loadgen.run.SubscriberResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/** All runs as CSV, a row for each. New columns come last, old ones stay. */
final class RunsCsv {
    private static final double SECOND_NANOS = 1e9;

    /** A run and where it belongs. */
    private record Row(LaneResult lane, Cell cell, RunRecord run) {
        Parameters load() {
            return cell.parameters();
        }

        Correctness correctness() {
            return run.correctness();
        }
    }

    /** The names and what stands under them. */
    private static final Map<String, Function<Row, Object>> COLUMNS = columns();

    private RunsCsv() {}

    /** The whole file; without a run the first line alone. */
    static String of(Results results) {
        List<List<Value>> rows = new ArrayList<>();
        for (LaneResult lane : results.lanes()) {
            for (Cell cell : lane.cells()) {
                for (RunRecord run : cell.runs()) {
                    Row row = new Row(lane, cell, run);
                    rows.add(COLUMNS.values().stream()
                            .map(column -> Value.of(column.apply(row)))
                            .toList());
                }
            }
        }
        return Csv.of(new Table(
                "",
                COLUMNS.keySet().stream()
                        .map(name -> new Column(name, Unit.PLAIN))
                        .toList(),
                rows));
    }

    private static Map<String, Function<Row, Object>> columns() {
        Map<String, Function<Row, Object>> all = new LinkedHashMap<>();
        all.put("lane", row -> row.lane().name());
        all.put("emulated", row -> row.lane().emulated());
        all.put("publishers_at", row -> row.lane().places().publishers());
        all.put("subscribers_at", row -> row.lane().places().subscribers());
        all.put("body", row -> row.load().body().text());
        all.put("mean_body_bytes", row -> row.load().body().meanBytes());
        all.put("publishers", row -> row.load().publishers());
        all.put("subscribers", row -> row.load().subscribers());
        all.put("batch", row -> row.load().batch());
        all.put("rate", row -> row.load().rate());
        all.put("mtu", row -> row.load().mtu());
        all.put("burst", row -> row.load().burst());
        all.put("round", row -> row.run().moment().round());
        all.put("started", row -> row.run().moment().started());
        all.put("warmup_s", row -> row.run().moment().warmupNanos() / SECOND_NANOS);
        all.put("measured_s", row -> row.run().moment().measuredNanos() / SECOND_NANOS);
        all.put("passed", row -> row.run().outcome().passed());
        all.put("partial", row -> row.run().outcome().partial());
        all.put("failures", row -> String.join("; ", row.run().outcome().failures()));
        all.put("marks", row -> String.join("; ", row.run().outcome().marks()));
        all.put("hop_before_ns", row -> row.run().hops().beforeNanos());
        all.put("hop_after_ns", row -> row.run().hops().afterNanos());
        all.put("regime", row -> row.run().hops().regime());
        all.put(
                "in_messages",
                row -> row.run().throughput().in() == null
                        ? null
                        : row.run().throughput().in().messages());
        all.put("in_msg_per_s", row -> Figures.in(row.run()));
        all.put("in_bytes_per_s", row -> Figures.bytesIn(row.run()));
        all.put("out_messages", row -> row.run().throughput().out().messages());
        all.put("out_msg_per_s", row -> Figures.out(row.run()));
        all.put("out_bytes_per_s", row -> Figures.bytesOut(row.run()));
        all.put("ceiling_source", row -> ceiling(row, Ceilings::source));
        all.put("ceiling_msg_per_s", row -> ceiling(row, one -> one.batched().messagesPerSecond()));
        all.put("ceiling_bytes_per_s", row -> ceiling(row, one -> one.batched().bytesPerSecond()));
        all.put(
                "single_ceiling_msg_per_s",
                row -> ceiling(
                        row, one -> one.single() == null ? null : one.single().messagesPerSecond()));
        all.put(
                "single_ceiling_bytes_per_s",
                row -> ceiling(
                        row, one -> one.single() == null ? null : one.single().bytesPerSecond()));
        all.put("ingress_fraction", row -> row.run().throughput().ingressFraction());
        all.put("egress_fraction", row -> row.run().throughput().egressFraction());
        histogram(
                all,
                "latency",
                row -> row.run().delays().latency(),
                percentile -> row -> Figures.latency(row.run(), percentile));
        histogram(
                all,
                "skew",
                row -> row.run().delays().skew() == null
                        ? null
                        : row.run().delays().skew().nanos(),
                percentile -> row -> Figures.skew(row.run(), percentile));
        all.put("checked", row -> row.correctness().checked());
        all.put("lost", row -> row.correctness().sum(SubscriberResult::lost));
        all.put("duplicated", row -> row.correctness().sum(SubscriberResult::duplicated));
        all.put("reordered", row -> row.correctness().sum(SubscriberResult::reordered));
        all.put("corrupted", row -> row.correctness().sum(SubscriberResult::corrupted));
        all.put("closed", row -> row.correctness().sum(one -> one.closed() == null ? 0 : 1));
        all.put("scheduled", row -> row.correctness().schedule().scheduled());
        all.put("late", row -> row.correctness().schedule().late());
        all.put("worst_late_ns", row -> row.correctness().schedule().worstNanos());
        all.put("cpu_s", row -> row.run().resources().cpuSeconds());
        all.put(
                "bound_by",
                row -> row.run().resources().boundBy() == null
                        ? null
                        : row.run().resources().boundBy().kind());
        all.put("contestant", row -> row.cell().contestant());
        histogram(
                all,
                "time_in_queue",
                row -> row.run().delays().timeInQueue(),
                percentile -> row -> Figures.timeInQueue(row.run(), percentile));
        all.put("longest_gap_ns", row -> Figures.longestGap(row.run()));
        all.put("check_ns", row -> row.correctness().checkNanos());
        all.put("acks", row -> row.load().clients().acks());
        histogram(
                all,
                "acknowledged",
                row -> row.run().delays().acknowledged(),
                percentile -> row -> Figures.acknowledged(row.run(), percentile));
        return all;
    }

    private static void histogram(
            Map<String, Function<Row, Object>> all,
            String name,
            Function<Row, Histogram> which,
            DoubleFunction<Function<Row, Object>> at) {
        all.put(
                name + "_recorded",
                row -> which.apply(row) == null ? null : which.apply(row).getTotalCount());
        for (double percentile : Figures.PERCENTILES) {
            all.put(name + "_" + Figures.name(percentile) + "_ns", at.apply(percentile));
        }
        all.put(name + "_max_ns", at.apply(100));
    }

    private static Object ceiling(Row row, Function<Ceilings, Object> figure) {
        return row.cell().ceilings() == null ? null : figure.apply(row.cell().ceilings());
    }
}
