package dev.msgrelay.server.cli;

import picocli.CommandLine;

/** Entry point of {@code relay-server}. */
public final class RelayServerMain {
    private RelayServerMain() {}

    public static void main(String[] args) {
        logSetting("showDateTime", "true");
        logSetting("dateTimeFormat", "yyyy-MM-dd'T'HH:mm:ss.SSSZ");
        logSetting("showThreadName", "false");
        logSetting("showLogName", "false");
        logSetting("log.io.netty", "warn");
        System.exit(commandLine().execute(args));
    }

    /** Of the command, not of the library: who embeds the relay has a logger of their own. What is set already stays. */
    private static void logSetting(String name, String value) {
        String key = "org.slf4j.simpleLogger." + name;
        if (System.getProperty(key) == null) {
            System.setProperty(key, value);
        }
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
