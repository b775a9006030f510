package dev.msgrelay.lab;

import dev.msgrelay.loadgen.host.Machine;
import java.util.List;

/**
 * The results of a run of the lab.
 *
 * @param rounds so many were asked for
 * @param interrupted it was broken off: the last experiment has the figures up to then
 */
public record LabResult(
        Machine machine, boolean quick, int rounds, List<ExperimentResult> experiments, boolean interrupted) {
    /**
     * The results of an experiment, perhaps not to its end.
     *
     * @param remarks on what bends the figures on this machine
     * @param failure why it could not be run, or not to its end; null where it could
     */
    public record ExperimentResult(
            Experiment experiment, List<TableResult> tables, List<String> remarks, String failure) {}

    /** Whether an experiment, or a row of it, is FAILED. */
    public boolean failed() {
        return experiments.stream()
                .anyMatch(one -> one.failure() != null
                        || one.tables().stream()
                                .flatMap(table -> table.rows().stream())
                                .anyMatch(TableResult.Row::failed));
    }
}
