package dev.msgrelay.loadgen.lab.output;

import dev.msgrelay.loadgen.lab.Chart;
import dev.msgrelay.loadgen.lab.ExperimentResult;
import dev.msgrelay.loadgen.lab.Finding;
import dev.msgrelay.loadgen.lab.LabResult;
import dev.msgrelay.loadgen.lab.RowResult;
import dev.msgrelay.loadgen.lab.TableResult;
import dev.msgrelay.loadgen.page.Axis;
import dev.msgrelay.loadgen.page.Mark;
import dev.msgrelay.loadgen.page.Page;
import dev.msgrelay.loadgen.page.Section;
import dev.msgrelay.loadgen.page.Series;
import dev.msgrelay.loadgen.page.Table;
import dev.msgrelay.loadgen.page.TableCell;
import dev.msgrelay.loadgen.page.Unit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** What the lab found, as a page: a section for each table, with its findings and plots. */
public final class LabPage {
    private LabPage() {}

    public static Page of(LabResult result) {
        List<Section> sections = new ArrayList<>();
        for (ExperimentResult experiment : result.experiments()) {
            if (experiment.failure() != null) {
                sections.add(new Section(
                        experiment.name(),
                        List.of(new Section.Note(TableText.FAILED + ": " + experiment.failure(), Mark.BAD)),
                        List.of(),
                        List.of()));
            }
            for (TableResult table : experiment.tables()) {
                sections.add(section(experiment, table));
            }
        }
        String subtitle = "The articles' experiments, run again"
                + (result.options().quick() ? "; a quick run, not for the record" : "")
                + (result.interrupted() ? "; INTERRUPTED: these are the figures up to then" : "");
        return new Page("Lab", subtitle, sections, "Machine", facts(result));
    }

    private static List<Page.Fact> facts(LabResult result) {
        return List.of(
                new Page.Fact("cores", "" + result.machine().cores()),
                new Page.Fact("processor", result.machine().cpu()),
                new Page.Fact("JDK", result.machine().jdk()),
                new Page.Fact("kernel", result.machine().kernel()),
                new Page.Fact("TCP congestion control", result.machine().congestionControl()),
                new Page.Fact("rounds", "" + result.options().rounds()));
    }

    private static Section section(ExperimentResult experiment, TableResult result) {
        List<Section.Note> notes = new ArrayList<>();
        notes.add(Section.Note.of(result.table().title()));
        notes.add(Section.Note.of("Article: " + experiment.article().citation() + "; "
                + experiment.article().conditions()));
        experiment.remarks().forEach(remark -> notes.add(new Section.Note(remark, Mark.NOTE)));
        for (RowResult row : result.rows()) {
            if (row.failed()) {
                notes.add(new Section.Note(TableText.FAILED + " " + row.label() + ": " + row.failure(), Mark.BAD));
            }
        }
        for (Finding finding : result.table().judge().judge(result)) {
            notes.add(new Section.Note(finding.toString(), mark(finding)));
        }
        return new Section(
                experiment.name() + ": " + result.table().id(),
                notes,
                List.of(table(result)),
                result.table().charts().stream()
                        .map(chart -> chart(chart, result))
                        .toList());
    }

    private static Mark mark(Finding finding) {
        return switch (finding.outcome()) {
            case HOLDS -> Mark.GOOD;
            case DOES_NOT_HOLD -> Mark.WARN;
            case NO_DIFFERENCE, UNDECIDED, MEASURED -> Mark.NOTE;
        };
    }

    private static Table table(TableResult result) {
        TableText text = TableText.of(result);
        List<Table.Column> columns = IntStream.range(0, text.headings().size())
                .mapToObj(i -> new Table.Column(text.headings().get(i), i > 0))
                .toList();
        List<List<TableCell>> rows = text.rows().stream()
                .map(row -> row.stream().map(LabPage::cell).toList())
                .toList();
        return new Table(TableText.rounds(result), columns, rows);
    }

    private static TableCell cell(String text) {
        return text.equals(TableText.FAILED) ? TableCell.marked(text, Mark.BAD) : TableCell.of(text);
    }

    private static dev.msgrelay.loadgen.page.Chart chart(Chart chart, TableResult result) {
        List<Series> series = chart.series().of(result).stream()
                .map(line -> new Series(
                        line.name(),
                        line.points().stream()
                                .map(point -> new Series.Point(point.x(), point.y()))
                                .toList(),
                        false))
                .toList();
        return new dev.msgrelay.loadgen.page.Chart(chart.title(), "", axis(chart.x()), axis(chart.y()), series);
    }

    private static Axis axis(Chart.Axis axis) {
        return axis.logarithmic() ? Axis.log(axis.label(), Unit.PLAIN) : Axis.linear(axis.label(), Unit.PLAIN);
    }
}
