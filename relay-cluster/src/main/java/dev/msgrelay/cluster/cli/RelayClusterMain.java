package dev.msgrelay.cluster.cli;

import dev.msgrelay.protocol.cli.CommandParser;
import dev.msgrelay.protocol.cli.ShortHelp;
import dev.msgrelay.protocol.text.UndecodedText;
import java.io.IOException;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Entry point of {@code relay-cluster}. */
@ShortHelp(
        examples = {
            "relay-cluster demo",
            "relay-cluster local",
            "relay-cluster snapshot --cluster cluster.conf --node 1"
        })
@Command(
        name = "relay-cluster",
        mixinStandardHelpOptions = true,
        description = {
            "Tries and maintains a cluster of relays. This starts a node:",
            "  relay-server --cluster cluster.conf --node 1"
        },
        subcommands = {DemoCommand.class, LocalCommand.class, SnapshotCommand.class, RestoreCommand.class},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:done", "1:it failed", "2:wrong options"})
public final class RelayClusterMain implements Runnable {
    @Spec
    private CommandSpec spec;

    private RelayClusterMain() {}

    public static void main(String[] args) {
        Locale.setDefault(Locale.ROOT);
        System.exit(execute(commandLine(), args));
    }

    static int execute(CommandLine line, String... args) {
        String fault = UndecodedText.faultOf(args);
        if (fault == null) {
            return line.execute(args);
        }
        line.getErr().println("relay-cluster: " + fault);
        return CommandLine.ExitCode.USAGE;
    }

    /** The command, also for its manual. */
    public static CommandLine commandLine() {
        CommandLine line = CommandParser.of(new RelayClusterMain())
                .setParameterExceptionHandler((failure, args) -> {
                    failure.getCommandLine().getErr().println("relay-cluster: " + CommandParser.fault(failure));
                    failure.getCommandLine()
                            .getErr()
                            .println("Try '"
                                    + failure.getCommandLine().getCommandSpec().qualifiedName() + " --help'.");
                    return CommandLine.ExitCode.USAGE;
                })
                .setExecutionExceptionHandler((failure, command, args) -> {
                    if (!(failure instanceof IOException || failure instanceof IllegalArgumentException)) {
                        throw failure;
                    }
                    command.getErr().println("relay-cluster: " + failure.getMessage());
                    return CommandLine.ExitCode.SOFTWARE;
                });
        CommandParser.tellVersion(line, "relay-cluster", RelayClusterMain.class);
        return line;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "what to do is missing: demo, local, snapshot or restore");
    }
}
