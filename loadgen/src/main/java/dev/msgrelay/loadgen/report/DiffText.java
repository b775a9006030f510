package dev.msgrelay.loadgen.report;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.host.Machine;
import dev.msgrelay.loadgen.render.Table;
import dev.msgrelay.loadgen.render.Table.Field;
import dev.msgrelay.loadgen.render.TextTable;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Counted;
import dev.msgrelay.loadgen.result.Counted.Spread;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.RunRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** Two results of shootouts: what differs between them, what may be compared, and how it does. */
public final class DiffText {
    private final Results a;
    private final Results b;
    private final StringBuilder text = new StringBuilder();
    private boolean sameMachine = true;

    /** The same lane under the same load in both. */
    private record Both(LaneResult lane, Cell a, Cell b) {
        /** "1.07 apart": the rounds of one lie all above those of the other; "0.99 within" the rounds. */
        String change(ToDoubleFunction<RunRecord> figure) {
            Spread ofA = Counted.of(a).over(figure);
            Spread ofB = Counted.of(b).over(figure);
            if (!Counted.of(a).counts() || !Counted.of(b).counts()) {
                return "no run counts in " + (Counted.of(a).counts() ? "B" : "A");
            }
            boolean apart = ofA.max() < ofB.min() || ofB.max() < ofA.min();
            return format("%.2f %s", ofB.median() / ofA.median(), apart ? "apart" : "within the rounds");
        }
    }

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
                        : "two machines: shares of a link may be compared, other figures tell of the machines");
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
        List<Both> full = new ArrayList<>();
        List<Both> paced = new ArrayList<>();
        for (LaneResult lane : a.lanes()) {
            for (Cell cell : lane.cells()) {
                LaneResult other = b.lanes().stream()
                        .filter(one -> one.name().equals(lane.name()))
                        .findFirst()
                        .orElse(lane);
                Cell its = b.lanes().contains(other) ? find(other, cell) : null;
                if (its == null) {
                    line("not compared: %s, %s: in A alone", lane.label(), cell.title());
                } else if (!Objects.equals(lane.link(), other.link())) {
                    line("not compared: %s: another link, A %s, B %s", lane.label(), lane.link(), other.link());
                } else {
                    (cell.load().isPaced() ? paced : full).add(new Both(lane, cell, its));
                }
            }
        }
        List<Field<Both>> speeds = fields(Unit.COUNT, RunRecord::out);
        speeds.add(4, Field.of("share A", Unit.HUNDREDTHS, both -> both.a().share()));
        speeds.add(5, Field.of("share B", Unit.HUNDREDTHS, both -> both.b().share()));
        table("\nmsg/s at full speed", full, speeds);
        table("\np99 at a rate", paced, fields(Unit.NANOS, run -> run.delays().latencyAt(99)));
    }

    private static Cell find(LaneResult in, Cell like) {
        return in.cells().stream()
                .filter(one ->
                        one.contestant().equals(like.contestant()) && one.load().equals(like.load()))
                .findFirst()
                .orElse(null);
    }

    private List<Field<Both>> fields(Unit unit, ToDoubleFunction<RunRecord> figure) {
        return new ArrayList<>(List.of(
                Field.text("lane", both -> LaneSummary.Row.of(both.lane(), both.a())
                        .name()),
                Field.text("load", both -> both.a().load().toString().replace(", full speed", "")),
                Field.of("A", unit, both -> Counted.of(both.a()).median(figure)),
                Field.of("B", unit, both -> Counted.of(both.b()).median(figure)),
                Field.text("B/A", both -> sameMachine ? both.change(figure) : "")));
    }

    private void table(String caption, List<Both> all, List<Field<Both>> fields) {
        if (!all.isEmpty()) {
            text.append(TextTable.of(Table.of(caption, all, fields), ResultsText.WIDTH));
        }
    }

    private void line(String pattern, Object... values) {
        text.append(format(pattern, values)).append('\n');
    }
}
