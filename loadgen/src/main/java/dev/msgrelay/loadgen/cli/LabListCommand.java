package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.lab.Experiment;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code loadgen lab list}: what there is. */
@Command(name = "list", mixinStandardHelpOptions = true, description = "Lists the experiments.")
final class LabListCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        PrintWriter out = spec.commandLine().getOut();
        for (Experiment experiment : LabExperiments.all(false)) {
            out.printf("%-12s %s%n", experiment.name(), experiment.question());
            out.printf("%-12s %s%n", "", experiment.article().citation());
        }
        out.flush();
    }
}
