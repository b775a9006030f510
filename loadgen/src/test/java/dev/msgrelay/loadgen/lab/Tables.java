package dev.msgrelay.loadgen.lab;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Tables on made-up figures. */
public final class Tables {
    public static final Column SPEED = Column.higher("speed", "MB/s");
    public static final Column TIME = Column.lower("time", "us");
    private static final RoundResult STEADY = new RoundResult(50, 55);

    private final Column column;
    private final List<RowResult> rows = new ArrayList<>();
    private final List<RoundResult> rounds = new ArrayList<>();

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
        rows.add(new RowResult(name, "", name, measurements, null));
        return this;
    }

    public Tables failed(String name, String why) {
        rows.add(new RowResult(name, "", name, List.of(), why));
        return this;
    }

    public Tables round(double hopBefore, double hopAfter) {
        rounds.add(new RoundResult(hopBefore, hopAfter));
        return this;
    }

    /** As many steady rounds as there are values, unless rounds were given. */
    public TableResult result() {
        if (rounds.isEmpty()) {
            int most = rows.stream()
                    .mapToInt(row -> row.measurements().size())
                    .max()
                    .orElse(0);
            for (int i = 0; i < most; i++) {
                rounds.add(STEADY);
            }
        }
        LabTable table = table(column, List.of());
        return new TableResult(table, rows, rounds, rounds.size());
    }

    public static LabTable table(Column column, List<Contestant> contestants) {
        return new LabTable(
                "made-up", "Made up", List.of(column), contestants, Claims.NONE, List.of(), result -> List.of());
    }
}
