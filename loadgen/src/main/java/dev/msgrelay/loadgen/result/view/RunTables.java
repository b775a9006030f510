package dev.msgrelay.loadgen.result.view;

import dev.msgrelay.loadgen.page.Mark;
import dev.msgrelay.loadgen.page.Table;
import dev.msgrelay.loadgen.page.Table.Column;
import dev.msgrelay.loadgen.page.TableCell;
import dev.msgrelay.loadgen.page.Unit;
import dev.msgrelay.loadgen.result.Correctness;
import dev.msgrelay.loadgen.result.Correctness.SubscriberRecord;
import dev.msgrelay.loadgen.result.Figures;
import dev.msgrelay.loadgen.result.RunRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

/** The runs of a cell as tables, a row for each, marked where something is to be known. */
final class RunTables {
    /** Subscribers that something is wrong with are listed up to here. */
    private static final int SUBSCRIBERS_LISTED = 20;

    private final List<RunRecord> runs;

    RunTables(List<RunRecord> runs) {
        this.runs = runs;
    }

    Table throughput() {
        return new Table(
                "Throughput",
                List.of(
                        Column.number("round"),
                        Column.number("in, msg/s"),
                        Column.number("in, bytes/s"),
                        Column.number("out, msg/s"),
                        Column.number("out, bytes/s"),
                        Column.number("in of ceiling"),
                        Column.number("out of ceiling"),
                        Column.number("core to core, before / after"),
                        Column.text("regime, marks")),
                runs.stream().map(RunTables::throughput).toList());
    }

    private static List<TableCell> throughput(RunRecord run) {
        boolean counted = run.throughput().in() != null;
        return List.of(
                round(run),
                Overview.number(Figures.in(run), Unit.COUNT),
                Overview.number(counted ? run.throughput().in().bytesPerSecond() : Double.NaN, Unit.BYTES),
                Overview.number(Figures.out(run), Unit.COUNT),
                Overview.number(Figures.bytesOut(run), Unit.BYTES),
                TableCell.fraction(run.throughput().ingressFraction()),
                TableCell.fraction(run.throughput().egressFraction()),
                TableCell.of(Unit.NANOS.text(run.hops().beforeNanos()) + " / "
                        + Unit.NANOS.text(run.hops().afterNanos())),
                state(run));
    }

    private static TableCell state(RunRecord run) {
        if (!run.outcome().passed()) {
            return TableCell.marked("FAIL", Mark.BAD);
        }
        if (run.outcome().partial()) {
            return TableCell.marked("partial", Mark.WARN);
        }
        if (!run.outcome().marks().isEmpty()) {
            return TableCell.marked(String.join(", ", run.outcome().marks()), Mark.WARN);
        }
        return run.counts()
                ? TableCell.of(run.hops().regime().toString())
                : TableCell.marked(run.hops().regime().toString(), Mark.WARN);
    }

    Table latency() {
        List<Column> columns = new ArrayList<>(List.of(Column.number("round")));
        for (String name : List.of("p50", "p90", "p99", "p99.9", "max")) {
            columns.add(Column.number(name));
        }
        columns.add(Column.number("recorded"));
        boolean skew = runs.stream().anyMatch(run -> run.delays().hasSkew());
        if (skew) {
            columns.addAll(List.of(Column.number("skew p50"), Column.number("skew p99"), Column.number("skew max")));
        }
        return new Table(
                "Latency, from the intended time of sending"
                        + (skew ? "; skew, from the first subscriber to the last" : ""),
                columns,
                runs.stream().map(run -> latency(run, skew)).toList());
    }

    private static List<TableCell> latency(RunRecord run, boolean skew) {
        List<TableCell> cells = new ArrayList<>(List.of(round(run)));
        for (double percentile : new double[] {50, 90, 99, 99.9, 100}) {
            cells.add(Overview.number(Figures.latency(run, percentile), Unit.NANOS));
        }
        double recorded = run.delays().hasLatency() ? run.delays().latency().getTotalCount() : Double.NaN;
        String every =
                run.delays().oneMessageIn() == 1 ? "" : ", 1 in " + run.delays().oneMessageIn();
        cells.add(TableCell.of(Unit.COUNT.text(recorded) + (Double.isNaN(recorded) ? "" : every)));
        for (double percentile : skew ? new double[] {50, 99, 100} : new double[0]) {
            cells.add(Overview.number(Figures.skew(run, percentile), Unit.NANOS));
        }
        return cells;
    }

    Table verification() {
        List<List<TableCell>> rows = new ArrayList<>();
        for (RunRecord run : runs) {
            rows.add(all(run));
            run.correctness().subscribers().stream()
                    .filter(one -> !isClean(one))
                    .limit(SUBSCRIBERS_LISTED)
                    .forEach(one -> rows.add(one(run, one)));
        }
        return new Table(
                "Verification",
                List.of(
                        Column.number("round"),
                        Column.text("subscribers"),
                        Column.number("messages"),
                        Column.number("lost"),
                        Column.number("duplicated"),
                        Column.number("reordered"),
                        Column.number("corrupted"),
                        Column.text("connections"),
                        Column.number("sent late, over 1 ms"),
                        Column.text("")),
                rows);
    }

    private static List<TableCell> all(RunRecord run) {
        Correctness correctness = run.correctness();
        return List.of(
                round(run),
                TableCell.of("all " + correctness.subscribers().size()),
                whole(sum(correctness, SubscriberRecord::messages)),
                wrong(correctness, SubscriberRecord::lost),
                wrong(correctness, SubscriberRecord::duplicated),
                wrong(correctness, SubscriberRecord::reordered),
                wrong(correctness, SubscriberRecord::corrupted),
                TableCell.of(sum(correctness, one -> one.closed() == null ? 0 : 1) == 0 ? "kept" : "ended"),
                late(correctness.schedule()),
                verdict(run));
    }

    private static TableCell verdict(RunRecord run) {
        if (!run.outcome().passed()) {
            return TableCell.marked("FAIL", Mark.BAD);
        }
        return run.correctness().checked()
                ? TableCell.marked("PASS", Mark.GOOD)
                : TableCell.marked("not checked", Mark.NOTE);
    }

    private static List<TableCell> one(RunRecord run, SubscriberRecord one) {
        return List.of(
                round(run),
                TableCell.of("subscriber " + one.index()),
                whole(one.messages()),
                wrong(one.lost()),
                wrong(one.duplicated()),
                wrong(one.reordered()),
                wrong(one.corrupted()),
                TableCell.of(one.closed() == null ? "kept" : "ended: " + one.closed()),
                TableCell.of(""),
                TableCell.of(""));
    }

    private static boolean isClean(SubscriberRecord one) {
        return one.lost() + one.duplicated() + one.reordered() + one.corrupted() == 0 && one.closed() == null;
    }

    private static TableCell wrong(Correctness correctness, ToLongFunction<SubscriberRecord> count) {
        return correctness.checked() ? wrong(sum(correctness, count)) : TableCell.of("\u2013");
    }

    private static TableCell wrong(long count) {
        return count == 0 ? whole(0) : TableCell.marked(whole(count).text(), Mark.BAD);
    }

    private static TableCell late(Correctness.Schedule schedule) {
        if (schedule.scheduled() == 0) {
            return TableCell.of("\u2013");
        }
        double fraction = (double) schedule.late() / schedule.scheduled();
        return TableCell.of(String.format(
                Locale.ROOT,
                "%,d (%.3f %%), worst %s%s",
                schedule.late(),
                fraction * 100,
                Unit.NANOS.text(schedule.worstLateNanos()),
                schedule.means() == null ? "" : "; " + schedule.means()));
    }

    Table boundBy() {
        return new Table(
                "Bound by",
                List.of(Column.number("round"), Column.text("what"), Column.text("what says so")),
                runs.stream()
                        .filter(run -> run.resources().boundBy() != null)
                        .map(run -> List.of(
                                round(run),
                                TableCell.marked(run.resources().boundBy().kind(), Mark.NOTE),
                                TableCell.of(String.join(
                                        "; ", run.resources().boundBy().reasons()))))
                        .toList());
    }

    private static TableCell round(RunRecord run) {
        return TableCell.of(Integer.toString(run.moment().round()));
    }

    private static TableCell whole(long value) {
        return TableCell.of(String.format(Locale.ROOT, "%,d", value));
    }

    private static long sum(Correctness correctness, ToLongFunction<SubscriberRecord> count) {
        return correctness.subscribers().stream().mapToLong(count).sum();
    }
}
