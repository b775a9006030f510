package dev.msgrelay.server.cli;

import dev.msgrelay.protocol.text.SecretText;
import dev.msgrelay.protocol.text.UndecodedText;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.config.RelayConfig;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.PicocliException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Entry point of {@code relay-server}. */
public final class RelayServerMain {
    private static final int HELP_WIDTH = 80;

    /** As the first argument: they start no relay, whatever environment and file say. */
    private static final Set<String> NEED_NOTHING = Set.of("--help", "-h", "--version", "-V", "token", "journal");

    private RelayServerMain() {}

    public static void main(String[] args) {
        run(RelayServer::start, args);
    }

    /** Runs the command and ends the process. */
    static void run(RelayServerCommand.Starter starter, String... args) {
        // As in the reports, so that lines of both can be put side by side; and numbers as the documents have them.
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
        Locale.setDefault(Locale.ROOT);
        logSetting("showDateTime", "true");
        logSetting("dateTimeFormat", "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'");
        logSetting("showThreadName", "false");
        logSetting("showLogName", "false");
        logSetting("log.io.netty", "warn");
        // A host that has loopback alone has no hardware address, and a relay needs none.
        logSetting("log.io.netty.util.internal.MacAddressUtil", "error");
        CommandOutput output = CommandOutput.install();
        int code = execute(new RelayServerCommand(starter, output), System.getenv(), args);
        output.finish();
        System.exit(code);
    }

    /** Of the command, not of the library: who embeds the relay has a logger of their own. What is set already stays. */
    private static void logSetting(String name, String value) {
        String key = "org.slf4j.simpleLogger." + name;
        if (System.getProperty(key) == null) {
            System.setProperty(key, value);
        }
    }

    /** The command without its effects: for its manual. */
    public static CommandLine commandLine() {
        return commandLine(new RelayServerCommand(RelayServer::start, null));
    }

    /**
     * What these arguments, the environment and the file say together.
     *
     * @throws PicocliException what is wrong with them
     * @throws IllegalArgumentException likewise
     */
    public static RelayConfig config(String... args) {
        RelayServerCommand command = new RelayServerCommand(RelayServer::start, null);
        CommandLine line = commandLine(command);
        command.configure(line, System.getenv(), args);
        line.parseArgs(args);
        return command.config();
    }

    /** Runs the command, with what the environment and the file say; answers its exit code. */
    static int execute(RelayServerCommand command, Map<String, String> environment, String... args) {
        CommandLine line = commandLine(command);
        return execute(line, command, environment, args);
    }

    /** As above; {@code line} is the command's. */
    static int execute(CommandLine line, RelayServerCommand command, Map<String, String> environment, String... args) {
        String fault = UndecodedText.faultOf(args);
        if (fault != null) {
            line.getErr().println("relay-server: " + fault);
            return CommandLine.ExitCode.USAGE;
        }
        try {
            if (!NEED_NOTHING.contains(args.length == 0 ? "" : args[0])) {
                command.configure(line, environment, args);
            }
        } catch (ParameterException | IllegalArgumentException e) {
            line.getErr().println("relay-server: " + e.getMessage());
            line.getErr().println("Try 'relay-server --help'.");
            return CommandLine.ExitCode.USAGE;
        }
        command.passedOver().forEach(passed -> line.getErr().println("relay-server: " + passed));
        return line.execute(args);
    }

    /** The command's line, with flags alone. */
    static CommandLine commandLine(RelayServerCommand command) {
        CommandLine line = new CommandLine(command)
                .addSubcommand(new TokenCommand())
                .addSubcommand(new JournalCommand())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpWidth(HELP_WIDTH)
                // Newer JVMs have a console even where there is no terminal, which is what picocli asks for.
                .setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF))
                .setParameterExceptionHandler((failure, args) -> {
                    CommandLine failed = failure.getCommandLine();
                    failed.getErr().println("relay-server: " + words(failure));
                    failed.getErr().println("Try 'relay-server --help'.");
                    return CommandLine.ExitCode.USAGE;
                });
        // Not through the queue of what a relay prints: a token that nobody got is a failure. The first use of the
        // line's own
        // stream gives that one to all commands.
        line.getOut();
        line.getSubcommands()
                .get("token")
                .setOut(new PrintWriter(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8));
        line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, new HelpText(headings()));
        return line;
    }

    /** What is wrong with the arguments; not those that belong to nothing, which may be a key without quotes. */
    private static String words(ParameterException failure) {
        return failure instanceof UnmatchedArgumentException unmatched
                ? SecretText.unmatched(unmatched.getUnmatched())
                : failure.getMessage();
    }

    /** The classes of options, by the names of the command's fields. */
    private static Map<String, String> headings() {
        Map<String, String> headings = new LinkedHashMap<>();
        headings.put("files", "Configuration");
        headings.put("listening", "Listening");
        headings.put("stream", "Stream and memory");
        headings.put("journal", "Journal");
        headings.put("cluster", "Cluster");
        headings.put("clients", "Clients");
        headings.put("limits", "Limits");
        headings.put("tls", "TLS");
        headings.put("admin", "Admin port");
        headings.put("reports", "Output");
        headings.put("mixinStandardHelpOptions", "Help");
        return headings;
    }
}
