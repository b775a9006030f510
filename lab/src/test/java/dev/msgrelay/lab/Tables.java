package dev.msgrelay.lab;

import dev.msgrelay.lab.TableResult.Row;
import dev.msgrelay.loadgen.cli.LoadgenMain;
import dev.msgrelay.loadgen.experiment.Run;
import dev.msgrelay.loadgen.result.RunRecord.Outcome;
import java.nio.file.Path;
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
        List<Run<Measurement>> goes = new ArrayList<>();
        for (double value : values) {
            goes.add(go(goes.size() + 1, Measurement.of(column, value)));
        }
        rows.add(new Row(name, "", goes, null));
        return this;
    }

    private static Run<Measurement> go(int round, Measurement measurement) {
        return new Run<>(null, 0, round, "2026-01-01T00:00:00Z", measurement, Outcome.PASS);
    }

    public static Row row(String name, String setting, List<Measurement> measurements) {
        List<Run<Measurement>> goes = new ArrayList<>();
        measurements.forEach(measurement -> goes.add(go(goes.size() + 1, measurement)));
        return new Row(name, setting, goes, null);
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

    /** An experiment with the options of a command line. */
    public static <T extends Experiment> T parsed(T experiment, String... args) {
        LoadgenMain.commandLine(experiment).parseArgs(args);
        return experiment;
    }

    /** Runs an experiment. */
    public static LabResult run(Experiment experiment, int rounds, Path directory) {
        return new LabRun(new LabOptions(true, rounds, directory), LabRunTest.METER, LabRunTest.SILENT).run(experiment);
    }
}
