package dev.msgrelay.loadgen.report;

import dev.msgrelay.loadgen.render.Bars;
import dev.msgrelay.loadgen.render.Bars.Bar;
import dev.msgrelay.loadgen.render.Mark;
import dev.msgrelay.loadgen.render.Page;
import dev.msgrelay.loadgen.render.Page.Section;
import dev.msgrelay.loadgen.render.Page.Section.Note;
import dev.msgrelay.loadgen.render.Table;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Cell.Ceilings;
import dev.msgrelay.loadgen.result.Counted;
import dev.msgrelay.loadgen.result.Figures;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.result.Results.Ratio;
import dev.msgrelay.loadgen.result.Results.Site;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.Spread;
import dev.msgrelay.protocol.text.ShortText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The report of a measurement: first what a reader looks for, each lane's median beside its ceiling; then the tables, a
 * section for each cell, and the environment.
 */
public final class ResultsPage {
    private final Results results;

    private ResultsPage(Results results) {
        this.results = results;
    }

    public static Page of(Results results) {
        return new ResultsPage(results).page();
    }

    private Page page() {
        List<Section> sections = new ArrayList<>();
        sections.add(overview());
        for (LaneResult lane : results.lanes()) {
            lane.cells().forEach(cell -> sections.add(section(lane, cell)));
        }
        return new Page("Relay " + results.origin().command(), subtitle(), sections, "Environment", facts());
    }

    private String subtitle() {
        long lanes =
                results.lanes().stream().filter(lane -> lane.skipped() == null).count();
        int runs = results.runs().size();
        return results.origin().started() + ", " + ShortText.counted(lanes, "lane") + ", "
                + ShortText.counted(runs, "run");
    }

    private Section overview() {
        List<Table> tables = new ArrayList<>();
        if (!results.ratios().isEmpty()) {
            tables.add(Tables.ratios(results.ratios()));
        }
        for (LaneResult lane : results.lanes()) {
            if (!lane.cells().isEmpty()) {
                tables.add(Tables.lane(lane.label() + (lane.link() == null ? "" : ", " + lane.link()), lane));
            }
        }
        List<LaneResult> skipped =
                results.lanes().stream().filter(lane -> lane.skipped() != null).toList();
        if (!skipped.isEmpty()) {
            tables.add(Tables.skipped(skipped));
        }
        return new Section("Overview", notes(), bars(), tables, List.of(), List.of());
    }

    private List<Note> notes() {
        List<Note> notes = new ArrayList<>();
        Ending ending = results.ending();
        switch (ending.how()) {
            case RUNNING ->
                notes.add(new Note(
                        "Not complete: this was written between two runs. If nothing runs any more, the tool was killed.",
                        Mark.WARN));
            case INTERRUPTED ->
                notes.add(new Note("Not complete: " + ending + ". What was measured before is here.", Mark.WARN));
            case FAILED -> notes.add(new Note("Not complete: " + ending, Mark.BAD));
            case COMPLETE -> {}
        }
        long invalid =
                results.runs().stream().filter(run -> !run.outcome().passed()).count();
        if (invalid > 0) {
            notes.add(new Note(
                    invalid + " of " + results.runs().size()
                            + " runs FAIL: their figures stand for nothing. The sections below say why.",
                    Mark.BAD));
        }
        results.notes().forEach(note -> notes.add(Note.of(note)));
        return notes;
    }

    /** A group for each load, a bar in it for each lane and contestant. */
    private List<Bars> bars() {
        Map<String, List<Bar>> groups = new LinkedHashMap<>();
        for (LaneResult lane : results.lanes()) {
            for (Cell cell : lane.cells()) {
                groups.computeIfAbsent(cell.parameters().load(), load -> new ArrayList<>())
                        .add(bar(lane, cell));
            }
        }
        List<Bars.Group> all = new ArrayList<>();
        groups.forEach((load, bars) -> all.add(new Bars.Group(Tables.typeset(load), bars)));
        List<Bars> charts = new ArrayList<>();
        if (!all.isEmpty()) {
            charts.add(new Bars(
                    "Messages a second, and what each lane could have given",
                    "A bar is the median of the runs that count, the line in it their spread, the frame the ceiling;"
                            + " what goes out is the sum over all subscribers.",
                    all));
        }
        if (!results.ratios().isEmpty()) {
            charts.add(new Bars(
                    "Ratios", "The line is the 95 % interval, the frame is 1.", List.of(new Bars.Group("", ratios()))));
        }
        return charts;
    }

    private List<Bar> ratios() {
        return results.ratios().stream().map(ResultsPage::bar).toList();
    }

    private static Bar bar(Ratio one) {
        return new Bar(
                Tables.typeset(one.title()) + ", " + one.figure(),
                one.ratio(),
                one.low(),
                one.high(),
                1,
                Unit.RATIO.text(one.ratio()) + " of " + one.a(),
                one.isMet() ? Mark.NONE : Mark.WARN,
                one.verdict());
    }

    private Bar bar(LaneResult lane, Cell cell) {
        Counted counted = Counted.of(cell);
        boolean inward = counted.runs().stream().anyMatch(Figures::isInward);
        Spread speed = counted.over(inward ? Figures::in : Figures::out);
        double fraction = counted.median(Figures::fraction);
        double ceiling =
                cell.ceilings() == null ? Double.NaN : cell.ceilings().batched().messagesPerSecond();
        String text = Unit.COUNT.text(speed.median()) + (inward ? " in" : "");
        if (!Double.isNaN(fraction)) {
            text += ", " + Unit.FRACTION.text(fraction) + " of " + Unit.COUNT.text(ceiling);
        }
        String remark = remark(cell, counted);
        return new Bar(
                cell.contestant().equals(Cell.RELAY) ? lane.label() : lane.label() + ", " + cell.contestant(),
                speed.median(),
                counted.runs().size() > 1 ? speed.min() : Double.NaN,
                counted.runs().size() > 1 ? speed.max() : Double.NaN,
                ceiling,
                text,
                remark.isEmpty() ? Mark.NONE : counted.runs().isEmpty() ? Mark.BAD : Mark.WARN,
                remark);
    }

    /** Remark on a cell's median; empty mostly. */
    private String remark(Cell cell, Counted counted) {
        long failed =
                cell.runs().stream().filter(run -> !run.outcome().passed()).count();
        if (!counted.counts()) {
            String why = cell.runs().stream()
                    .flatMap(run -> run.outcome().environment().stream())
                    .findFirst()
                    .orElse("");
            return failed == cell.runs().size() ? "FAIL" : "no run counts" + (why.isEmpty() ? "" : ": " + why);
        }
        if (failed > 0) {
            return failed + " of " + counted.total() + " runs FAIL";
        }
        return "";
    }

    private static Section section(LaneResult lane, Cell cell) {
        List<RunRecord> runs = cell.runs();
        List<Table> details = new ArrayList<>(List.of(Tables.delays(runs), Tables.verification(runs)));
        if (runs.stream().anyMatch(run -> run.resources().boundBy() != null)) {
            details.add(Tables.boundBy(runs));
        }
        details.add(Tables.processes(runs));
        return new Section(
                lane.label() + ": " + Tables.typeset(cell.title()),
                notes(lane, cell),
                List.of(),
                List.of(Tables.throughput(runs)),
                new Curves(cell).charts(),
                details);
    }

    private static List<Note> notes(LaneResult lane, Cell cell) {
        List<Note> notes = new ArrayList<>();
        for (RunRecord run : cell.runs()) {
            String round = "Round " + run.moment().round();
            run.outcome().failures().forEach(failure -> notes.add(new Note(round + " FAILS: " + failure, Mark.BAD)));
            if (run.outcome().partial()) {
                notes.add(new Note(round + " is partial: it did not get to its end.", Mark.WARN));
            }
            run.outcome().observed().forEach(one -> notes.add(new Note(round + ": " + one.text(), Mark.WARN)));
            run.outcome().environment().forEach(line -> notes.add(new Note(round + ", left out: " + line, Mark.WARN)));
        }
        notes.add(Note.of(places(lane) + " " + ceilings(cell.ceilings())));
        return notes;
    }

    private static String places(LaneResult lane) {
        if (lane.link() == null && !lane.places().isApart()) {
            return "Publishers, relay and subscribers are on one machine.";
        }
        return "P" + lane.places().text().substring(1)
                + (lane.link() == null ? ". Nobody tells the link's speed." : ".");
    }

    private static String ceilings(Ceilings ceilings) {
        return ceilings == null ? "No ceiling is known." : "Ceiling: " + ceiling(ceilings) + ".";
    }

    /** "10.9 M msg/s, 1.18 GB/s batched, 6.1 M msg/s, 663 MB/s with one message a segment (link arithmetic)". */
    static String ceiling(Ceilings ceilings) {
        String single = ceilings.single() == null ? "" : ", " + rate(ceilings.single()) + " with one message a segment";
        return rate(ceilings.batched()) + " batched" + single + " (" + ceilings.source() + ")";
    }

    private static String rate(Ceilings.Rate rate) {
        return Unit.COUNT.text(rate.messagesPerSecond()) + " msg/s, "
                + Unit.BYTES_PER_SECOND.text(rate.bytesPerSecond());
    }

    private List<Page.Fact> facts() {
        List<Page.Fact> facts = new ArrayList<>();
        facts.add(new Page.Fact(
                "figures",
                "Medians of the runs that count: valid, whole, on a machine that did nothing else meanwhile. Bytes are"
                        + " bodies and their 8-byte headers."));
        if (results.lanes().stream().anyMatch(LaneResult::emulated)) {
            facts.add(new Page.Fact(
                    "emulated links",
                    "Network namespaces of one machine, with the rate kept by traffic control: no cable, no network"
                            + " card, and publishers, relay and subscribers share the cores."));
        }
        for (Site site : results.sites()) {
            String who = results.sites().size() == 1 ? "" : site.name() + ": ";
            facts.add(new Page.Fact(who + "cores", "" + site.machine().cores()));
            facts.add(new Page.Fact(who + "processor", site.machine().cpu()));
            facts.add(new Page.Fact(who + "JDK", site.machine().jdk()));
            facts.add(new Page.Fact(who + "kernel", site.machine().kernel()));
            facts.add(
                    new Page.Fact(who + "TCP congestion control", site.machine().congestionControl()));
            facts.add(new Page.Fact(
                    who + "core-to-core hop", Unit.NANOS.text(site.machine().coreHopNanos())));
        }
        for (LaneResult lane : results.lanes()) {
            if (lane.link() != null) {
                facts.add(new Page.Fact("link of " + lane.label(), lane.link().toString()));
            }
        }
        facts.add(new Page.Fact("loadgen", results.origin().version()));
        facts.add(new Page.Fact("command", String.join(" ", results.origin().commandLine())));
        facts.add(new Page.Fact("started", results.origin().started()));
        facts.add(new Page.Fact("ended", results.ending().toString()));
        return facts;
    }
}
