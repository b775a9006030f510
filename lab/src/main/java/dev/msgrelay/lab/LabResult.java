package dev.msgrelay.lab;

import dev.msgrelay.loadgen.host.Machine;
import java.util.List;

/**
 * All that a run of the lab gave.
 *
 * @param rounds so many were asked for
 * @param interrupted it was broken off: the last experiment's figures are what there was by then
 */
public record LabResult(
        Machine machine, boolean quick, int rounds, List<ExperimentResult> experiments, boolean interrupted) {
    public LabResult {
        experiments = List.copyOf(experiments);
    }

    /**
     * What an experiment gave, perhaps not to its end.
     *
     * @param remarks what bends the figures on this machine, and what was left out
     * @param failure why it could not be run, or not to its end; null where it could
     */
    public record ExperimentResult(
            String name,
            String question,
            Experiment.Article article,
            List<TableResult> tables,
            List<String> remarks,
            String failure) {
        public ExperimentResult {
            tables = List.copyOf(tables);
            remarks = List.copyOf(remarks);
        }

        boolean failed() {
            return failure != null
                    || tables.stream().flatMap(table -> table.rows().stream()).anyMatch(TableResult.Row::failed);
        }
    }

    /** Whether an experiment, or a row of it, is FAILED. */
    public boolean failed() {
        return experiments.stream().anyMatch(ExperimentResult::failed);
    }
}
