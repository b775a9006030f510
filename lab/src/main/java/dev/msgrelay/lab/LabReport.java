package dev.msgrelay.lab;

import dev.msgrelay.lab.LabResult.ExperimentResult;
import dev.msgrelay.lab.TableResult.Row;
import dev.msgrelay.loadgen.experiment.Run;
import dev.msgrelay.loadgen.host.Machine;
import dev.msgrelay.loadgen.render.Chart;
import dev.msgrelay.loadgen.render.Mark;
import dev.msgrelay.loadgen.render.Page;
import dev.msgrelay.loadgen.render.Page.Section;
import dev.msgrelay.loadgen.render.Page.Section.Note;
import dev.msgrelay.loadgen.render.Table;
import dev.msgrelay.loadgen.render.Table.Field;
import dev.msgrelay.loadgen.render.Table.Value;
import dev.msgrelay.loadgen.render.TextTable;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.result.Json;
import dev.msgrelay.loadgen.result.Spread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the lab found, as plain text, as a page, and as JSON. */
final class LabReport {
    /** What the document's {@code schema} says; another number where a reader of this one would go wrong. */
    static final String SCHEMA = "relay-lab/3";

    private static final String FAILED = "FAILED";

    /** Of a table under its title. */
    private static final int INDENT = 3;

    private final LabResult result;

    LabReport(LabResult result) {
        this.result = result;
    }

    /** Everything of one experiment. */
    String text(ExperimentResult experiment) {
        StringBuilder text = new StringBuilder();
        line(text, "%s: %s", experiment.name(), experiment.question());
        line(text, "  article: %s", source(experiment));
        experiment.remarks().forEach(remark -> line(text, "  note: %s", remark));
        if (experiment.failure() != null) {
            line(text, "  FAILED: %s", experiment.failure());
        }
        for (TableResult table : experiment.tables()) {
            line(text, "%n  %s", table.table().title());
            text.append(TextTable.of(shown("", table)).indent(INDENT));
            failures(table).forEach(failure -> line(text, "  %s", failure));
            line(text, "  %s", rounds(table));
            for (Verdict verdict : verdicts(table)) {
                String claim = verdict.claim().isEmpty() ? "(open)" : "\"" + verdict.claim() + "\"";
                line(text, "  - %s: %s", claim, verdict.words());
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

    private static String source(ExperimentResult experiment) {
        return experiment.article().citation() + "; " + experiment.article().conditions();
    }

    private static List<Verdict> verdicts(TableResult table) {
        return table.table().judge().apply(table);
    }

    private static List<String> failures(TableResult table) {
        return table.rows().stream()
                .filter(Row::failed)
                .map(row -> FAILED + " " + row.label() + ": " + row.failure())
                .toList();
    }

    /** Of each column the median with its spread, and beside it what the article got. */
    private static Table shown(String caption, TableResult table) {
        List<Field<Row>> fields = new ArrayList<>(List.of(Field.text("", Row::label)));
        ArticleFigures article = table.table().article();
        for (Column column : table.table().columns()) {
            fields.add(Field.of(
                    column.heading(),
                    Unit.PLAIN,
                    row -> row.failed() ? Value.marked(FAILED, Mark.BAD) : cell(table.figure(row, column))));
            if (article.has(column)) {
                fields.add(Field.of("article", Unit.PLAIN, row -> article.of(row.label(), column)
                        .orElse(null)));
            }
        }
        return Table.of(caption, table.rows(), fields);
    }

    private static String cell(Spread figure) {
        String median = Numbers.text(figure.median());
        String least = Numbers.text(figure.min());
        String most = Numbers.text(figure.max());
        return least.equals(most) ? median : median + " [" + least + " " + most + "]";
    }

    /** "5 rounds, 38 of 40 goes counted: median [least most]". */
    private static String rounds(TableResult table) {
        List<Run<Measurement>> goes =
                table.rows().stream().flatMap(row -> row.goes().stream()).toList();
        int rounds = goes.stream().mapToInt(Run::round).max().orElse(0);
        return Unit.format(
                "%d round%s, %d of %d goes counted: median [least most]",
                rounds,
                rounds == 1 ? "" : "s",
                goes.stream().filter(Run::counts).count(),
                goes.size());
    }

    /** First what became of the claims, then a section for each table. */
    Page page() {
        List<Section> sections = new ArrayList<>(List.of(claims()));
        for (ExperimentResult experiment : result.experiments()) {
            if (experiment.failure() != null) {
                List<Note> note = List.of(new Note(FAILED + ": " + experiment.failure(), Mark.BAD));
                sections.add(new Section(experiment.name(), note, List.of(), List.of()));
            }
            experiment.tables().forEach(table -> sections.add(section(experiment, table)));
        }
        String subtitle = "The articles' experiments, run again"
                + (result.quick() ? "; a quick run, not for the record" : "")
                + (result.interrupted() ? "; INTERRUPTED: these are the figures up to then" : "");
        Machine machine = result.machine();
        List<Page.Fact> facts = List.of(
                new Page.Fact("cores", "" + machine.cores()),
                new Page.Fact("processor", machine.cpu()),
                new Page.Fact("JDK", machine.jdk()),
                new Page.Fact("kernel", machine.kernel()),
                new Page.Fact("TCP congestion control", machine.congestionControl()),
                new Page.Fact("core-to-core hop", Unit.NANOS.text(machine.coreHopNanos())),
                new Page.Fact("rounds", "" + result.rounds()));
        return new Page("Lab", subtitle, sections, "Machine", facts);
    }

    /** What became of a claim of a table. */
    private record Judged(String table, Verdict verdict) {
        Value words() {
            boolean judged = !verdict.claim().isEmpty();
            Mark mark = judged && verdict.isRefuted() ? Mark.WARN : judged && verdict.holds() ? Mark.GOOD : Mark.NOTE;
            return Value.marked(verdict.words(), mark);
        }
    }

    /** Beneath the articles' claims, what they leave open. */
    private Section claims() {
        List<Judged> claimed = new ArrayList<>();
        List<Judged> open = new ArrayList<>();
        for (ExperimentResult experiment : result.experiments()) {
            for (TableResult table : experiment.tables()) {
                String where = experiment.name() + ": " + table.table().id();
                verdicts(table).forEach(verdict -> (verdict.claim().isEmpty() ? open : claimed)
                        .add(new Judged(where, verdict)));
            }
        }
        List<Table> tables = new ArrayList<>();
        tables.add(Table.of(
                "What the articles claim",
                claimed,
                List.of(
                        Field.text("claim", one -> one.verdict().claim()),
                        Field.text("table", Judged::table),
                        Field.text("article", one -> one.verdict().article()),
                        Field.text("here", one -> one.verdict().here()),
                        Field.text("verdict", Judged::words))));
        if (!open.isEmpty()) {
            tables.add(Table.of(
                    "What they leave open",
                    open,
                    List.of(
                            Field.text("table", Judged::table),
                            Field.text("here", one -> one.verdict().here()),
                            Field.text("answer", Judged::words))));
        }
        Note how = Note.of("Direction and size of a claim are judged apart, on " + Claim.MIN_ROUNDS
                + " rounds or more; brackets are " + 100 * Claim.CONFIDENCE + " % intervals.");
        return new Section("Claims", List.of(how), tables, List.of());
    }

    private static Section section(ExperimentResult experiment, TableResult table) {
        List<Note> notes = new ArrayList<>();
        notes.add(Note.of(table.table().title()));
        notes.add(Note.of("Article: " + source(experiment)));
        experiment.remarks().forEach(remark -> notes.add(new Note(remark, Mark.NOTE)));
        failures(table).forEach(failure -> notes.add(new Note(failure, Mark.BAD)));
        String title = experiment.name() + ": " + table.table().id();
        List<Table> figures = List.of(shown(rounds(table), table));
        return new Section(title, notes, List.of(), List.of(), table.plots(), figures);
    }

    /** The form of the JSON. A figure that does not exist is null. */
    private record Document(
            String schema, Machine machine, Options options, boolean interrupted, List<OfExperiment> experiments) {}

    private record Options(boolean quick, int rounds) {}

    private record OfExperiment(
            String name,
            String question,
            Experiment.Article article,
            List<String> remarks,
            String failure,
            List<OfTable> tables) {}

    private record OfTable(
            String id, String title, List<Column> columns, List<OfRow> rows, List<Verdict> claims, List<Chart> charts) {
        static OfTable of(TableResult table) {
            return new OfTable(
                    table.table().id(),
                    table.table().title(),
                    table.table().columns(),
                    table.rows().stream().map(row -> OfRow.of(table, row)).toList(),
                    verdicts(table),
                    table.plots());
        }
    }

    private record OfRow(String name, String setting, String failure, List<Go> goes, Map<String, OfFigure> figures) {
        static OfRow of(TableResult table, Row row) {
            Map<String, OfFigure> figures = new LinkedHashMap<>();
            for (Column column : table.table().columns()) {
                Spread figure = table.figure(row, column);
                figures.put(
                        column.name(),
                        new OfFigure(
                                figure.median(),
                                figure.min(),
                                figure.max(),
                                row.goes().stream()
                                        .map(go -> go.result().value(column))
                                        .toList(),
                                table.table().article().of(row.label(), column).orElse(null)));
            }
            List<Go> goes = row.goes().stream()
                    .map(go -> new Go(go.round(), go.counts()))
                    .toList();
            return new OfRow(row.name(), row.setting(), row.failure(), goes, figures);
        }
    }

    private record Go(int round, boolean counts) {}

    private record OfFigure(double median, double min, double max, List<Double> rounds, ArticleFigures.Range article) {}

    /** All that was measured, for programs. */
    String json() {
        List<OfExperiment> experiments = result.experiments().stream()
                .map(one -> new OfExperiment(
                        one.name(),
                        one.question(),
                        one.article(),
                        one.remarks(),
                        one.failure(),
                        one.tables().stream().map(OfTable::of).toList()))
                .toList();
        Options options = new Options(result.quick(), result.rounds());
        return Json.text(new Document(SCHEMA, result.machine(), options, result.interrupted(), experiments)) + "\n";
    }
}
