package dev.msgrelay.loadgen.report;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.plan.Load.Transport;
import dev.msgrelay.loadgen.render.Table;
import dev.msgrelay.loadgen.render.Table.Field;
import dev.msgrelay.loadgen.render.TextTable;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.render.Wrapped;
import dev.msgrelay.loadgen.report.LaneSummary.Row;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Counted;
import dev.msgrelay.loadgen.result.Counted.Spread;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.RunRecord.Delays;
import dev.msgrelay.protocol.text.ShortText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** Formats results of several lanes for a terminal of 80 columns: a summary, then details and remarks. */
public final class ResultsText {
    static final int WIDTH = 80;
    private static final int REMARKS_LISTED = 3;

    private final Results results;
    private final StringBuilder text = new StringBuilder();

    private ResultsText(Results results) {
        this.results = results;
    }

    public static String of(Results results) {
        ResultsText all = new ResultsText(results);
        all.outcome();
        all.line("");
        all.details();
        results.lanes().forEach(lane -> {
            all.link(lane);
            all.senders(lane);
            lane.cells().forEach(cell -> all.remarks(lane, cell));
        });
        results.sites().forEach(site -> all.line("%s: %s", site.name(), site.machine()));
        return all.text.toString();
    }

    private void outcome() {
        new LaneSummary(results).tables().forEach(table -> text.append(TextTable.of(table, WIDTH)));
        if (!results.runs().isEmpty()) {
            line("in: what publishers connect to; share: of the link, else of the plain relay");
            line("resent: segments of TCP, of all that is in the relay's namespace or host");
        }
        if (text.indexOf("?") >= 0) {
            line("?: no run of it counts; neither quote nor compare it");
        }
        if (text.indexOf("*") >= 0) {
            line("*: emulated, a rate without delay or loss; both ends share these cores");
        }
        line("");
        results.notes().forEach(note -> line("%s", note));
        results.lanes().stream()
                .filter(lane -> lane.skipped() != null)
                .forEach(lane -> line("%s: skipped: %s", lane.label(), lane.skipped()));
        if (results.ending().how() == Ending.How.INTERRUPTED) {
            line(
                    "PARTIAL: interrupted after %s",
                    ShortText.counted(results.runs().size(), "run"));
        }
    }

    private void details() {
        Map<String, List<Row>> loads = new LinkedHashMap<>();
        results.lanes().forEach(lane -> lane.cells().forEach(cell -> {
            String load = cell.load().withTransport(Transport.TCP).toString();
            loads.computeIfAbsent(load, key -> new ArrayList<>()).add(Row.of(lane, cell));
        }));
        loads.forEach((load, rows) -> {
            text.append(TextTable.of(Table.of(load, rows, fields()), WIDTH));
            line("");
        });
    }

    private static List<Field<Row>> fields() {
        return List.of(
                Field.text("lane", Row::name),
                Field.text("in", Row::in),
                median("sent/s", Unit.COUNT, RunRecord::in),
                Field.text("Gbit/s", row -> {
                    Spread spread = Counted.of(row.mainCell()).over(LaneSummary::gigabits);
                    return spread.max() > spread.min() && row.paced() == null
                            ? format("%.2f-%.2f", spread.min(), spread.max())
                            : "";
                }),
                Field.of(
                        "ceiling",
                        Unit.BYTES_PER_SECOND,
                        row -> row.full() == null || row.full().ceilings() == null
                                ? Double.NaN
                                : row.full().ceilings().batched().bytesPerSecond()),
                median("queue", Unit.NANOS, run -> Delays.at(run.delays().timeInQueue(), 50)),
                median("gap", Unit.NANOS, RunRecord::longestGap),
                median("p50", Unit.NANOS, run -> run.delays().latencyAt(50)),
                median("p99", Unit.NANOS, run -> run.delays().latencyAt(99)),
                median("p99.9", Unit.NANOS, run -> run.delays().latencyAt(99.9)),
                median("late", Unit.FRACTION, RunRecord::late),
                median("all cores", Unit.HUNDREDTHS, run -> run.cores("")),
                Field.text("runs", row -> LaneSummary.counted(row.mainCell())));
    }

    private static Field<Row> median(String title, Unit unit, ToDoubleFunction<RunRecord> figure) {
        return Field.of(title, unit, row -> Counted.of(row.mainCell()).median(figure));
    }

    private void link(LaneResult lane) {
        if (lane.link() != null || lane.places().isApart()) {
            line("%s: %s", lane.label(), lane.link() == null ? "a link whose speed nobody tells" : lane.link());
        }
    }

    private void senders(LaneResult lane) {
        String text = lane.cells().stream()
                .flatMap(cell -> cell.runs().stream()
                        .map(run -> run.resources().senders())
                        .filter(Objects::nonNull)
                        .map(senders -> senders.text(cell.contestant())))
                .filter(one -> !one.isEmpty())
                .distinct()
                .collect(Collectors.joining("; "));
        if (!text.isEmpty()) {
            line("%s: TCP congestion control: %s", lane.label(), text);
        }
    }

    private void remarks(LaneResult lane, Cell cell) {
        List<String> failures = new ArrayList<>();
        List<String> remarks = new ArrayList<>();
        for (RunRecord run : cell.runs()) {
            String round = "round " + run.moment().round();
            run.outcome().failures().forEach(failure -> failures.add("FAIL " + round + ": " + failure));
            run.outcome().observed().forEach(one -> remarks.add(round + ": " + one.text()));
            run.outcome().environment().forEach(said -> remarks.add(round + ", disturbed: " + said));
        }
        cell.unlike().ifPresent(unlike -> remarks.add(0, unlike));
        remarks.addAll(0, failures);
        if (!remarks.isEmpty()) {
            line("%s: %s", lane.label(), cell.title());
            remarks.stream().limit(REMARKS_LISTED).forEach(remark -> line("  %s", remark));
        }
        if (remarks.size() > REMARKS_LISTED) {
            line("  and %d more", remarks.size() - REMARKS_LISTED);
        }
    }

    private void line(String pattern, Object... values) {
        text.append(Wrapped.at("    ", format(pattern, values)));
    }
}
