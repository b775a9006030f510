package dev.msgrelay.loadgen.report;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.render.Table;
import dev.msgrelay.loadgen.render.Table.Field;
import dev.msgrelay.loadgen.render.Table.Mark;
import dev.msgrelay.loadgen.render.Table.Value;
import dev.msgrelay.loadgen.render.TextTable;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Cell.Ceilings;
import dev.msgrelay.loadgen.result.Counted;
import dev.msgrelay.loadgen.result.Counted.Spread;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.RunRecord.Delays;
import dev.msgrelay.protocol.text.ShortText;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** Results of several lanes for a terminal: a table for each, the lanes against each other, and what was left out. */
public final class ResultsText {
    private static final int FAILURES_LISTED = 3;

    private final Results results;
    private final StringBuilder text = new StringBuilder();

    private ResultsText(Results results) {
        this.results = results;
    }

    public static String of(Results results) {
        ResultsText all = new ResultsText(results);
        results.lanes().forEach(all::lane);
        all.comparison();
        if (!results.runs().isEmpty()) {
            all.line("%s", Counted.tally(results.runs()));
        }
        results.sites().forEach(site -> all.line("%s: %s", site.name(), site.machine()));
        results.notes().forEach(note -> all.line("%s", note));
        if (results.ending().how() == Ending.How.INTERRUPTED) {
            all.line(
                    "PARTIAL: interrupted after %s",
                    ShortText.counted(results.runs().size(), "run"));
        }
        return all.text.toString();
    }

    private void lane(LaneResult lane) {
        boolean across = lane.link() != null || lane.places().isApart();
        String link = lane.link() == null
                ? "a link whose speed nobody tells"
                : lane.link().toString();
        line("%s%s", lane.label(), across ? ": " + link + "; " + lane.places().text() : "");
        if (lane.skipped() != null) {
            line("  skipped: %s", lane.skipped());
        } else if (lane.cells().isEmpty()) {
            line("  no figures");
        } else {
            text.append(TextTable.of(table(lane)));
            lane.cells().forEach(this::remarks);
        }
        line("");
    }

    /** A line for each cell: medians of the runs that stand for it. */
    private static Table table(LaneResult lane) {
        List<Field<Cell>> fields = List.of(
                Field.text("publishers -> subscribers", Cell::title),
                median("in, msg/s", Unit.COUNT, RunRecord::in),
                median("out, msg/s", Unit.COUNT, RunRecord::out),
                median("out", Unit.BYTES_PER_SECOND, RunRecord::bytesOut),
                edge("least", Spread::min),
                edge("most", Spread::max),
                Field.of(
                        "ceiling",
                        Unit.BYTES_PER_SECOND,
                        cell -> cell.ceilings() == null
                                ? Double.NaN
                                : cell.ceilings().batched().bytesPerSecond()),
                Field.of("of it", Unit.FRACTION, Cell::share),
                median("p50", Unit.NANOS, run -> run.delays().latencyAt(50)),
                median("p99", Unit.NANOS, run -> run.delays().latencyAt(99)),
                median("p99.9", Unit.NANOS, run -> run.delays().latencyAt(99.9)),
                median("late", Unit.FRACTION, RunRecord::late),
                median(
                        "time in queue",
                        Unit.NANOS,
                        run -> Delays.at(run.delays().timeInQueue(), 50)),
                median("longest gap", Unit.NANOS, RunRecord::longestGap),
                median("relay, cores", Unit.PLAIN, run -> run.cores(Cell.RELAY)),
                median("all, cores", Unit.PLAIN, run -> run.cores("")),
                Field.text("bound by", cell -> Counted.of(cell).boundBy()),
                Field.text("runs", ResultsText::counted));
        return Table.of("", lane.cells(), fields);
    }

    private static Field<Cell> median(String title, Unit unit, ToDoubleFunction<RunRecord> figure) {
        return Field.of(title, unit, cell -> Counted.of(cell).median(figure));
    }

    /** One run has no spread. */
    private static Field<Cell> edge(String title, ToDoubleFunction<Spread> which) {
        return Field.of(title, Unit.BYTES_PER_SECOND, cell -> {
            Counted counted = Counted.of(cell);
            return counted.runs().size() < 2 ? Double.NaN : which.applyAsDouble(counted.over(RunRecord::bytesOut));
        });
    }

    /** "3 of 4"; marked where some are left out. */
    private static Value counted(Cell cell) {
        Counted counted = Counted.of(cell);
        int runs = counted.runs().size();
        if (!counted.counts()) {
            String none = "none of " + counted.total() + (runs == 0 ? " is valid" : " counts");
            return Value.marked(none, Mark.BAD);
        }
        return runs == counted.total() ? Value.of(runs) : Value.marked(runs + " of " + counted.total(), Mark.WARN);
    }

    private void remarks(Cell cell) {
        List<String> remarks = new ArrayList<>();
        Counted counted = Counted.of(cell);
        if (cell.ceilings() != null) {
            remarks.add("ceiling: " + ceiling(cell.ceilings(), cell.load().subscribers()));
        }
        if (!counted.counts() && !counted.runs().isEmpty()) {
            remarks.add(format(
                    "no run counts: these are medians of all %d valid ones, not to be set against others",
                    counted.runs().size()));
        }
        List<String> failures = cell.runs().stream()
                .flatMap(run -> run.outcome().failures().stream()
                        .map(failure -> "FAIL round " + run.moment().round() + ": " + failure))
                .toList();
        failures.stream().limit(FAILURES_LISTED).forEach(remarks::add);
        if (failures.size() > FAILURES_LISTED) {
            remarks.add(format("FAIL and %d more", failures.size() - FAILURES_LISTED));
        }
        for (RunRecord run : cell.runs()) {
            int round = run.moment().round();
            run.outcome().observed().forEach(one -> remarks.add(format("round %d: %s", round, one.text())));
            run.outcome().environment().forEach(line -> remarks.add(format("round %d, left out: %s", round, line)));
        }
        if (!remarks.isEmpty()) {
            line("    %s", cell.title());
            remarks.forEach(remark -> line("      %s", remark));
        }
    }

    /** "10.9 M msg/s, 1.18 GB/s batched, 6.1 M msg/s, 663 MB/s with one message a segment (link arithmetic)". */
    private static String ceiling(Ceilings ceilings, int subscribers) {
        String single = ceilings.single() == null ? "" : ", " + rate(ceilings.single()) + " with one message a segment";
        String each = subscribers == 1
                ? ""
                : format(
                        "; each of %d subscribers: %s msg/s",
                        subscribers, Unit.COUNT.plain(ceilings.batched().messagesPerSecond() / subscribers));
        return rate(ceilings.batched()) + " batched" + single + " (" + ceilings.source() + ")" + each;
    }

    private static String rate(Ceilings.Rate rate) {
        return RunEvidence.rate(rate.messagesPerSecond(), rate.bytesPerSecond());
    }

    /** Deliveries of each lane as a multiple of the first one's, for every load that ran on several. */
    private void comparison() {
        List<LaneResult> measured =
                results.lanes().stream().filter(lane -> !lane.cells().isEmpty()).toList();
        List<String> lines = new ArrayList<>();
        for (Cell reference :
                measured.isEmpty() ? List.<Cell>of() : measured.get(0).cells()) {
            String ratios = measured.stream()
                    .skip(1)
                    .flatMap(lane -> lane.cells().stream()
                            .filter(cell -> cell.load()
                                    .withTransport(Load.Transport.TCP)
                                    .equals(reference.load().withTransport(Load.Transport.TCP)))
                            .map(cell -> ratio(lane, cell, reference)))
                    .collect(Collectors.joining(", "));
            if (!ratios.isEmpty()) {
                lines.add(format("  %-40s %s", reference.load(), ratios));
            }
        }
        if (!lines.isEmpty()) {
            line(
                    "deliveries against %s, median of the rounds (min .. max)",
                    measured.get(0).label());
            lines.forEach(one -> line("%s", one));
            line("");
        }
    }

    /** The rounds' ratios of deliveries a second. Only pairs count that ran in the same round. */
    private static String ratio(LaneResult lane, Cell cell, Cell reference) {
        Spread spread = Spread.ofRounds(cell.runs(), reference.runs(), run -> run.counts() ? run.out() : Double.NaN);
        return spread.isKnown()
                ? format("%s %.3f (%.3f .. %.3f)", lane.label(), spread.median(), spread.min(), spread.max())
                : lane.label() + " not comparable";
    }

    private void line(String pattern, Object... values) {
        text.append(format(pattern, values).stripTrailing()).append('\n');
    }
}
