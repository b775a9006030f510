package dev.msgrelay.server.cli;

import picocli.CommandLine;

/** Entry point of {@code relay-server}. */
public final class RelayServerMain {
    private RelayServerMain() {}

    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    /** The command, as tests run it too. */
    static CommandLine commandLine() {
        return new CommandLine(new RelayServerCommand())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler((failure, args) -> {
                    CommandLine command = failure.getCommandLine();
                    command.getErr().println("relay-server: " + failure.getMessage());
                    command.getErr().println("Try 'relay-server --help'.");
                    return CommandLine.ExitCode.USAGE;
                });
    }
}
