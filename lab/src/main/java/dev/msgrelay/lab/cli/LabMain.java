package dev.msgrelay.lab.cli;

import dev.msgrelay.lab.Experiment;
import dev.msgrelay.lab.Lab;
import dev.msgrelay.lab.LabOptions;
import dev.msgrelay.lab.asyncfiles.AsyncFilesExperiment;
import dev.msgrelay.lab.batching.BatchingExperiment;
import dev.msgrelay.lab.eventlog.EventLogExperiment;
import dev.msgrelay.lab.files.FilesExperiment;
import dev.msgrelay.lab.readers.ReadersExperiment;
import dev.msgrelay.lab.senders.SendersExperiment;
import dev.msgrelay.loadgen.cli.LoadgenMain;
import dev.msgrelay.loadgen.run.RunException;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code loadgen lab}: a program of its own beside loadgen, started as if it were one of its commands. */
@Command(
        name = "loadgen lab",
        mixinStandardHelpOptions = true,
        description = {
            "Runs the articles' experiments again on this machine, with the relay's own code among the contestants.",
            "Every result is checked; one that is wrong is shown as FAILED, with no time.",
            "Exits 1 when a row is FAILED."
        },
        subcommands = {
            ReadersExperiment.class,
            BatchingExperiment.class,
            FilesExperiment.class,
            AsyncFilesExperiment.class,
            EventLogExperiment.class,
            SendersExperiment.class
        })
public final class LabMain implements Runnable, Experiment.Runner {
    @Spec
    private CommandSpec spec;

    public static void main(String[] args) {
        LoadgenMain.run(new LabMain(), args);
    }

    /** All, in the order in which {@code all} runs them. */
    private static List<Experiment> experiments() {
        return List.of(
                new ReadersExperiment(),
                new BatchingExperiment(),
                new FilesExperiment(),
                new AsyncFilesExperiment(),
                new EventLogExperiment(),
                new SendersExperiment());
    }

    @Command(name = "list", mixinStandardHelpOptions = true, description = "Lists the experiments.")
    void list() {
        PrintWriter out = spec.commandLine().getOut();
        for (Experiment experiment : experiments()) {
            out.printf(Locale.ROOT, "%-12s %s%n", experiment.name(), experiment.question());
            out.printf(Locale.ROOT, "%-12s %s%n", "", experiment.article().citation());
        }
        out.flush();
    }

    @Command(
            name = "all",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = "Runs all experiments, each with its default options.")
    int all(@Mixin LabOptions options) throws IOException, RunException, InterruptedException {
        CommandSpec all = spec.subcommands().get("all").getCommandSpec();
        return run(
                all,
                options,
                experiments().stream()
                        .map(experiment -> experiment.with(options))
                        .toList());
    }

    @Override
    public int run(CommandSpec command, LabOptions options, List<Experiment> experiments)
            throws IOException, RunException, InterruptedException {
        return new Lab(command, options).run(experiments);
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "which experiment? " + String.join(", ", spec.subcommands().keySet()));
    }
}
