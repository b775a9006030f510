package dev.msgrelay.loadgen.report;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Load.Transport;
import dev.msgrelay.loadgen.render.Table;
import dev.msgrelay.loadgen.render.Table.Field;
import dev.msgrelay.loadgen.render.Table.Mark;
import dev.msgrelay.loadgen.render.Table.Value;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Counted;
import dev.msgrelay.loadgen.result.Counted.Spread;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.RunRecord;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * Summarises the results of several lanes: a row for each load, lane and kind of socket that publishers use, and a
 * sentence for each load and lane. Figures are medians of the runs that count. If no run counts, they are medians of
 * all valid runs, and are marked.
 */
public final class LaneSummary {
    private static final int CULPRITS = 2;

    private final List<Row> rows;

    /**
     * The results of a lane under one load, with publishers on one kind of socket: at full speed and at the first fixed
     * rate. One of them may be null.
     */
    record Row(LaneResult lane, Cell full, Cell paced) {
        static Row of(LaneResult lane, Cell cell) {
            boolean isPaced = cell.load().isPaced();
            return new Row(lane, isPaced ? null : cell, isPaced ? cell : null);
        }

        private Row and(Row other) {
            return new Row(lane, full == null ? other.full : full, paced == null ? other.paced : paced);
        }

        /** Whether both rows have the same lane, load and contestant; their figures may differ. */
        boolean isLike(Row other) {
            return lane.name().equals(other.lane.name())
                    && mainCell().contestant().equals(other.mainCell().contestant())
                    && mainCell()
                            .load()
                            .withRate(0)
                            .equals(other.mainCell().load().withRate(0));
        }

        Cell mainCell() {
            return full == null ? paced : full;
        }

        String name() {
            String contestant = mainCell().contestant().equals(Cell.RELAY)
                    ? ""
                    : ", " + mainCell().contestant();
            return lane.name() + (lane.emulated() ? "*" : "") + contestant;
        }

        String in() {
            return mainCell().load().transport() == Transport.TCP ? "TCP" : "Unix";
        }

        String load() {
            Load load = mainCell().load().withTransport(Transport.TCP);
            return full == null || paced == null
                    ? load.toString()
                    : load + format("; p50 and p99 at %,.0f msg/s", paced.load().wanted());
        }
    }

    public LaneSummary(Results results) {
        Map<List<Object>, Row> all = new LinkedHashMap<>();
        results.lanes().forEach(lane -> lane.cells()
                .forEach(cell -> all.merge(
                        List.of(lane.name(), cell.contestant(), cell.load().withRate(0)),
                        Row.of(lane, cell),
                        Row::and)));
        rows = List.copyOf(all.values());
    }

    List<Row> rows() {
        return rows;
    }

    List<Table> tables() {
        return byLoad().stream()
                .map(load -> Table.of(
                        load.stream()
                                .map(Row::load)
                                .max(Comparator.comparingInt(String::length))
                                .orElse(""),
                        load,
                        fields(load)))
                .toList();
    }

    public Table table() {
        List<Field<Row>> fields = new ArrayList<>(List.of(Field.text("load", Row::load)));
        fields.addAll(fields(rows));
        fields.add(Field.text("full speed runs", row -> row.full() == null ? "" : counted(row.full())));
        fields.add(Field.text("latency runs", row -> row.paced() == null ? "" : counted(row.paced())));
        return Table.of("", rows, fields);
    }

    private Collection<List<Row>> byLoad() {
        Map<String, List<Row>> loads = new LinkedHashMap<>();
        for (Row row : rows) {
            Load load = row.mainCell().load().withRate(0).withTransport(Transport.TCP);
            loads.computeIfAbsent(load.toString(), key -> new ArrayList<>()).add(row);
        }
        return loads.values();
    }

    /** Returns the number of runs that count: "3 of 4". */
    static String counted(Cell cell) {
        Counted counted = Counted.of(cell);
        return (counted.counts() ? counted.runs().size() : 0) + " of " + counted.total();
    }

    private static List<Field<Row>> fields(List<Row> rows) {
        boolean full = rows.stream().anyMatch(row -> row.full() != null);
        return List.of(
                Field.text("lane", Row::name),
                Field.text("in", Row::in),
                figure("msg/s", Unit.COUNT, Row::mainCell, RunRecord::out),
                figure("Gbit/s", Unit.HUNDREDTHS, Row::full, LaneSummary::gigabits),
                Field.of("share", Unit.HUNDREDTHS, row -> marked(row.full(), Cell::share)),
                figure("p50", Unit.NANOS, Row::paced, run -> run.delays().latencyAt(50)),
                figure("p99", Unit.NANOS, Row::paced, run -> run.delays().latencyAt(99)),
                figure("p99.9", Unit.NANOS, row -> full ? null : row.paced(), run -> run.delays()
                        .latencyAt(99.9)),
                figure("cores", Unit.HUNDREDTHS, Row::mainCell, run -> run.cores(Cell.RELAY)),
                figure("resent", Unit.WHOLE, Row::mainCell, RunRecord::resent),
                Field.text("bound by", row -> Counted.of(row.mainCell()).boundBy()));
    }

    private static Field<Row> figure(
            String title, Unit unit, Function<Row, Cell> cell, ToDoubleFunction<RunRecord> figure) {
        return Field.of(title, unit, row -> marked(cell.apply(row), of -> median(of, figure)));
    }

    static double median(Cell cell, ToDoubleFunction<RunRecord> figure) {
        return cell == null ? Double.NaN : Counted.of(cell).median(figure);
    }

    private static Value marked(Cell cell, ToDoubleFunction<Cell> figure) {
        return cell == null
                ? Value.of(Double.NaN)
                : Value.marked(figure.applyAsDouble(cell), Counted.of(cell).counts() ? Mark.NONE : Mark.WARN);
    }

    static double gigabits(RunRecord run) {
        return run.bytesOut() * Byte.SIZE / 1e9;
    }

    /** Adds notes before all others: a sentence for each lane, and how many runs count. */
    public static Results withSummary(Results results) {
        List<String> notes = new ArrayList<>();
        for (List<Row> load : new LaneSummary(results).byLoad()) {
            // The first row of a lane is the one with publishers on TCP, if there is one.
            Map<String, Row> lanes = new LinkedHashMap<>();
            load.forEach(row -> lanes.putIfAbsent(row.name(), row));
            lanes.values().forEach(row -> notes.add(sentence(row, load)));
        }
        notes.addAll(left(results.runs()));
        notes.addAll(results.notes());
        return results.withNotes(notes);
    }

    /** Returns a sentence: "10gbe (emulated): 0.79 of the link, 0.62 of loopback; bound by machine". */
    private static String sentence(Row row, List<Row> load) {
        Counted counted = Counted.of(row.mainCell());
        String said;
        if (row.full() == null) {
            said = format(
                    "p50 %s, p99 %s%s",
                    Unit.NANOS.ascii(counted.median(run -> run.delays().latencyAt(50))),
                    Unit.NANOS.ascii(counted.median(run -> run.delays().latencyAt(99))),
                    against(row, load, Row::paced, run -> run.delays().latencyAt(99)));
        } else {
            double share = row.full().share();
            said = (Double.isNaN(share)
                            ? format("%.2f Gbit/s", counted.median(LaneSummary::gigabits))
                            : format(
                                    "%.2f of the %s",
                                    share, row.full().ceilings().isLink() ? "link" : "plain relay"))
                    + against(row, load, Row::full, RunRecord::out);
        }
        return (counted.counts() ? "" : "? ") + row.lane().label() + ": " + said + "; bound by " + counted.boundBy();
    }

    /**
     * Returns the ratio to the first lane with the same kind of socket, in rounds of both lanes: ", 0.62 of loopback".
     */
    private static String against(
            Row row, List<Row> load, Function<Row, Cell> cell, ToDoubleFunction<RunRecord> figure) {
        return load.stream()
                .filter(one -> one.in().equals(row.in()) && cell.apply(one) != null)
                .findFirst()
                .filter(first -> first != row)
                .map(first -> {
                    Spread ratio = Spread.ofRounds(
                            cell.apply(row).runs(),
                            cell.apply(first).runs(),
                            run -> run.counts() ? figure.applyAsDouble(run) : Double.NaN);
                    return ratio.isKnown()
                            ? format(
                                    ", %.2f of %s by %s",
                                    ratio.median(), first.lane().label(), row.in())
                            : "";
                })
                .orElse("");
    }

    private static List<String> left(List<RunRecord> runs) {
        List<String> lines = new ArrayList<>(runs.isEmpty() ? List.of() : List.of(Counted.tally(runs)));
        List<RunRecord> disturbed = runs.stream()
                .filter(run -> run.outcome().isValid() && !run.counts())
                .toList();
        if (!disturbed.isEmpty()) {
            String culprits = disturbed.stream()
                    .map(run -> run.resources().signals())
                    .filter(Objects::nonNull)
                    .map(signals -> signals.sampled().machine().busiest())
                    .filter(name -> !name.isEmpty())
                    .distinct()
                    .limit(CULPRITS)
                    .collect(Collectors.joining(" and "));
            int rounds =
                    runs.stream().mapToInt(run -> run.moment().round()).max().orElse(1);
            lines.add(format(
                    "to do: %s; or more rounds: --rounds %d; or accept: --count-disturbed",
                    culprits.isEmpty() ? "wait until the machine is quiet" : "stop " + culprits, 2 * rounds + 1));
        }
        return lines;
    }
}
