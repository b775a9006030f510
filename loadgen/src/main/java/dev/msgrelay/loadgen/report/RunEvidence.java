package dev.msgrelay.loadgen.report;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.bound.BoundBy;
import dev.msgrelay.loadgen.bound.Signals.Standstills;
import dev.msgrelay.loadgen.render.Table;
import dev.msgrelay.loadgen.render.Table.Field;
import dev.msgrelay.loadgen.render.TextTable;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.run.Punctuality;
import dev.msgrelay.loadgen.run.RelayFigures;
import dev.msgrelay.loadgen.run.RunResult.Correctness;
import dev.msgrelay.loadgen.run.RunResult.Delay;
import dev.msgrelay.loadgen.run.RunResult.Delays;
import dev.msgrelay.loadgen.run.SubscriberResult;
import dev.msgrelay.loadgen.run.Traffic;
import java.util.List;

/** The evidence of one part of a run: each subscriber and process, the schedule, the relay's word, and what bound it. */
final class RunEvidence {
    /** More subscribers than this are told as one line, as long as nothing is wrong with any of them. */
    private static final int SUBSCRIBERS_LISTED = 16;

    private final StringBuilder text = new StringBuilder();

    private RunEvidence() {}

    static String of(RunTable.Part part) {
        RunEvidence evidence = new RunEvidence();
        evidence.explain(part);
        return evidence.text.toString();
    }

    private void explain(RunTable.Part part) {
        RunRecord run = part.run();
        line("");
        line("%s:", part.isPaced() ? "at " + RunTable.pace(part.load()) : "at full speed");
        traffic("in", run.throughput().in());
        traffic("out", run.throughput().out());
        subscribers(run);
        schedule(run);
        delays(run.delays());
        still(part.still());
        text.append(TextTable.of(Tables.processes(List.of(run))));
        relay(run);
        reasons(run);
        run.outcome().observed().forEach(one -> line("%s", one.text()));
        run.outcome().environment().forEach(line -> line("the machine was busy: %s", line));
    }

    private void traffic(String name, Traffic traffic) {
        if (traffic != null) {
            line("%-4s %s, %,d messages", name, RunTable.rate(traffic), traffic.messages());
        }
    }

    private void still(Standstills still) {
        line(
                "longest gap between two deliveries to a subscriber %s; %,d of 100 ms or longer, %s in all",
                RunTable.longest(still.deliveries()),
                still.deliveries().count(),
                RunTable.nanos(still.deliveries().totalNanos()));
        line(
                "stood still at most: publishers %s, subscribers %s, a process that only sleeps %s",
                RunTable.longest(still.publishers()),
                RunTable.longest(still.subscribers()),
                RunTable.longest(still.machine()));
    }

    private void subscribers(RunRecord run) {
        Correctness all = run.correctness();
        if (!all.checked()) {
            return;
        }
        boolean list = all.subscribers().size() <= SUBSCRIBERS_LISTED;
        List<SubscriberResult> listed = all.subscribers().stream()
                .filter(one -> list || !Tables.isClean(one))
                .toList();
        text.append(TextTable.of(Table.of(
                "",
                listed,
                List.of(
                        Field.of("subscriber", Unit.WHOLE, SubscriberResult::index),
                        Field.of("messages", Unit.WHOLE, SubscriberResult::messages),
                        Field.of("lost", Unit.WHOLE, SubscriberResult::lost),
                        Field.of("not delivered", Unit.WHOLE, SubscriberResult::undelivered),
                        Field.of("duplicated", Unit.WHOLE, SubscriberResult::duplicated),
                        Field.of("reordered", Unit.WHOLE, SubscriberResult::reordered),
                        Field.of("corrupted", Unit.WHOLE, SubscriberResult::corrupted),
                        Field.text("connection", Tables::connection)))));
    }

    private void schedule(RunRecord run) {
        Punctuality kept = run.correctness().schedule();
        if (kept.scheduled() > 0) {
            line(
                    "on time: %.3f %% left within 1 ms of their time (%,d late); after it left  p50 %s  p99 %s  max %s",
                    100 * (1 - kept.lateShare()),
                    kept.late(),
                    RunTable.nanos(kept.lateness().getValueAtPercentile(50)),
                    RunTable.nanos(kept.lateness().getValueAtPercentile(99)),
                    RunTable.nanos(kept.lateness().getMaxValue()));
        }
    }

    private void delays(Delays delays) {
        boolean paced = delays.has(Delay.LATENCY);
        Delay which = paced ? Delay.LATENCY : Delay.TIME_IN_QUEUE;
        if (delays.has(which)) {
            line(
                    "%s  %smax %s  (%s, %s)",
                    paced ? "latency" : "time in queue",
                    RunTable.percentiles(delays, which),
                    RunTable.nanos(delays.at(which, 100)),
                    sampled(delays.oneMessageIn()),
                    paced ? "from the intended time of sending" : "from the write to the read");
        }
    }

    private static String sampled(long sampling) {
        return sampling == 1 ? "every message" : "one message in " + sampling;
    }

    private void relay(RunRecord run) {
        RelayFigures relay = run.resources().relay();
        if (relay != null) {
            line(
                    "relay: %d garbage collections (%d ms) within the window, largest lag %s, connections ended %s",
                    relay.gcCount(), relay.gcMillis(), Unit.BYTES.plain(relay.largestLagBytes()), relay.closes());
        }
    }

    private void reasons(RunRecord run) {
        BoundBy bound = run.resources().boundBy();
        if (bound == null) {
            return;
        }
        line("bound by %s:", bound.text());
        bound.reasons().forEach(reason -> line("  %s", reason));
        if (!bound.unseen().isEmpty() && bound.kind() != BoundBy.Kind.NOTHING) {
            line("  not seen: %s", String.join(", ", bound.unseen()));
        }
    }

    private void line(String pattern, Object... values) {
        text.append(format(pattern, values).stripTrailing()).append('\n');
    }
}
