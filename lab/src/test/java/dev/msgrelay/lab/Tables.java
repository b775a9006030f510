package dev.msgrelay.lab;

import dev.msgrelay.lab.TableResult.Round;
import dev.msgrelay.lab.TableResult.Row;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;

/** Tables on made-up figures. */
public final class Tables {
    public static final Column SPEED = Column.higher("speed", "MB/s");
    public static final Column TIME = Column.lower("time", "us");
    private static final Round STEADY = new Round(50, 55);

    private final Column column;
    private final List<Row> rows = new ArrayList<>();
    private final List<Round> rounds = new ArrayList<>();
    private ArticleFigures article = ArticleFigures.NONE;

    private Tables(Column column) {
        this.column = column;
    }

    public static Tables of(Column column) {
        return new Tables(column);
    }

    public Tables row(String name, double... values) {
        List<Measurement> measurements = Arrays.stream(values)
                .mapToObj(value -> Measurement.of(column, value))
                .toList();
        rows.add(new Row(name, "", measurements, null));
        return this;
    }

    public Tables failed(String name, String why) {
        rows.add(new Row(name, "", List.of(), why));
        return this;
    }

    public Tables round(double hopBefore, double hopAfter) {
        rounds.add(new Round(hopBefore, hopAfter));
        return this;
    }

    public Tables article(String figures) {
        article = ArticleFigures.of(List.of(column), figures);
        return this;
    }

    /** As many steady rounds as there are values, unless rounds were given. */
    public TableResult result() {
        return of(article, rows, rounds);
    }

    /** As many steady rounds as there are measurements, unless rounds are given. */
    public static TableResult of(ArticleFigures article, List<Row> rows, List<Round> rounds) {
        List<Round> all = new ArrayList<>(rounds);
        int most =
                rows.stream().mapToInt(row -> row.measurements().size()).max().orElse(0);
        while (rounds.isEmpty() && all.size() < most) {
            all.add(STEADY);
        }
        return new TableResult(table(SPEED, List.of(), article), rows, all);
    }

    static LabTable table(Column column, List<Contestant> contestants, ArticleFigures article) {
        return new LabTable(
                "made-up", "Made up", List.of(column), contestants, article, result -> List.of(), List.of());
    }

    /** An experiment with the options of a command line. */
    public static <T extends Experiment> T parsed(T experiment, String... args) {
        new CommandLine(experiment).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(args);
        return experiment;
    }

    /** Runs an experiment on a machine that stays the same. */
    public static LabResult run(Experiment experiment, int rounds, java.nio.file.Path directory) {
        LabOptions options = new LabOptions(true, rounds, directory);
        try (LabProgress progress = LabRunTest.silent()) {
            return new LabRun(options, () -> 50, progress).run(experiment);
        }
    }
}
