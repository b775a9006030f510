package dev.msgrelay.lab;

import dev.msgrelay.loadgen.host.Machine;
import java.util.List;

/**
 * The results of a run of the lab.
 *
 * @param interrupted whether it was interrupted: then the last experiment is incomplete
 */
public record LabResult(
        Machine machine, boolean quick, int rounds, List<ExperimentResult> experiments, boolean interrupted) {
    /**
     * The results of one experiment, which may be incomplete.
     *
     * @param remarks remarks on conditions of this machine that change the figures
     */
    public record ExperimentResult(
            Experiment experiment, List<TableResult> tables, List<String> remarks, String failure) {}

    public boolean failed() {
        return experiments.stream()
                .anyMatch(one -> one.failure() != null
                        || one.tables().stream()
                                .flatMap(table -> table.rows().stream())
                                .anyMatch(TableResult.Row::failed));
    }
}
