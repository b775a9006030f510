package dev.msgrelay.lab;

import dev.msgrelay.lab.ArticleFigures.Range;
import dev.msgrelay.lab.LabResult.ExperimentResult;
import dev.msgrelay.lab.TableResult.Row;
import dev.msgrelay.loadgen.host.Machine;
import dev.msgrelay.loadgen.plan.Json;
import dev.msgrelay.loadgen.render.Table;
import dev.msgrelay.loadgen.render.Table.Field;
import dev.msgrelay.loadgen.render.Table.Mark;
import dev.msgrelay.loadgen.render.Table.Value;
import dev.msgrelay.loadgen.render.TextTable;
import dev.msgrelay.loadgen.render.Unit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Formats the lab's results as text, as a page, and as JSON. */
record LabReport(LabResult result) {
    /** The format of the JSON. Its number changes if programs would misread the new format. */
    static final String SCHEMA = "relay-lab/4";

    private static final String FAILED = "FAILED";

    String text(ExperimentResult experiment) {
        StringBuilder text = new StringBuilder();
        Experiment asked = experiment.experiment();
        line(text, "%s: %s", asked.name(), asked.question());
        line(text, "  article: %s", source(asked));
        experiment.remarks().forEach(remark -> line(text, "  note: %s", remark));
        if (experiment.failure() != null) {
            line(text, "  FAILED: %s", experiment.failure());
        }
        for (TableResult table : experiment.tables()) {
            line(text, "%n  %s", table.table().title());
            text.append(TextTable.of(shown("", table)).indent(3));
            failures(table).forEach(failure -> line(text, "  %s", failure));
            line(text, "  %s", rounds(table));
            for (Verdict verdict : table.verdicts()) {
                line(text, "  - \"%s\": %s", verdict.claim(), verdict.words());
                if (!verdict.here().isEmpty()) {
                    String article = verdict.article().isEmpty() ? "" : "; the article: " + verdict.article();
                    line(text, "      %s%s", verdict.here(), article);
                }
            }
        }
        return text.toString();
    }

    private static void line(StringBuilder text, String format, Object... values) {
        text.append(Unit.format(format, values)).append('\n');
    }

    private static String source(Experiment experiment) {
        return experiment.article() + "; " + experiment.conditions();
    }

    private static List<String> failures(TableResult table) {
        return table.rows().stream()
                .filter(Row::failed)
                .map(row -> FAILED + " " + row.label() + ": " + row.failure())
                .toList();
    }

    private static Table shown(String caption, TableResult table) {
        List<Field<Row>> fields = new ArrayList<>(List.of(Field.text("", Row::label)));
        ArticleFigures article = table.table().article();
        for (Column column : table.table().columns()) {
            fields.add(Field.of(
                    column.heading(),
                    Unit.PLAIN,
                    row -> row.failed() ? Value.marked(FAILED, Mark.BAD) : row.figure(column)));
            if (article.has(column)) {
                fields.add(Field.of("article", Unit.PLAIN, row -> article.of(row.label(), column)));
            }
        }
        return Table.of(caption, table.rows(), fields);
    }

    private static String rounds(TableResult table) {
        int rounds =
                table.rows().stream().mapToInt(row -> row.goes().size()).max().orElse(0);
        return rounds + (rounds == 1 ? " round" : " rounds") + ": median [least most]";
    }

    Page page() {
        List<Section> sections = new ArrayList<>(List.of(claims()));
        for (ExperimentResult experiment : result.experiments()) {
            if (experiment.failure() != null) {
                List<Note> note = List.of(new Note(FAILED + ": " + experiment.failure(), Mark.BAD));
                sections.add(new Section(experiment.experiment().name(), note, List.of(), List.of()));
            }
            experiment.tables().forEach(table -> sections.add(section(experiment, table)));
        }
        String subtitle = "The articles' experiments, run again"
                + (result.quick() ? "; a quick run, not for the record" : "")
                + (result.interrupted() ? "; INTERRUPTED: these are the figures up to then" : "");
        Machine machine = result.machine();
        List<Fact> facts = List.of(
                new Fact("cores", "" + machine.cores()),
                new Fact("processor", machine.cpu()),
                new Fact("JDK", machine.jdk()),
                new Fact("kernel", machine.kernel()),
                new Fact("rounds", "" + result.rounds()));
        return new Page("Lab", subtitle, sections, "Machine", facts);
    }

    private record Judged(String table, Verdict verdict) {
        Value words() {
            Mark mark = verdict.isRefuted() ? Mark.WARN : verdict.holds() ? Mark.GOOD : Mark.NOTE;
            return Value.marked(verdict.words(), mark);
        }
    }

    private Section claims() {
        List<Judged> claimed = new ArrayList<>();
        for (ExperimentResult experiment : result.experiments()) {
            for (TableResult table : experiment.tables()) {
                String where =
                        experiment.experiment().name() + ": " + table.table().id();
                table.verdicts().forEach(verdict -> claimed.add(new Judged(where, verdict)));
            }
        }
        Table table = Table.of(
                "What the articles claim",
                claimed,
                List.of(
                        Field.text("claim", one -> one.verdict().claim()),
                        Field.text("table", Judged::table),
                        Field.text("article", one -> one.verdict().article()),
                        Field.text("here", one -> one.verdict().here()),
                        Field.text("verdict", Judged::words)));
        Note how = new Note(
                "Direction and size of a claim are judged apart, on " + Claim.MIN_ROUNDS
                        + " rounds or more; brackets are " + 100 * Claim.CONFIDENCE + " % intervals.",
                Mark.NONE);
        return new Section("Claims", List.of(how), List.of(table), List.of());
    }

    private static Section section(ExperimentResult experiment, TableResult table) {
        List<Note> notes = new ArrayList<>();
        notes.add(new Note(table.table().title(), Mark.NONE));
        notes.add(new Note("Article: " + source(experiment.experiment()), Mark.NONE));
        experiment.remarks().forEach(remark -> notes.add(new Note(remark, Mark.NOTE)));
        failures(table).forEach(failure -> notes.add(new Note(failure, Mark.BAD)));
        String title = experiment.experiment().name() + ": " + table.table().id();
        return new Section(title, notes, List.of(shown(rounds(table), table)), table.plots());
    }

    record Page(String title, String subtitle, List<Section> sections, String factsTitle, List<Fact> facts) {}

    record Fact(String name, String value) {}

    record Section(String title, List<Note> notes, List<Table> tables, List<Chart> charts) {}

    /** A paragraph, which is highlighted if it has a mark. */
    record Note(String text, Mark mark) {}

    /** Returns all measurements for programs. A figure that was not measured is null. */
    String json() {
        return Json.text(new Document(
                        SCHEMA,
                        result.machine(),
                        result.quick(),
                        result.interrupted(),
                        result.experiments().stream()
                                .map(one -> new Measured(one, one.experiment()))
                                .toList()))
                + "\n";
    }

    private record Document(
            String schema, Machine machine, boolean quick, boolean interrupted, List<Measured> experiments) {}

    private record Measured(
            String name, String article, List<String> remarks, String failure, List<MeasuredTable> tables) {
        Measured(ExperimentResult one, Experiment experiment) {
            this(
                    experiment.name(),
                    experiment.article(),
                    one.remarks(),
                    one.failure(),
                    one.tables().stream().map(MeasuredTable::new).toList());
        }
    }

    private record MeasuredTable(
            String id,
            String title,
            List<Column> columns,
            List<MeasuredRow> rows,
            List<Verdict> claims,
            List<Chart> charts) {
        MeasuredTable(TableResult one) {
            this(
                    one.table().id(),
                    one.table().title(),
                    one.table().columns(),
                    one.rows().stream()
                            .map(row -> new MeasuredRow(one.table(), row))
                            .toList(),
                    one.verdicts(),
                    one.plots());
        }
    }

    private record MeasuredRow(String row, String failure, Map<String, MeasuredFigure> figures) {
        MeasuredRow(LabTable table, Row row) {
            this(row.label(), row.failure(), new LinkedHashMap<>());
            for (Column column : table.columns()) {
                List<Double> rounds =
                        row.goes().stream().map(go -> go.value(column)).toList();
                Range article = table.article().of(row.label(), column);
                figures.put(column.name(), new MeasuredFigure(row.figure(column).median(), rounds, article));
            }
        }
    }

    private record MeasuredFigure(double median, List<Double> rounds, Range article) {}
}
