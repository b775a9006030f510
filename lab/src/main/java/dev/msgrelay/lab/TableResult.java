package dev.msgrelay.lab;

import dev.msgrelay.loadgen.result.Regime;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * A table as it was measured, perhaps not to its end.
 *
 * @param rows one a contestant, in the table's order
 * @param rounds the last one is incomplete where the run was broken off within it
 */
public record TableResult(LabTable table, List<Row> rows, List<Round> rounds) {
    public TableResult {
        rows = List.copyOf(rows);
        rounds = List.copyOf(rounds);
    }

    /**
     * What a contestant gave.
     *
     * @param measurements one a round, as far as it got; empty where it failed
     * @param failure why it is FAILED; null where it is not
     */
    public record Row(String name, String setting, List<Measurement> measurements, String failure) {
        public Row {
            measurements = List.copyOf(measurements);
        }

        public String label() {
            return Contestant.label(name, setting);
        }

        public boolean failed() {
            return failure != null;
        }

        /** The value of one round, from 0; NaN where there is none. */
        double value(Column column, int round) {
            return round < measurements.size() ? measurements.get(round).value(column) : Double.NaN;
        }
    }

    /**
     * What the machine was like during a round.
     *
     * @param hopBefore core to core, in nanoseconds
     * @param hopAfter NaN where the round was broken off
     */
    public record Round(double hopBefore, double hopAfter) {
        public boolean isComplete() {
            return !Double.isNaN(hopAfter);
        }

        /** Whether the machine stayed the same. */
        public boolean isSteady() {
            return isComplete() && Regime.of(hopBefore, hopAfter).isSteady();
        }
    }

    /**
     * A cell: the median over the rounds that count, and the spread.
     *
     * @param rounds how many rounds have a value; with none, the other fields are NaN
     */
    public record Figure(double median, double min, double max, int rounds) {
        /** Leaves out what is NaN. */
        public static Figure of(DoubleStream values) {
            double[] sorted =
                    values.filter(value -> !Double.isNaN(value)).sorted().toArray();
            int n = sorted.length;
            return n == 0
                    ? new Figure(Double.NaN, Double.NaN, Double.NaN, 0)
                    : new Figure((sorted[n / 2] + sorted[(n - 1) / 2]) / 2, sorted[0], sorted[n - 1], n);
        }

        public static Figure of(double... values) {
            return of(Arrays.stream(values));
        }

        public boolean isPresent() {
            return rounds > 0;
        }
    }

    /** The rounds that count, from 0: the steady ones; where there is none, the complete ones; or else what there is. */
    public List<Integer> counted() {
        List<Integer> steady = rounds(Round::isSteady);
        List<Integer> complete = rounds(Round::isComplete);
        return !steady.isEmpty() ? steady : !complete.isEmpty() ? complete : rounds(round -> true);
    }

    /** The rounds, from 0, during which the machine stayed the same: on these alone a verdict is given. */
    public List<Integer> steady() {
        return rounds(Round::isSteady);
    }

    private List<Integer> rounds(Predicate<Round> which) {
        return IntStream.range(0, rounds.size())
                .filter(i -> which.test(rounds.get(i)))
                .boxed()
                .toList();
    }

    /** A cell: over the rounds that count. */
    public Figure figure(Row row, Column column) {
        return Figure.of(counted().stream().mapToDouble(round -> row.value(column, round)));
    }

    /**
     * The row with this label.
     *
     * @throws IllegalArgumentException there is none: a mistake in the experiment
     */
    public Row row(String label) {
        return rows.stream()
                .filter(row -> row.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no row '" + label + "' in table " + table.id()));
    }
}
