package dev.msgrelay.lab;

import dev.msgrelay.lab.LabResult.ExperimentResult;
import dev.msgrelay.lab.TableResult.Figure;
import dev.msgrelay.lab.TableResult.Round;
import dev.msgrelay.lab.TableResult.Row;
import dev.msgrelay.loadgen.render.Mark;
import dev.msgrelay.loadgen.render.Page;
import dev.msgrelay.loadgen.render.Section;
import dev.msgrelay.loadgen.render.Table;
import dev.msgrelay.loadgen.render.Table.Value;
import dev.msgrelay.loadgen.render.TextTable;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.result.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/** What the lab found, as plain text, as a page, and as JSON. */
final class LabReport {
    /** What the document's {@code schema} says; another number where a reader of this one would go wrong. */
    static final String SCHEMA = "relay-lab/2";

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
        text.append(String.format(Locale.ROOT, format, values)).append('\n');
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

    /** The first one, of the rows' names, is empty. */
    private static List<String> headings(TableResult table) {
        List<String> headings = new ArrayList<>(List.of(""));
        for (Column column : table.table().columns()) {
            headings.add(column.heading());
            if (table.table().article().has(column)) {
                headings.add("article");
            }
        }
        return headings;
    }

    /** The median with its spread, and beside it what the article got. */
    private static List<String> cells(TableResult table, Row row) {
        List<String> cells = new ArrayList<>(List.of(row.label()));
        for (Column column : table.table().columns()) {
            cells.add(row.failed() ? FAILED : cell(table.figure(row, column)));
            if (table.table().article().has(column)) {
                cells.add(table.table()
                        .article()
                        .of(row.label(), column)
                        .map(ArticleFigures.Range::toString)
                        .orElse(""));
            }
        }
        return cells;
    }

    private static String cell(Figure figure) {
        String median = Numbers.text(figure.median());
        String least = Numbers.text(figure.min());
        String most = Numbers.text(figure.max());
        return least.equals(most) ? median : median + " [" + least + " " + most + "]";
    }

    /** "5 rounds, 4 counted: median [least most]; core-to-core hop 45 46 ... ns; the machine changed during 3". */
    private String rounds(TableResult table) {
        List<Round> rounds = table.rounds();
        StringBuilder text = new StringBuilder();
        text.append(rounds.size()).append(rounds.size() == 1 ? " round, " : " rounds, ");
        text.append(table.counted().size()).append(" counted: median [least most]; core-to-core hop");
        rounds.forEach(round -> text.append(String.format(Locale.ROOT, " %.0f", round.hopBefore())));
        if (!rounds.isEmpty() && rounds.get(rounds.size() - 1).isComplete()) {
            text.append(String.format(
                    Locale.ROOT, " %.0f", rounds.get(rounds.size() - 1).hopAfter()));
        }
        text.append(" ns");
        List<String> changed = new ArrayList<>();
        for (int i = 0; i < rounds.size(); i++) {
            if (!rounds.get(i).isComplete()) {
                text.append("; round ").append(i + 1).append(" was broken off");
            } else if (!rounds.get(i).isSteady()) {
                changed.add("" + (i + 1));
            }
        }
        if (!changed.isEmpty()) {
            text.append("; the machine changed during ").append(String.join(", ", changed));
        }
        return text.toString();
    }

    /** First what became of the claims, then a section for each table. */
    Page page() {
        List<Section> sections = new ArrayList<>();
        sections.add(claims());
        for (ExperimentResult experiment : result.experiments()) {
            if (experiment.failure() != null) {
                List<Section.Note> note = List.of(new Section.Note(FAILED + ": " + experiment.failure(), Mark.BAD));
                sections.add(new Section(experiment.name(), note, List.of(), List.of()));
            }
            experiment.tables().forEach(table -> sections.add(section(experiment, table)));
        }
        String subtitle = "The articles' experiments, run again"
                + (result.quick() ? "; a quick run, not for the record" : "")
                + (result.interrupted() ? "; INTERRUPTED: these are the figures up to then" : "");
        List<Page.Fact> facts = List.of(
                new Page.Fact("cores", "" + result.machine().cores()),
                new Page.Fact("processor", result.machine().cpu()),
                new Page.Fact("JDK", result.machine().jdk()),
                new Page.Fact("kernel", result.machine().kernel()),
                new Page.Fact("TCP congestion control", result.machine().congestionControl()),
                new Page.Fact("rounds", "" + result.rounds()));
        return new Page("Lab", subtitle, sections, "Machine", facts);
    }

    /** Beneath the articles' claims, what they leave open. */
    private Section claims() {
        List<List<Value>> claimed = new ArrayList<>();
        List<List<Value>> open = new ArrayList<>();
        for (ExperimentResult experiment : result.experiments()) {
            for (TableResult table : experiment.tables()) {
                String where = experiment.name() + ": " + table.table().id();
                for (Verdict verdict : verdicts(table)) {
                    if (verdict.claim().isEmpty()) {
                        open.add(List.of(Value.of(where), Value.of(verdict.here()), words(verdict)));
                    } else {
                        claimed.add(List.of(
                                Value.of(verdict.claim()),
                                Value.of(where),
                                Value.of(verdict.article()),
                                Value.of(verdict.here()),
                                words(verdict)));
                    }
                }
            }
        }
        List<Table> tables = new ArrayList<>();
        tables.add(
                new Table("What the articles claim", columns("claim", "table", "article", "here", "verdict"), claimed));
        if (!open.isEmpty()) {
            tables.add(new Table("What they leave open", columns("table", "here", "answer"), open));
        }
        Section.Note how = Section.Note.of("Direction and size of a claim are judged apart, on " + Claim.MIN_ROUNDS
                + " steady rounds or more; brackets are " + 100 * Claim.CONFIDENCE + " % intervals.");
        return new Section("Claims", List.of(how), tables, List.of());
    }

    private static List<Table.Column> columns(String... titles) {
        return List.of(titles).stream().map(title -> Table.Column.text(title)).toList();
    }

    private static Value words(Verdict verdict) {
        boolean judged = !verdict.claim().isEmpty();
        Mark mark = judged && verdict.isRefuted() ? Mark.WARN : judged && verdict.holds() ? Mark.GOOD : Mark.NOTE;
        return Value.marked(verdict.words(), mark);
    }

    private Section section(ExperimentResult experiment, TableResult table) {
        List<Section.Note> notes = new ArrayList<>();
        notes.add(Section.Note.of(table.table().title()));
        notes.add(Section.Note.of("Article: " + source(experiment)));
        experiment.remarks().forEach(remark -> notes.add(new Section.Note(remark, Mark.NOTE)));
        failures(table).forEach(failure -> notes.add(new Section.Note(failure, Mark.BAD)));
        return new Section(
                experiment.name() + ": " + table.table().id(),
                notes,
                List.of(),
                List.of(),
                table.table().charts().stream().map(chart -> chart.apply(table)).toList(),
                List.of(shown(rounds(table), table)));
    }

    /** Its rows' names to the left, its figures to the right. */
    private static Table shown(String caption, TableResult table) {
        List<String> headings = headings(table);
        return new Table(
                caption,
                IntStream.range(0, headings.size())
                        .mapToObj(i -> new Table.Column(headings.get(i), i > 0 ? Unit.PLAIN : Unit.TEXT))
                        .toList(),
                table.rows().stream()
                        .map(row -> cells(table, row).stream()
                                .map(cell -> Value.marked(cell, cell.equals(FAILED) ? Mark.BAD : Mark.NONE))
                                .toList())
                        .toList());
    }

    /** All that was measured, for programs. A figure that does not exist is null. */
    String json() {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("schema", SCHEMA);
        document.put("machine", result.machine());
        document.put("options", Map.of("quick", result.quick(), "rounds", result.rounds()));
        document.put("interrupted", result.interrupted());
        document.put(
                "experiments",
                result.experiments().stream().map(this::experiment).toList());
        return Json.text(document) + "\n";
    }

    private Map<String, Object> experiment(ExperimentResult experiment) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", experiment.name());
        json.put("question", experiment.question());
        json.put("article", experiment.article());
        json.put("remarks", experiment.remarks());
        json.put("failure", experiment.failure());
        json.put("tables", experiment.tables().stream().map(this::table).toList());
        return json;
    }

    private Map<String, Object> table(TableResult table) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("id", table.table().id());
        json.put("title", table.table().title());
        json.put("columns", table.table().columns());
        json.put("rows", table.rows().stream().map(row -> row(table, row)).toList());
        json.put("rounds", table.rounds());
        json.put("counted", table.counted());
        json.put("claims", verdicts(table));
        json.put(
                "charts",
                table.table().charts().stream().map(chart -> chart.apply(table)).toList());
        return json;
    }

    private static Map<String, Object> row(TableResult table, Row row) {
        Map<String, Object> figures = new LinkedHashMap<>();
        for (Column column : table.table().columns()) {
            Figure figure = table.figure(row, column);
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("median", figure.median());
            json.put("min", figure.min());
            json.put("max", figure.max());
            json.put(
                    "rounds",
                    row.measurements().stream().map(go -> go.value(column)).toList());
            json.put("article", table.table().article().of(row.label(), column).orElse(null));
            figures.put(column.name(), json);
        }
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", row.name());
        json.put("setting", row.setting());
        json.put("failure", row.failure());
        json.put("figures", figures);
        return json;
    }
}
