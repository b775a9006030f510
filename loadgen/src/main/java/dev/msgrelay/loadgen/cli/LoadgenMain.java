package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.run.RunException;
import java.io.IOException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

/** The {@code loadgen} command. Exit codes: 0 valid, 1 failure or a run that is marked FAIL, 2 usage, 130 Ctrl-C. */
@Command(
        name = "loadgen",
        mixinStandardHelpOptions = true,
        description = "Load, ceilings and benchmarks for Relay.",
        subcommands = {
            RunCommand.class,
            CalibrateCommand.class,
            BenchCommand.class,
            DoctorCommand.class,
            CeilingCommand.class,
            LanesCommand.class,
            AgentCommand.class,
            ShootoutCommand.class,
            CompareCommand.class
        })
public final class LoadgenMain implements Runnable {
    private static final int EXIT_INTERRUPTED = 130;

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    public static void main(String[] args) {
        int code = commandLine().execute(args);
        // After a signal the JVM is going down already, and waits for this thread to have printed what there is.
        if (code != EXIT_INTERRUPTED) {
            System.exit(code);
        }
    }

    /** The command, as tests run it too. */
    static CommandLine commandLine() {
        return new CommandLine(new LoadgenMain())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler(LoadgenMain::usageError)
                .setExecutionExceptionHandler(LoadgenMain::failure);
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "which command? run, calibrate, bench, doctor, ceiling, lanes, agent, shootout or compare");
    }

    private static int usageError(ParameterException e, String[] args) {
        CommandLine command = e.getCommandLine();
        command.getErr().println(command.getCommandSpec().qualifiedName() + ": " + e.getMessage());
        command.getErr().println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
        return CommandLine.ExitCode.USAGE;
    }

    private static int failure(Exception e, CommandLine command, CommandLine.ParseResult parsed) throws Exception {
        String name = command.getCommandSpec().qualifiedName();
        if (e instanceof InterruptedException) {
            command.getErr().println(name + ": interrupted");
            return EXIT_INTERRUPTED;
        }
        if (e instanceof RunException || e instanceof IOException) {
            command.getErr().println(name + ": FAIL: " + e.getMessage());
            return CommandLine.ExitCode.SOFTWARE;
        }
        throw e;
    }
}
