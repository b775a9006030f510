package dev.msgrelay.loadgen.lab;

import java.util.List;
import java.util.stream.IntStream;

/**
 * A table as it was measured, perhaps not to its end.
 *
 * @param rows one a contestant, in the table's order
 * @param rounds the last one is incomplete where the run was broken off within it
 * @param wanted so many rounds were asked for
 */
public record TableResult(LabTable table, List<RowResult> rows, List<RoundResult> rounds, int wanted) {
    public TableResult {
        rows = List.copyOf(rows);
        rounds = List.copyOf(rounds);
    }

    /**
     * The rounds that count, from 0: the steady ones, as long as they are at least half of the complete ones; otherwise
     * all complete ones; and where not one is complete, what there is.
     */
    public List<Integer> counted() {
        List<Integer> complete =
                indices().filter(i -> rounds.get(i).isComplete()).boxed().toList();
        List<Integer> steady =
                complete.stream().filter(i -> rounds.get(i).isSteady()).toList();
        if (complete.isEmpty()) {
            return indices().boxed().toList();
        }
        return 2 * steady.size() >= complete.size() ? steady : complete;
    }

    private IntStream indices() {
        return IntStream.range(0, rounds.size());
    }

    /** Whether all rounds were run. */
    public boolean isComplete() {
        return rounds.stream().filter(RoundResult::isComplete).count() == wanted;
    }

    /** A cell: over the rounds that count. */
    public Figure figure(RowResult row, Column column) {
        return Figure.of(counted().stream()
                .mapToDouble(round -> row.value(column, round))
                .toArray());
    }

    /**
     * The row with this label.
     *
     * @throws IllegalArgumentException there is none: a mistake in the experiment
     */
    public RowResult row(String label) {
        return rows.stream()
                .filter(row -> row.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no row '" + label + "' in table " + table.id()));
    }
}
