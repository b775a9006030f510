package dev.msgrelay.loadgen.lab;

import java.util.List;

/**
 * What an experiment gave, perhaps not to its end.
 *
 * @param remarks what bends the figures on this machine: too few cores
 */
public record ExperimentResult(
        String name, String question, Article article, List<TableResult> tables, List<String> remarks) {
    public ExperimentResult {
        tables = List.copyOf(tables);
        remarks = List.copyOf(remarks);
    }

    /** Whether a row is FAILED. */
    public boolean failed() {
        return tables.stream().flatMap(table -> table.rows().stream()).anyMatch(RowResult::failed);
    }
}
