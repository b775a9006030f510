package dev.msgrelay.loadgen.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code loadgen lab}: the articles' experiments. */
@Command(
        name = "lab",
        mixinStandardHelpOptions = true,
        description = {
            "Runs the articles' experiments again on this machine, with the relay's own code among the contestants.",
            "Every result is checked; one that is wrong is shown as FAILED, with no time.",
            "Exits 1 when a row is FAILED."
        },
        subcommands = {
            LabListCommand.class,
            LabAllCommand.class,
            LabReadersCommand.class,
            LabBatchingCommand.class,
            LabFilesCommand.class,
            LabAsyncFilesCommand.class,
            LabEventLogCommand.class,
            LabSendersCommand.class
        })
final class LabCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "which experiment? " + String.join(", ", spec.subcommands().keySet()));
    }
}
