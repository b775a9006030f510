package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.lab.Experiment;
import java.util.List;

/** The experiments that there are, in the order in which {@code lab all} runs them. */
final class LabExperiments {
    private LabExperiments() {}

    /** All, with their default options; smaller ones for a quick look. */
    static List<Experiment> all(boolean quick) {
        return List.of();
    }
}
