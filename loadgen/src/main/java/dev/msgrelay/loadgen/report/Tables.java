package dev.msgrelay.loadgen.report;

import static dev.msgrelay.loadgen.render.Table.row;

import dev.msgrelay.loadgen.render.Mark;
import dev.msgrelay.loadgen.render.Table;
import dev.msgrelay.loadgen.render.Table.Column;
import dev.msgrelay.loadgen.render.Table.Field;
import dev.msgrelay.loadgen.render.Table.Value;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Counted;
import dev.msgrelay.loadgen.result.Figures;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.Results.Ratio;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.Spread;
import dev.msgrelay.loadgen.run.ProcessUse;
import dev.msgrelay.loadgen.run.Punctuality;
import dev.msgrelay.loadgen.run.RunResult.Correctness;
import dev.msgrelay.loadgen.run.RunResult.Delay;
import dev.msgrelay.loadgen.run.SubscriberResult;
import dev.msgrelay.protocol.text.ShortText;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The content of results as tables: a terminal and a page show the same ones. */
final class Tables {
    private static final double SECOND_NANOS = 1e9;

    /** Subscribers that something is wrong with are listed up to here. */
    private static final int SUBSCRIBERS_LISTED = 20;

    /** More runs than this get no column each. */
    private static final int RUNS_LISTED = 8;

    private static final Field<RunRecord> ROUND =
            Field.of("round", Unit.WHOLE, run -> run.moment().round());

    private Tables() {}

    /** A cell and the runs that stand for it. */
    private record Row(Cell cell, Counted runs) {
        static Row of(Cell cell) {
            return new Row(cell, Counted.of(cell));
        }

        /** One run has no spread. */
        double edge(ToDoubleFunction<Spread> which) {
            return runs.runs().size() < 2 ? Double.NaN : which.applyAsDouble(runs.over(Figures::bytesOut));
        }

        double median(Delay which, double percentile) {
            return runs.median(run -> run.delays().at(which, percentile));
        }
    }

    /** A line for each cell: medians of the runs that stand for it. */
    static Table lane(String caption, LaneResult lane) {
        List<Field<Row>> fields = List.of(
                Field.text(
                        "publishers \u2192 subscribers",
                        row -> typeset(row.cell().title())),
                Field.of("in, msg/s", Unit.COUNT, row -> row.runs().median(Figures::in)),
                Field.of("out, msg/s", Unit.COUNT, row -> row.runs().median(Figures::out)),
                Field.of("out", Unit.BYTES_PER_SECOND, row -> row.runs().median(Figures::bytesOut)),
                Field.of("least", Unit.BYTES_PER_SECOND, row -> row.edge(Spread::min)),
                Field.of("most", Unit.BYTES_PER_SECOND, row -> row.edge(Spread::max)),
                Field.of("ceiling", Unit.BYTES_PER_SECOND, row -> row.cell()
                        .batchedCeiling()
                        .bytesPerSecond()),
                Field.of(
                        "of it", Unit.FRACTION, row -> Value.fraction(row.runs().median(Figures::fraction))),
                Field.of("p50", Unit.NANOS, row -> row.median(Delay.LATENCY, 50)),
                Field.of("p99", Unit.NANOS, row -> row.median(Delay.LATENCY, 99)),
                Field.of("p99.9", Unit.NANOS, row -> row.median(Delay.LATENCY, 99.9)),
                Field.of("late", Unit.FRACTION, row -> row.runs().median(Figures::late)),
                Field.of("time in queue", Unit.NANOS, row -> row.median(Delay.TIME_IN_QUEUE, 50)),
                Field.of("longest gap", Unit.NANOS, row -> row.runs().median(Figures::longestGap)),
                Field.of("relay, cores", Unit.PLAIN, row -> row.runs().median(run -> Figures.cores(run, Cell.RELAY))),
                Field.of("all, cores", Unit.PLAIN, row -> row.runs().median(Figures::cores)),
                Field.text("bound by", row -> row.runs().boundBy()),
                Field.text("runs", row -> counted(row.runs())));
        return Table.of(caption, lane.cells().stream().map(Row::of).toList(), fields)
                .withoutEmpty();
    }

    /** "3 of 4"; marked where some are left out. */
    static Value counted(Counted counted) {
        int runs = counted.runs().size();
        if (!counted.counts()) {
            return Value.marked(
                    runs == 0 ? "none of " + counted.total() + " is valid" : "none of " + counted.total() + " counts",
                    Mark.BAD);
        }
        return runs == counted.total() ? Value.of(runs) : Value.marked(runs + " of " + counted.total(), Mark.WARN);
    }

    static Table ratios(List<Ratio> ratios) {
        return Table.of(
                "Ratios",
                ratios,
                List.of(
                        Field.text("load", one -> typeset(one.title())),
                        Field.text("figure", Ratio::figure),
                        Field.text("a", Ratio::a),
                        Field.text("b", Ratio::b),
                        Field.of("a", Unit.COUNT, Ratio::medianA),
                        Field.of("b", Unit.COUNT, Ratio::medianB),
                        Field.of("b / a", Unit.RATIO, Ratio::ratio),
                        Field.of("from", Unit.RATIO, Ratio::low),
                        Field.of("to", Unit.RATIO, Ratio::high),
                        Field.of("runs", Unit.WHOLE, Ratio::runsB),
                        Field.of("sees from, %", Unit.PLAIN, Ratio::smallestSeenPercent),
                        Field.text("asked", Tables::asked),
                        Field.text(
                                "verdict", one -> Value.marked(one.verdict(), one.isMet() ? Mark.NONE : Mark.WARN))));
    }

    private static String asked(Ratio one) {
        return Double.isNaN(one.limit())
                ? ""
                : (one.atMost() ? "at most " : "at least ") + Unit.PLAIN.text(one.limit());
    }

    static Table skipped(List<LaneResult> lanes) {
        return Table.of(
                "Skipped",
                lanes,
                List.of(
                        Field.text("lane", LaneResult::label),
                        Field.text("why", lane -> Value.marked(lane.skipped(), Mark.WARN))));
    }

    static Table throughput(List<RunRecord> runs) {
        return Table.of(
                        "Throughput",
                        runs,
                        List.of(
                                ROUND,
                                Field.of("in, msg/s", Unit.COUNT, Figures::in),
                                Field.of("in", Unit.BYTES_PER_SECOND, Figures::bytesIn),
                                Field.of("out, msg/s", Unit.COUNT, Figures::out),
                                Field.of("out", Unit.BYTES_PER_SECOND, Figures::bytesOut),
                                Field.of(
                                        "in of ceiling",
                                        Unit.FRACTION,
                                        run -> Value.fraction(run.throughput().ingressFraction())),
                                Field.of(
                                        "out of ceiling",
                                        Unit.FRACTION,
                                        run -> Value.fraction(run.throughput().egressFraction())),
                                Field.of("longest gap between deliveries", Unit.NANOS, Figures::longestGap),
                                Field.text("", Tables::state)))
                .withoutEmpty();
    }

    private static Value state(RunRecord run) {
        if (!run.outcome().passed()) {
            return Value.marked("FAIL", Mark.BAD);
        }
        if (run.outcome().partial()) {
            return Value.marked("partial", Mark.WARN);
        }
        String said = brief(run);
        return said.isEmpty() ? Value.of("") : Value.marked(said, Mark.WARN);
    }

    /** "disturbed", "stand-stills": what its lines say in full elsewhere; empty where there is nothing to say. */
    static String brief(RunRecord run) {
        Stream<String> machine = run.outcome().environment().stream().map(line -> "disturbed");
        return Stream.concat(
                        machine.distinct(),
                        run.outcome().observed().stream().map(one -> one.kind().title()))
                .collect(Collectors.joining(", "));
    }

    /** Delays: latency at a rate, time in queue at full speed. */
    static Table delays(List<RunRecord> runs) {
        boolean queue = runs.stream().anyMatch(run -> run.delays().has(Delay.TIME_IN_QUEUE));
        Delay which = queue ? Delay.TIME_IN_QUEUE : Delay.LATENCY;
        List<Field<RunRecord>> fields = new ArrayList<>(List.of(ROUND));
        for (double percentile : new double[] {50, 90, 99, 99.9, 100}) {
            fields.add(
                    Field.of(name(percentile), Unit.NANOS, run -> run.delays().at(which, percentile)));
        }
        fields.add(Field.of(
                "recorded",
                Unit.COUNT,
                run -> run.delays().has(which) ? run.delays().of(which).getTotalCount() : Double.NaN));
        fields.add(Field.of("1 in", Unit.WHOLE, run -> run.delays().oneMessageIn()));
        return Table.of(
                queue
                        ? "Time in queue, from the write of a message to its read"
                        : "Latency, from the intended time of sending",
                runs,
                fields);
    }

    private static String name(double percentile) {
        return percentile == 100 ? "max" : Figures.name(percentile);
    }

    /** A row for each run, and for each of its subscribers that something is wrong with. */
    static Table verification(List<RunRecord> runs) {
        List<List<Value>> rows = new ArrayList<>();
        for (RunRecord run : runs) {
            Correctness all = run.correctness();
            boolean checked = all.checked();
            rows.add(row(
                    run.moment().round(),
                    "all " + all.subscribers().size(),
                    all.sum(SubscriberResult::messages),
                    wrong(checked, all.sum(SubscriberResult::lost)),
                    wrong(checked, all.sum(SubscriberResult::undelivered)),
                    wrong(checked, all.sum(SubscriberResult::duplicated)),
                    wrong(checked, all.sum(SubscriberResult::reordered)),
                    wrong(checked, all.sum(SubscriberResult::corrupted)),
                    all.sum(one -> one.closed() == null ? 0 : 1) == 0 ? "kept" : "ended",
                    late(all.schedule()),
                    verdict(run)));
            all.subscribers().stream()
                    .filter(one -> !isClean(one))
                    .limit(SUBSCRIBERS_LISTED)
                    .forEach(one -> rows.add(row(
                            run.moment().round(),
                            "subscriber " + one.index(),
                            one.messages(),
                            wrong(true, one.lost()),
                            wrong(true, one.undelivered()),
                            wrong(true, one.duplicated()),
                            wrong(true, one.reordered()),
                            wrong(true, one.corrupted()),
                            connection(one),
                            "",
                            "")));
            all.slow().forEach(one -> rows.add(slow(run, one)));
        }
        return new Table(
                "Verification",
                List.of(
                        new Column("round", Unit.WHOLE),
                        Column.text("subscribers"),
                        new Column("messages", Unit.WHOLE),
                        new Column("lost", Unit.WHOLE),
                        new Column("not delivered", Unit.WHOLE),
                        new Column("duplicated", Unit.WHOLE),
                        new Column("reordered", Unit.WHOLE),
                        new Column("corrupted", Unit.WHOLE),
                        Column.text("connections"),
                        Column.text("sent late, over 1 ms"),
                        Column.text("")),
                rows);
    }

    private static List<Value> slow(RunRecord run, SubscriberResult one) {
        return row(
                run.moment().round(),
                "slow subscriber",
                one.messages(),
                one.told().missed(),
                "",
                wrong(true, one.faults().duplicated()),
                wrong(true, one.faults().reordered()),
                wrong(true, one.faults().corrupted()),
                one.closed() == null ? "kept" : "cut off: " + one.closed(),
                "",
                Unit.format(
                        "what it missed was told in %,d %s",
                        one.told().gaps(), ShortText.plural(one.told().gaps(), "gap")));
    }

    static String connection(SubscriberResult one) {
        return one.closed() == null ? "kept" : "ended: " + one.closed();
    }

    /** Whether nothing is wrong with what it got. */
    static boolean isClean(SubscriberResult one) {
        return one.lost() + one.undelivered() + one.duplicated() + one.reordered() + one.corrupted() == 0
                && one.closed() == null;
    }

    private static Value verdict(RunRecord run) {
        if (!run.outcome().passed()) {
            return Value.marked("FAIL", Mark.BAD);
        }
        return run.correctness().checked() ? Value.marked("PASS", Mark.GOOD) : Value.marked("not checked", Mark.NOTE);
    }

    private static Value wrong(boolean checked, long count) {
        return Value.marked(checked ? (Number) count : (Number) Double.NaN, count == 0 ? Mark.NONE : Mark.BAD);
    }

    private static String late(Punctuality schedule) {
        return schedule.scheduled() == 0
                ? ""
                : Unit.format(
                        "%,d (%.3f %%), worst %s",
                        schedule.late(), schedule.lateShare() * 100, Unit.NANOS.text(schedule.worstNanos()));
    }

    static Table boundBy(List<RunRecord> runs) {
        return Table.of(
                "Bound by",
                runs.stream().filter(run -> run.resources().boundBy() != null).toList(),
                List.of(
                        ROUND,
                        Field.text(
                                "what",
                                run -> Value.marked(run.resources().boundBy().kind(), Mark.NOTE)),
                        Field.text(
                                "confidence", run -> run.resources().boundBy().confidence()),
                        Field.text(
                                "what says so",
                                run -> String.join(
                                        "; ", run.resources().boundBy().reasons()))));
    }

    /** A process of every run has one name. */
    private record Who(String name, String site) {
        List<ProcessUse> in(RunRecord run) {
            return run.resources().processes().stream()
                    .filter(process ->
                            process.name().equals(name) && process.site().equals(site))
                    .toList();
        }

        double cpuSeconds(RunRecord run) {
            return in(run).stream()
                    .mapToDouble(ProcessUse::cpuSeconds)
                    .findFirst()
                    .orElse(Double.NaN);
        }
    }

    /** CPU and memory of each process, a row for each of them and a column for each run. */
    static Table processes(List<RunRecord> runs) {
        Set<Who> all = new LinkedHashSet<>();
        runs.forEach(run ->
                run.resources().processes().forEach(process -> all.add(new Who(process.name(), process.site()))));
        List<RunRecord> listed = runs.size() > RUNS_LISTED ? List.of() : runs;
        List<Column> columns = new ArrayList<>(List.of(Column.text("process"), Column.text("site")));
        listed.forEach(
                run -> columns.add(new Column("CPU, round " + run.moment().round(), Unit.SECONDS)));
        columns.add(new Column("cores, median", Unit.PLAIN));
        columns.add(new Column("peak memory", Unit.BYTES));
        List<List<Value>> rows = new ArrayList<>();
        for (Who who : all) {
            List<Value> values = new ArrayList<>(row(who.name(), who.site()));
            listed.forEach(run -> values.add(Value.of(who.cpuSeconds(run))));
            values.add(Value.of(Counted.median(runs.stream()
                    .filter(run -> run.moment().measuredNanos() > 0)
                    .mapToDouble(run ->
                            who.cpuSeconds(run) * SECOND_NANOS / run.moment().measuredNanos())
                    .filter(cores -> !Double.isNaN(cores))
                    .toArray())));
            values.add(Value.of(runs.stream()
                    .flatMap(run -> who.in(run).stream())
                    .mapToDouble(ProcessUse::peakResidentBytes)
                    .filter(bytes -> bytes >= 0)
                    .max()
                    .orElse(Double.NaN)));
            rows.add(values);
        }
        return new Table("CPU time in the measured part, and memory", columns, rows);
    }

    /** With an arrow where there is one. */
    static String typeset(String text) {
        return text.replace("->", "\u2192");
    }
}
