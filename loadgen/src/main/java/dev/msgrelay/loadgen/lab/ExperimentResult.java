package dev.msgrelay.loadgen.lab;

import java.util.List;

/**
 * What an experiment gave, perhaps not to its end.
 *
 * @param remarks what bends the figures on this machine, and what was left out
 * @param failure why it could not be run, or not to its end; null where it could
 */
public record ExperimentResult(
        String name, String question, Article article, List<TableResult> tables, List<String> remarks, String failure) {
    public ExperimentResult {
        tables = List.copyOf(tables);
        remarks = List.copyOf(remarks);
    }

    /** Whether it, or a row of it, is FAILED. */
    public boolean failed() {
        return failure != null
                || tables.stream().flatMap(table -> table.rows().stream()).anyMatch(RowResult::failed);
    }
}
