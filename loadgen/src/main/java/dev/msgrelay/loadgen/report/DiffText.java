package dev.msgrelay.loadgen.report;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.host.Machine;
import dev.msgrelay.loadgen.render.Table;
import dev.msgrelay.loadgen.render.Table.Field;
import dev.msgrelay.loadgen.render.TextTable;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.report.LaneSummary.Row;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Counted;
import dev.msgrelay.loadgen.result.Counted.Spread;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.RunRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** Formats the differences between the results of two shootouts: of machines, lanes and figures. */
public final class DiffText {
    private final Results a;
    private final Results b;
    private final StringBuilder text = new StringBuilder();
    private boolean sameMachine = true;

    private record Both(Row a, Row b) {}

    private DiffText(Results a, Results b) {
        this.a = a;
        this.b = b;
    }

    public static String of(Results a, Results b) {
        DiffText all = new DiffText(a, b);
        all.origin("A", a);
        all.origin("B", b);
        all.machine("cores", Machine::cores);
        all.machine("processor", Machine::cpu);
        all.machine("kernel", Machine::kernel);
        all.machine("Java", Machine::jdk);
        all.machine("TCP congestion control", Machine::congestionControl);
        all.line(
                all.sameMachine
                        ? "two times: a change may be the hour's; 'loadgen compare' runs two builds in turn"
                        : "two machines or systems: shares of a link may be compared, other figures tell of them");
        all.tables();
        return all.text.toString();
    }

    private void origin(String name, Results of) {
        line(
                "%s: %s, loadgen %s, %s: %s",
                name,
                of.origin().started(),
                of.origin().version(),
                of.ending().how(),
                String.join(" ", of.origin().commandLine()));
    }

    private void machine(String what, Function<Machine, Object> of) {
        Object first = of.apply(a.sites().get(0).machine());
        Object second = of.apply(b.sites().get(0).machine());
        if (!first.equals(second)) {
            sameMachine = false;
            line("differs: %s, A %s, B %s", what, first, second);
        }
    }

    private void tables() {
        List<Row> others = new ArrayList<>(new LaneSummary(b).rows());
        Map<String, List<Both>> loads = new LinkedHashMap<>();
        for (Row row : new LaneSummary(a).rows()) {
            Row other = others.stream().filter(row::isLike).findFirst().orElse(null);
            others.remove(other);
            if (other == null) {
                line(
                        "not compared: %s, %s: in A alone",
                        row.name(), row.mainCell().load());
            } else if (!Objects.equals(row.lane().link(), other.lane().link())) {
                line(
                        "not compared: %s: A %s, B %s",
                        row.name(), row.lane().link(), other.lane().link());
            } else {
                loads.computeIfAbsent(row.load(), load -> new ArrayList<>()).add(new Both(row, other));
            }
        }
        others.forEach(row -> line(
                "not compared: %s, %s: in B alone", row.name(), row.mainCell().load()));
        loads.forEach((load, all) ->
                text.append('\n').append(TextTable.of(Table.of(load, all, fields()), ResultsText.WIDTH)));
        if (sameMachine && !loads.isEmpty()) {
            line("(0.99): the rounds of both overlap; -: no run of one counts");
        }
    }

    private List<Field<Both>> fields() {
        List<Field<Both>> fields =
                new ArrayList<>(List.of(Field.text("lane", both -> both.a().name()), Field.text("in", both -> both.a()
                        .in())));
        compared(fields, "msg/s", Unit.COUNT, Row::mainCell, RunRecord::out);
        fields.add(Field.of("share A", Unit.HUNDREDTHS, both -> share(both.a())));
        fields.add(Field.of("B", Unit.HUNDREDTHS, both -> share(both.b())));
        compared(fields, "p99", Unit.NANOS, Row::paced, run -> run.delays().latencyAt(99));
        return fields;
    }

    private static double share(Row row) {
        return row.full() == null ? Double.NaN : row.full().share();
    }

    /** Adds columns for a figure: in A, in B, and if both were measured on one machine, their ratio. */
    private void compared(
            List<Field<Both>> fields,
            String title,
            Unit unit,
            Function<Row, Cell> cell,
            ToDoubleFunction<RunRecord> figure) {
        fields.add(Field.of(title + " A", unit, both -> LaneSummary.median(cell.apply(both.a()), figure)));
        fields.add(Field.of("B", unit, both -> LaneSummary.median(cell.apply(both.b()), figure)));
        fields.add(Field.text(
                "B/A", both -> sameMachine ? change(cell.apply(both.a()), cell.apply(both.b()), figure) : ""));
    }

    /** Returns the ratio of B to A: "1.07", or in brackets, "(0.99)", if the rounds of A and B overlap. */
    private static String change(Cell a, Cell b, ToDoubleFunction<RunRecord> figure) {
        if (a == null || b == null) {
            return "";
        }
        if (!Counted.of(a).counts() || !Counted.of(b).counts()) {
            return "-";
        }
        Spread ofA = Counted.of(a).over(figure);
        Spread ofB = Counted.of(b).over(figure);
        boolean apart = ofA.max() < ofB.min() || ofB.max() < ofA.min();
        return format(apart ? "%.2f" : "(%.2f)", ofB.median() / ofA.median());
    }

    private void line(String pattern, Object... values) {
        text.append(format(pattern, values)).append('\n');
    }
}
