package dev.msgrelay.loadgen.result.view;

import dev.msgrelay.loadgen.page.Mark;
import dev.msgrelay.loadgen.page.Section;
import dev.msgrelay.loadgen.page.Section.Note;
import dev.msgrelay.loadgen.page.Table;
import dev.msgrelay.loadgen.page.Table.Column;
import dev.msgrelay.loadgen.page.TableCell;
import dev.msgrelay.loadgen.page.Unit;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Counted;
import dev.msgrelay.loadgen.result.Ending;
import dev.msgrelay.loadgen.result.Figures;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.MaxRate;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.Shootout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** What a reader has to know first: how it ended, each lane against its ceiling, what was skipped. */
final class Overview {
    private final Shootout shootout;

    private Overview(Shootout shootout) {
        this.shootout = shootout;
    }

    static Section of(Shootout shootout) {
        Overview overview = new Overview(shootout);
        List<Table> tables = new ArrayList<>();
        for (LaneResult lane : shootout.lanes()) {
            if (!lane.cells().isEmpty()) {
                tables.add(overview.lane(lane));
            }
        }
        List<LaneResult> skipped =
                shootout.lanes().stream().filter(lane -> lane.skipped() != null).toList();
        if (!skipped.isEmpty()) {
            tables.add(skipped(skipped));
        }
        if (!shootout.maxRates().isEmpty()) {
            tables.add(0, maxRates(shootout.maxRates()));
        }
        return new Section("Overview", overview.notes(), tables, List.of());
    }

    /** "interrupted: Ctrl-C". */
    static String ending(Ending ending) {
        String how = ending.how().name().toLowerCase(Locale.ROOT);
        return ending.reason().isEmpty() ? how : how + ": " + ending.reason();
    }

    private List<Note> notes() {
        List<Note> notes = new ArrayList<>();
        switch (shootout.ending().how()) {
            case RUNNING ->
                notes.add(new Note(
                        "Not complete: this was written between two runs. If nothing runs any more, the tool was killed.",
                        Mark.WARN));
            case INTERRUPTED ->
                notes.add(new Note(
                        "Not complete: " + ending(shootout.ending()) + ". What was measured before is here.",
                        Mark.WARN));
            case FAILED -> notes.add(new Note("Not complete: " + ending(shootout.ending()), Mark.BAD));
            case COMPLETE -> {}
        }
        shootout.notes().forEach(note -> notes.add(new Note(note, Mark.NOTE)));
        long invalid = runs().stream().filter(run -> !run.outcome().passed()).count();
        if (invalid > 0) {
            notes.add(new Note(
                    invalid + " of " + shootout.runs()
                            + " runs FAIL: their figures stand for nothing. The sections below say why.",
                    Mark.BAD));
        }
        notes.add(Note.of("Figures are medians of the runs that count: valid, whole, unmarked, and all with the same"
                + " distance between the machine's cores (near: up to 100 ns from core to core; far: more). Messages and bytes"
                + " going out are the sum over all subscribers; bytes are bodies and their 8-byte headers."));
        if (shootout.lanes().stream().anyMatch(LaneResult::emulated)) {
            notes.add(new Note(
                    "Emulated links are network namespaces of one machine, with the rate kept by traffic control: no"
                            + " cable, no network card, and publishers, relay and subscribers share the cores.",
                    Mark.NOTE));
        }
        return notes;
    }

    private List<RunRecord> runs() {
        return shootout.lanes().stream()
                .flatMap(lane -> lane.cells().stream())
                .flatMap(cell -> cell.runs().stream())
                .toList();
    }

    private Table lane(LaneResult lane) {
        String link = lane.link() == null ? "" : ", " + lane.link();
        return new Table(
                lane.label() + link,
                List.of(
                        Column.text("publishers \u2192 subscribers"),
                        Column.number("in, msg/s"),
                        Column.number("out, msg/s"),
                        Column.number("out, bytes/s"),
                        Column.number("ceiling, bytes/s"),
                        Column.number("in of ceiling"),
                        Column.number("out of ceiling"),
                        Column.number("p50"),
                        Column.number("p99"),
                        Column.text("bound by"),
                        Column.text("runs")),
                lane.cells().stream().map(Overview::row).toList());
    }

    /** The parameters, typeset. */
    static String title(Cell cell) {
        return cell.parameters().toString().replace("->", "\u2192");
    }

    private static List<TableCell> row(Cell cell) {
        Counted counted = Counted.of(cell);
        return List.of(
                TableCell.of(title(cell)),
                number(counted.median(Figures::in), Unit.COUNT),
                number(counted.median(Figures::out), Unit.COUNT),
                number(counted.median(Figures::bytesOut), Unit.BYTES),
                number(
                        cell.ceilings() == null
                                ? Double.NaN
                                : cell.ceilings().batched().bytesPerSecond(),
                        Unit.BYTES),
                TableCell.fraction(counted.median(run -> run.throughput().ingressFraction())),
                TableCell.fraction(counted.median(run -> run.throughput().egressFraction())),
                number(counted.median(run -> Figures.latency(run, 50)), Unit.NANOS),
                number(counted.median(run -> Figures.latency(run, 99)), Unit.NANOS),
                TableCell.of(boundBy(counted.runs())),
                counted(counted));
    }

    static TableCell number(double value, Unit unit) {
        return TableCell.of(unit.text(value));
    }

    /** "link", or "link 2, ring 1" where the runs do not agree. */
    private static String boundBy(List<RunRecord> runs) {
        Map<String, Integer> kinds = new LinkedHashMap<>();
        runs.stream()
                .filter(run -> run.resources().boundBy() != null)
                .forEach(run -> kinds.merge(run.resources().boundBy().kind(), 1, Integer::sum));
        if (kinds.isEmpty()) {
            return "\u2013";
        }
        return kinds.size() == 1
                ? kinds.keySet().iterator().next()
                : kinds.entrySet().stream()
                        .map(kind -> kind.getKey() + " " + kind.getValue())
                        .collect(Collectors.joining(", "));
    }

    private static TableCell counted(Counted counted) {
        int runs = counted.runs().size();
        if (runs == 0) {
            return TableCell.marked("none of " + counted.total() + " counts", Mark.BAD);
        }
        String text = runs == counted.total()
                ? runs + " " + counted.regime()
                : runs + " " + counted.regime() + " of " + counted.total();
        return runs == counted.total() ? TableCell.of(text) : TableCell.marked(text, Mark.WARN);
    }

    private static Table skipped(List<LaneResult> lanes) {
        return new Table(
                "Skipped",
                List.of(Column.text("lane"), Column.text("why")),
                lanes.stream()
                        .map(lane -> List.of(TableCell.of(lane.label()), TableCell.marked(lane.skipped(), Mark.WARN)))
                        .toList());
    }

    private static Table maxRates(List<MaxRate> found) {
        return new Table(
                "Highest rates",
                List.of(
                        Column.text("lane"),
                        Column.text("load"),
                        Column.number("msg/s, all publishers"),
                        Column.number("p99 within"),
                        Column.text("the search"),
                        Column.text("notes")),
                found.stream()
                        .map(one -> List.of(
                                TableCell.of(one.lane()),
                                TableCell.of(one.parameters().toString()),
                                number(one.total() == 0 ? Double.NaN : one.total(), Unit.COUNT),
                                number(one.p99LimitNanos(), Unit.NANOS),
                                TableCell.marked(
                                        one.ending() + ", " + one.attempts().size() + " runs",
                                        one.confirmed() ? Mark.NONE : Mark.WARN),
                                TableCell.of(String.join("; ", one.notes()))))
                        .toList());
    }
}
