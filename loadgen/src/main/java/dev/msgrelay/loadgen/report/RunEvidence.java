package dev.msgrelay.loadgen.report;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.evidence.BoundBy;
import dev.msgrelay.loadgen.evidence.Signals.Standstills;
import dev.msgrelay.loadgen.plan.Histograms;
import dev.msgrelay.loadgen.plan.Punctuality;
import dev.msgrelay.loadgen.plan.Still;
import dev.msgrelay.loadgen.plan.SubscriberResult;
import dev.msgrelay.loadgen.plan.SubscriberResult.Faults;
import dev.msgrelay.loadgen.plan.Traffic;
import dev.msgrelay.loadgen.render.Table;
import dev.msgrelay.loadgen.render.Table.Field;
import dev.msgrelay.loadgen.render.TextTable;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.RunRecord.Correctness;
import dev.msgrelay.loadgen.result.RunRecord.Delays;
import dev.msgrelay.loadgen.result.RunRecord.Resources.ProcessUse;
import dev.msgrelay.loadgen.result.RunRecord.Resources.Relay;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/**
 * Formats the evidence of one run: each subscriber and process, the schedule, the relay's report, and the bottleneck.
 */
final class RunEvidence {
    private static final List<Double> PERCENTILES = List.of(50.0, 90.0, 99.0, 99.9);

    /** Up to this many subscribers are all listed. If there are more, only those with a fault are listed. */
    private static final int SUBSCRIBERS_LISTED = 16;

    private final StringBuilder text = new StringBuilder();

    private RunEvidence() {}

    static String of(String pace, RunRecord run) {
        RunEvidence told = new RunEvidence();
        told.append(pace, run);
        return told.text.toString();
    }

    private void append(String pace, RunRecord run) {
        line("at %s:", pace);
        if (run.throughput().in() != null) {
            line("in   %s", rate(run.throughput().in()));
        }
        line("out  %s", rate(run.throughput().out()));
        subscribers(run.correctness());
        schedule(run.correctness().schedule());
        boolean timed = run.delays().latency() != null;
        Histogram recorded = timed ? run.delays().latency() : run.delays().timeInQueue();
        if (recorded != null && recorded.getTotalCount() > 0) {
            line(
                    "%s  %smax %s  (one message in %d)",
                    timed ? "latency" : "time in queue",
                    percentiles(recorded),
                    nanos(recorded.getMaxValue()),
                    run.delays().oneMessageIn());
        }
        still(run.still());
        text.append(TextTable.of(Table.of(
                "",
                run.resources().processes(),
                List.of(
                        Field.text("process", ProcessUse::name),
                        Field.text("site", ProcessUse::site),
                        Field.of("CPU", Unit.SECONDS, ProcessUse::cpuSeconds),
                        Field.of("peak memory", Unit.BYTES, ProcessUse::peakResidentBytes)))));
        Relay relay = run.resources().relay();
        if (relay != null) {
            line(
                    "relay: %d garbage collections (%d ms) within the window, largest lag %s, connections ended %s",
                    relay.gcCount(), relay.gcMillis(), Unit.BYTES.ascii(relay.largestLagBytes()), relay.closes());
        }
        BoundBy bound = run.resources().boundBy();
        line("bound by %s:", bound.kind());
        bound.reasons().forEach(reason -> line("  %s", reason));
        run.outcome().observed().forEach(one -> line("%s", one.text()));
        run.outcome().environment().forEach(line -> line("the machine was busy: %s", line));
    }

    private void still(Standstills still) {
        line(
                "longest gap between two deliveries to a subscriber %s; %,d of 100 ms or longer, %s in all",
                longest(still.deliveries()),
                still.deliveries().count(),
                nanos(still.deliveries().totalNanos()));
        line(
                "stood still at most: publishers %s, subscribers %s, a process that only sleeps %s",
                longest(still.publishers()), longest(still.subscribers()), longest(still.machine()));
    }

    private void subscribers(Correctness all) {
        if (all.checked()) {
            boolean list = all.subscribers().size() <= SUBSCRIBERS_LISTED;
            text.append(TextTable.of(Table.of(
                    "",
                    all.subscribers().stream()
                            .filter(one -> list || !one.isClean())
                            .toList(),
                    List.of(
                            Field.of("subscriber", Unit.WHOLE, SubscriberResult::index),
                            Field.of("messages", Unit.WHOLE, SubscriberResult::messages),
                            Field.of("lost", Unit.WHOLE, SubscriberResult::lost),
                            Field.of("not delivered", Unit.WHOLE, SubscriberResult::undelivered),
                            fault("duplicated", Faults::duplicated),
                            fault("reordered", Faults::reordered),
                            fault("corrupted", Faults::corrupted),
                            Field.text(
                                    "connection", one -> one.closed() == null ? "kept" : "ended: " + one.closed())))));
        }
    }

    private static Field<SubscriberResult> fault(String title, ToLongFunction<Faults> count) {
        return Field.of(title, Unit.WHOLE, one -> count.applyAsLong(one.faults()));
    }

    private void schedule(Punctuality kept) {
        if (kept.scheduled() > 0) {
            line(
                    "on time: %.3f %% left within 1 ms of their time (%,d late); after it left  p50 %s  p99 %s  max %s",
                    100 * (1 - kept.lateShare()),
                    kept.late(),
                    nanos(kept.lateness().getValueAtPercentile(50)),
                    nanos(kept.lateness().getValueAtPercentile(99)),
                    nanos(kept.lateness().getMaxValue()));
        }
    }

    static String percentiles(Histogram recorded) {
        return PERCENTILES.stream()
                .map(one -> Histograms.name(one) + " " + nanos(Delays.at(recorded, one)) + "   ")
                .collect(Collectors.joining());
    }

    /** Returns the longest standstill; "unknown" without a report. */
    static String longest(Still still) {
        return still.longestNanos() == 0 ? "unknown" : nanos(still.longestNanos());
    }

    static String rate(Traffic traffic) {
        return rate(traffic.messagesPerSecond(), traffic.bytesPerSecond());
    }

    static String rate(double messages, double bytes) {
        return Unit.COUNT.ascii(messages) + " msg/s, " + Unit.BYTES_PER_SECOND.ascii(bytes);
    }

    static String nanos(double nanos) {
        return Unit.NANOS.ascii(nanos);
    }

    private void line(String pattern, Object... values) {
        text.append(format(pattern, values).stripTrailing()).append('\n');
    }
}
