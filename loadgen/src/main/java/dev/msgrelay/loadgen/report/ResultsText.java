package dev.msgrelay.loadgen.report;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.render.TextTable;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Cell.Ceilings;
import dev.msgrelay.loadgen.result.Counted;
import dev.msgrelay.loadgen.result.Figures;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.Spread;
import dev.msgrelay.loadgen.result.Tally;
import dev.msgrelay.protocol.text.ShortText;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Results for a terminal: a table for each lane, the lanes against each other, and what was left out. */
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
        if (!results.ratios().isEmpty()) {
            all.text.append(TextTable.of(Tables.ratios(results.ratios()))).append('\n');
        }
        all.comparison();
        all.machine();
        results.notes().forEach(note -> all.line("%s", note));
        if (results.ending().how() == Ending.How.INTERRUPTED) {
            int runs = results.runs().size();
            all.line("PARTIAL: interrupted after %d %s", runs, ShortText.plural(runs, "run"));
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
            text.append(TextTable.of(Tables.lane("", lane)));
            lane.cells().forEach(this::remarks);
        }
        line("");
    }

    private void remarks(Cell cell) {
        List<String> remarks = new ArrayList<>();
        Counted counted = Counted.of(cell);
        if (cell.ceilings() != null) {
            remarks.add("ceiling: " + ceiling(cell.ceilings(), cell.parameters().subscribers()));
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

    private static String ceiling(Ceilings ceilings, int subscribers) {
        String each = subscribers == 1
                ? ""
                : format(
                        "; each of %d subscribers: %s msg/s",
                        subscribers, Unit.COUNT.plain(ceilings.batched().messagesPerSecond() / subscribers));
        return Unit.plain(ResultsPage.ceiling(ceilings)) + each;
    }

    /** Deliveries of each lane as a multiple of the first one's, for every load that ran on several. */
    private void comparison() {
        List<LaneResult> measured =
                results.lanes().stream().filter(lane -> !lane.cells().isEmpty()).toList();
        if (measured.size() < 2) {
            return;
        }
        List<String> lines = new ArrayList<>();
        for (Cell reference : measured.get(0).cells()) {
            String ratios = measured.stream()
                    .skip(1)
                    .flatMap(lane -> lane.cells().stream()
                            .filter(cell -> cell.contestant().equals(reference.contestant())
                                    && cell.parameters().isSameLoad(reference.parameters()))
                            .map(cell -> ratio(lane, Figures.ratio(cell, reference))))
                    .collect(Collectors.joining(", "));
            if (!ratios.isEmpty()) {
                lines.add(format("  %-40s %s", reference.parameters().load(), ratios));
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

    private static String ratio(LaneResult lane, Spread spread) {
        return spread.isKnown()
                ? format("%s %.3f (%.3f .. %.3f)", lane.label(), spread.median(), spread.min(), spread.max())
                : lane.label() + " not comparable";
    }

    private void machine() {
        if (!results.runs().isEmpty()) {
            line("%s", Tally.of(results.runs()));
        }
        results.sites().forEach(site -> line("%s: %s", site.name(), site.machine()));
    }

    private void line(String pattern, Object... values) {
        text.append(format(pattern, values).stripTrailing()).append('\n');
    }
}
