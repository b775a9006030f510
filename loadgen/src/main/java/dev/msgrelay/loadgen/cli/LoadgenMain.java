package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.result.Results.Origin;
import dev.msgrelay.loadgen.rig.RunException;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.cli.CommandParser;
import dev.msgrelay.protocol.cli.ExitCodes;
import dev.msgrelay.protocol.cli.ShortHelp;
import dev.msgrelay.protocol.text.Durations;
import dev.msgrelay.protocol.text.UndecodedText;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

/** The {@code loadgen} command. */
@ShortHelp(examples = {"loadgen doctor", "loadgen run --rate 20000", "loadgen shootout --out results"})
@Command(
        name = "loadgen",
        mixinStandardHelpOptions = true,
        description = "Load, ceilings and experiments for Relay.",
        footer = {"", "docs/measuring.md says how to measure, and how to read the results."},
        subcommands = {
            RunCommand.class,
            DoctorCommand.class,
            CeilingCommand.class,
            ShootoutCommand.class,
            CompareCommand.class,
            DiffCommand.class
        })
public final class LoadgenMain implements Runnable {
    private static final Duration LONGEST = Duration.ofHours(1);

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    public static void main(String[] args) {
        run(new LoadgenMain(), args);
    }

    public static void run(Object userCommand, String... args) {
        int code = execute(commandLine(userCommand), args);
        // After a signal, the JVM ends anyway when this thread has ended. System.exit would block this thread.
        if (code != ExitCodes.INTERRUPTED) {
            System.exit(code);
        }
    }

    /**
     * Runs a command. The exit code is not 0 if output was lost, for example because of a full disk or a closed pipe.
     */
    static int execute(CommandLine command, String... args) {
        // The first call of getOut creates the writer that all commands share.
        PrintWriter out = command.getOut();
        String fault = UndecodedText.faultOf(args);
        if (fault != null) {
            command.getErr().println("loadgen: " + fault);
            return ExitCodes.USAGE;
        }
        int code = command.execute(args);
        // The writer writes to System.out, but does not report the errors of System.out.
        boolean lost = out.checkError() | System.out.checkError();
        if (!lost) {
            return code;
        }
        command.getErr().println("loadgen: FAIL: standard output: could not be written");
        return code == ExitCodes.DONE ? ExitCodes.FAILED : code;
    }

    public static CommandLine commandLine(Object userCommand) {
        CommandLine command = CommandParser.of(userCommand)
                .setParameterExceptionHandler(LoadgenMain::usageError)
                .setExecutionExceptionHandler(LoadgenMain::failure)
                .registerConverter(Duration.class, CommandParser.converter(text -> Durations.parse(text, LONGEST)))
                .registerConverter(Policy.class, CommandParser.converter(Policy::ofFlag))
                .registerConverter(LaneKind.class, CommandParser.converter(LaneKind::parse));
        tellVersion(command);
        ExitCodes.tellIn(command);
        return command;
    }

    private static void tellVersion(CommandLine command) {
        command.getCommandSpec().version("loadgen " + Origin.build());
        command.getSubcommands().values().forEach(LoadgenMain::tellVersion);
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "which command? " + String.join(", ", spec.subcommands().keySet()));
    }

    private static int usageError(ParameterException e, String[] args) {
        CommandLine command = e.getCommandLine();
        command.getErr().println(command.getCommandSpec().qualifiedName() + ": " + CommandParser.fault(e));
        command.getErr().println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
        return ExitCodes.USAGE;
    }

    private static int failure(Exception e, CommandLine command, CommandLine.ParseResult parsed) throws Exception {
        String name = command.getCommandSpec().qualifiedName();
        if (e instanceof InterruptedException) {
            command.getErr().println(name + ": interrupted");
            return ExitCodes.INTERRUPTED;
        }
        if (e instanceof RunException || e instanceof IOException) {
            command.getErr().println(name + ": FAIL: " + RunException.oneLine(e));
            return ExitCodes.FAILED;
        }
        throw e;
    }
}
