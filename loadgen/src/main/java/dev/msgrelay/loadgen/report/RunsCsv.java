package dev.msgrelay.loadgen.report;

import dev.msgrelay.loadgen.render.Csv;
import dev.msgrelay.loadgen.render.Table;
import dev.msgrelay.loadgen.render.Table.Field;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Figures;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.Parameters;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.run.RunResult.Correctness;
import dev.msgrelay.loadgen.run.RunResult.Delay;
import dev.msgrelay.loadgen.run.SubscriberResult;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** All runs as CSV, a row for each. New columns come last, old ones stay. */
final class RunsCsv {
    private static final double SECOND_NANOS = 1e9;

    private final List<Field<Row>> columns = new ArrayList<>();

    /** A run and where it belongs. */
    private record Row(LaneResult lane, Cell cell, RunRecord run) {}

    private RunsCsv() {
        lane();
        run();
        throughput();
        delay(Delay.LATENCY);
        delay(Delay.SKEW);
        checks();
        column("cpu_s", row -> row.run.resources().cpuSeconds());
        column(
                "bound_by",
                row -> row.run.resources().boundBy() == null
                        ? null
                        : row.run.resources().boundBy().kind());
        column("contestant", row -> row.cell.contestant());
        delay(Delay.TIME_IN_QUEUE);
        ofRun("longest_gap_ns", Figures::longestGap);
        ofChecks("check_ns", Correctness::checkNanos);
        ofLoad("acks", load -> load.clients().acks());
        delay(Delay.ACKNOWLEDGED);
    }

    /** The whole file; without a run the first line alone. */
    static String of(Results results) {
        List<Row> rows = new ArrayList<>();
        for (LaneResult lane : results.lanes()) {
            for (Cell cell : lane.cells()) {
                cell.runs().forEach(run -> rows.add(new Row(lane, cell, run)));
            }
        }
        return Csv.of(Table.of("", rows, new RunsCsv().columns));
    }

    private void lane() {
        column("lane", row -> row.lane.name());
        column("emulated", row -> row.lane.emulated());
        column("publishers_at", row -> row.lane.places().publishers());
        column("subscribers_at", row -> row.lane.places().subscribers());
        ofLoad("body", load -> load.body().text());
        ofLoad("mean_body_bytes", load -> load.body().meanBytes());
        ofLoad("publishers", Parameters::publishers);
        ofLoad("subscribers", Parameters::subscribers);
        ofLoad("batch", Parameters::batch);
        ofLoad("rate", Parameters::rate);
        ofLoad("mtu", Parameters::mtu);
        ofLoad("burst", Parameters::burst);
    }

    private void run() {
        ofRun("round", run -> run.moment().round());
        ofRun("started", run -> run.moment().started());
        ofRun("warmup_s", run -> run.moment().warmupNanos() / SECOND_NANOS);
        ofRun("measured_s", run -> run.moment().measuredNanos() / SECOND_NANOS);
        ofRun("passed", run -> run.outcome().passed());
        ofRun("partial", run -> run.outcome().partial());
        ofRun("failures", run -> String.join("; ", run.outcome().failures()));
        ofRun("environment", run -> String.join("; ", run.outcome().environment()));
    }

    private void throughput() {
        ofRun(
                "in_messages",
                run -> run.throughput().in() == null
                        ? null
                        : run.throughput().in().messages());
        ofRun("in_msg_per_s", Figures::in);
        ofRun("in_bytes_per_s", Figures::bytesIn);
        ofRun("out_messages", run -> run.throughput().out().messages());
        ofRun("out_msg_per_s", Figures::out);
        ofRun("out_bytes_per_s", Figures::bytesOut);
        column(
                "ceiling_source",
                row -> row.cell.ceilings() == null ? null : row.cell.ceilings().source());
        column("ceiling_msg_per_s", row -> row.cell.batchedCeiling().messagesPerSecond());
        column("ceiling_bytes_per_s", row -> row.cell.batchedCeiling().bytesPerSecond());
        column("single_ceiling_msg_per_s", row -> row.cell.singleCeiling().messagesPerSecond());
        column("single_ceiling_bytes_per_s", row -> row.cell.singleCeiling().bytesPerSecond());
        ofRun("ingress_fraction", run -> run.throughput().ingressFraction());
        ofRun("egress_fraction", run -> run.throughput().egressFraction());
    }

    private void checks() {
        ofChecks("checked", Correctness::checked);
        ofChecks("lost", all -> all.sum(SubscriberResult::lost));
        ofChecks("duplicated", all -> all.sum(SubscriberResult::duplicated));
        ofChecks("reordered", all -> all.sum(SubscriberResult::reordered));
        ofChecks("corrupted", all -> all.sum(SubscriberResult::corrupted));
        ofChecks("closed", all -> all.sum(one -> one.closed() == null ? 0 : 1));
        ofChecks("scheduled", all -> all.schedule().scheduled());
        ofChecks("late", all -> all.schedule().late());
        ofChecks("worst_late_ns", all -> all.schedule().worstNanos());
    }

    private void delay(Delay which) {
        ofRun(
                which + "_recorded",
                run -> run.delays().of(which) == null
                        ? null
                        : run.delays().of(which).getTotalCount());
        for (double percentile : Figures.PERCENTILES) {
            ofRun(which + "_" + Figures.name(percentile) + "_ns", run -> run.delays()
                    .at(which, percentile));
        }
        ofRun(which + "_max_ns", run -> run.delays().at(which, 100));
    }

    private void column(String name, Function<Row, Object> value) {
        columns.add(Field.of(name, Unit.PLAIN, value));
    }

    private void ofLoad(String name, Function<Parameters, Object> value) {
        column(name, row -> value.apply(row.cell.parameters()));
    }

    private void ofRun(String name, Function<RunRecord, Object> value) {
        column(name, row -> value.apply(row.run));
    }

    private void ofChecks(String name, Function<Correctness, Object> value) {
        column(name, row -> value.apply(row.run.correctness()));
    }
}
