package dev.msgrelay.loadgen.lab.output;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonWriter;
import dev.msgrelay.loadgen.lab.Article;
import dev.msgrelay.loadgen.lab.Chart;
import dev.msgrelay.loadgen.lab.Column;
import dev.msgrelay.loadgen.lab.ExperimentResult;
import dev.msgrelay.loadgen.lab.Figure;
import dev.msgrelay.loadgen.lab.Finding;
import dev.msgrelay.loadgen.lab.LabResult;
import dev.msgrelay.loadgen.lab.LabTable;
import dev.msgrelay.loadgen.lab.Measurement;
import dev.msgrelay.loadgen.lab.Point;
import dev.msgrelay.loadgen.lab.RoundResult;
import dev.msgrelay.loadgen.lab.RowResult;
import dev.msgrelay.loadgen.lab.TableResult;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** All that the lab measured, for programs. A figure that does not exist is null. */
public final class LabJson {
    /** What the document's {@code schema} says; another number where a reader of this one would go wrong. */
    public static final String SCHEMA = "relay-lab/1";

    private LabJson() {}

    /** A whole document. */
    public static String of(LabResult result) {
        JsonObject json = new JsonObject();
        json.put("schema", SCHEMA);
        json.put("machine", result.machine().toJson());
        JsonObject options = new JsonObject();
        options.put("quick", result.options().quick());
        options.put("rounds", result.options().rounds());
        json.put("options", options);
        json.put("interrupted", result.interrupted());
        json.put("experiments", array(result.experiments(), LabJson::experiment));
        return JsonWriter.indent("  ").string().value(json).done() + "\n";
    }

    private static JsonObject experiment(ExperimentResult experiment) {
        JsonObject json = new JsonObject();
        json.put("name", experiment.name());
        json.put("question", experiment.question());
        json.put("article", article(experiment.article()));
        json.put("remarks", new JsonArray(experiment.remarks()));
        json.put("failure", experiment.failure());
        json.put("tables", array(experiment.tables(), LabJson::table));
        return json;
    }

    private static JsonObject article(Article article) {
        JsonObject json = new JsonObject();
        json.put("title", article.title());
        json.put("year", article.year() == 0 ? null : article.year());
        json.put("conditions", article.conditions());
        return json;
    }

    private static JsonObject table(TableResult result) {
        LabTable table = result.table();
        JsonObject json = new JsonObject();
        json.put("id", table.id());
        json.put("title", table.title());
        json.put("complete", result.isComplete());
        json.put("columns", array(table.columns(), LabJson::column));
        json.put("rows", array(result.rows(), row -> row(result, row)));
        List<Integer> counted = result.counted();
        JsonArray rounds = new JsonArray();
        for (int i = 0; i < result.rounds().size(); i++) {
            rounds.add(round(result.rounds().get(i), counted.contains(i)));
        }
        json.put("rounds", rounds);
        json.put("findings", array(table.judge().judge(result), LabJson::finding));
        json.put("charts", array(table.charts(), chart -> chart(chart, result)));
        return json;
    }

    private static JsonObject column(Column column) {
        JsonObject json = new JsonObject();
        json.put("name", column.name());
        json.put("unit", column.unit());
        json.put("better", column.better().name().toLowerCase(Locale.ROOT));
        return json;
    }

    private static JsonObject row(TableResult result, RowResult row) {
        JsonObject json = new JsonObject();
        json.put("name", row.name());
        json.put("setting", row.setting());
        json.put("failed", row.failed());
        json.put("failure", row.failure());
        JsonObject figures = new JsonObject();
        for (Column column : result.table().columns()) {
            JsonObject figure = figure(result.figure(row, column));
            figure.put(
                    "rounds",
                    array(row.measurements(), (Measurement measurement) -> number(measurement.value(column))));
            result.table().claims().of(row.label(), column).ifPresent(claim -> {
                JsonObject article = new JsonObject();
                article.put("low", claim.low());
                article.put("high", claim.high());
                figure.put("article", article);
            });
            figures.put(column.name(), figure);
        }
        json.put("figures", figures);
        return json;
    }

    private static JsonObject figure(Figure figure) {
        JsonObject json = new JsonObject();
        json.put("median", number(figure.median()));
        json.put("min", number(figure.min()));
        json.put("max", number(figure.max()));
        return json;
    }

    private static JsonObject round(RoundResult round, boolean counted) {
        JsonObject json = new JsonObject();
        json.put("hopBeforeNanos", number(round.hopBefore()));
        json.put("hopAfterNanos", number(round.hopAfter()));
        json.put("complete", round.isComplete());
        json.put("steady", round.isSteady());
        json.put("counted", counted);
        return json;
    }

    private static JsonObject finding(Finding finding) {
        JsonObject json = new JsonObject();
        json.put("claim", finding.claim());
        json.put("outcome", finding.outcome().words());
        json.put("sentence", finding.sentence());
        return json;
    }

    private static JsonObject chart(Chart chart, TableResult table) {
        JsonObject json = new JsonObject();
        json.put("title", chart.title());
        json.put("x", chart.x().label());
        json.put("y", chart.y().label());
        json.put("series", array(chart.series().of(table), LabJson::series));
        return json;
    }

    private static JsonObject series(Chart.Series series) {
        JsonObject json = new JsonObject();
        json.put("name", series.name());
        json.put("points", array(series.points(), (Point point) -> {
            JsonArray pair = new JsonArray();
            pair.add(number(point.x()));
            pair.add(number(point.y()));
            return pair;
        }));
        return json;
    }

    /** JSON has no word for what is not a number. */
    private static Double number(double value) {
        return Double.isFinite(value) ? value : null;
    }

    private static <T> JsonArray array(List<T> items, Function<T, Object> json) {
        JsonArray array = new JsonArray();
        items.forEach(item -> array.add(json.apply(item)));
        return array;
    }
}
