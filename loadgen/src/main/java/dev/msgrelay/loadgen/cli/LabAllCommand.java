package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.run.RunException;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code loadgen lab all}: every experiment with its default options. */
@Command(
        name = "all",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Runs all experiments, each with its default options.")
final class LabAllCommand implements Callable<Integer> {
    @Mixin
    private LabRunOptions run;

    @Override
    public Integer call() throws IOException, RunException, InterruptedException {
        return run.run(LabExperiments.all(run.quick()));
    }
}
