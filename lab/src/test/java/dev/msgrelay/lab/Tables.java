package dev.msgrelay.lab;

import dev.msgrelay.lab.Experiment.Settings;
import dev.msgrelay.lab.TableResult.Row;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Tables on made-up figures. */
public final class Tables {
    public static final Column SPEED = Column.higher("speed", "MB/s");
    public static final Column TIME = Column.lower("time", "us");

    private final Column column;
    private final List<Row> rows = new ArrayList<>();
    private ArticleFigures article = ArticleFigures.NONE;

    private Tables(Column column) {
        this.column = column;
    }

    public static Tables of(Column column) {
        return new Tables(column);
    }

    public Tables row(String name, double... values) {
        List<Measurement> goes = new ArrayList<>();
        for (double value : values) {
            goes.add(Measurement.of(column, value));
        }
        rows.add(new Row(name, "", goes, null));
        return this;
    }

    public static Row row(String name, String setting, List<Measurement> measurements) {
        return new Row(name, setting, measurements, null);
    }

    public Tables failed(String name, String why) {
        rows.add(new Row(name, "", List.of(), why));
        return this;
    }

    public Tables article(String figures) {
        article = ArticleFigures.of(List.of(column), figures);
        return this;
    }

    public TableResult result() {
        return of(article, rows);
    }

    public static TableResult of(ArticleFigures article, List<Row> rows) {
        return new TableResult(table(SPEED, List.of(), article), rows);
    }

    static LabTable table(Column column, List<Contestant> contestants, ArticleFigures article) {
        return new LabTable(
                "made-up", "Made up", List.of(column), contestants, article, result -> List.of(), List.of());
    }

    /** The settings of a quick run. */
    public static Settings settings(int rounds, Duration duration, Path directory) {
        return new Settings(true, rounds, duration, List.of(1), directory);
    }

    /** Runs an experiment, and gives its tables. */
    public static List<TableResult> run(Experiment experiment, Settings settings) {
        return new LabRun(settings, line -> {}, () -> false)
                .run(experiment)
                .experiments()
                .get(0)
                .tables();
    }
}
