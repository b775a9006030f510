package dev.msgrelay.loadgen.lab;

import dev.msgrelay.loadgen.measure.Machine;
import java.util.List;

/**
 * All that a run of the lab gave.
 *
 * @param interrupted it was broken off: the last experiment's figures are what there was by then
 */
public record LabResult(Machine machine, LabOptions options, List<ExperimentResult> experiments, boolean interrupted) {
    public LabResult {
        experiments = List.copyOf(experiments);
    }

    /** Whether a row of any experiment is FAILED. */
    public boolean failed() {
        return experiments.stream().anyMatch(ExperimentResult::failed);
    }
}
