package dev.msgrelay.server.cli;

import dev.msgrelay.protocol.cli.CommandParser;
import dev.msgrelay.protocol.text.UndecodedText;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.config.RelayConfig;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import picocli.CommandLine;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Entry point of {@code relay-server}. */
public final class RelayServerMain {
    private static final int HELP_WIDTH = 80;

    /** First arguments that start no relay, and so need neither environment nor file. */
    private static final Set<String> NEED_NOTHING =
            Set.of("--help", "--help=all", "-h", "--version", "-V", "token", "journal");

    private RelayServerMain() {}

    public static void main(String[] args) {
        run(RelayServer::start, args);
    }

    static void run(RelayServerCommand.Starter starter, String... args) {
        // Times in the log are in UTC, as in the reports. Numbers in the log look as in the documents.
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
        Locale.setDefault(Locale.ROOT);
        logSetting("showDateTime", "true");
        logSetting("dateTimeFormat", "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'");
        logSetting("showThreadName", "false");
        logSetting("showLogName", "false");
        logSetting("log.io.netty", "warn");
        // Netty warns on a host without a hardware address, which a relay does not need.
        logSetting("log.io.netty.util.internal.MacAddressUtil", "error");
        System.setProperty("slf4j.provider", CommandLog.class.getName());
        System.setProperty("slf4j.internal.verbosity", "WARN");
        CommandOutput output = CommandOutput.install();
        if (!NEED_NOTHING.contains(args.length == 0 ? "" : args[0]) && Configuration.saysJson(System.getenv(), args)) {
            output.speakJson();
        }
        Thread.setDefaultUncaughtExceptionHandler((thread, cause) ->
                LoggerFactory.getLogger("relay").error("thread {} ended: {}", thread.getName(), cause, cause));
        RelayServerCommand command = new RelayServerCommand(starter, output);
        int code = execute(commandLineFor(command, args), command, System.getenv(), args);
        output.finish();
        System.exit(code);
    }

    /** Sets a property of slf4j-simple, unless the user has set it. */
    private static void logSetting(String name, String value) {
        String key = "org.slf4j.simpleLogger." + name;
        if (System.getProperty(key) == null) {
            System.setProperty(key, value);
        }
    }

    /** The command, not to be run but to be described in a manual. */
    public static CommandLine commandLine() {
        return commandLine(new RelayServerCommand(RelayServer::start, null));
    }

    /** The configuration from arguments, environment and file. */
    public static RelayConfig config(String... args) {
        return new RelayServerCommand(RelayServer::start, null)
                .parsed(System.getenv(), args)
                .config();
    }

    /** Runs the command, whose parser is {@code line}; returns its exit code. */
    static int execute(CommandLine line, RelayServerCommand command, Map<String, String> environment, String... args) {
        String fault = UndecodedText.faultOf(args);
        if (fault != null) {
            CommandLog.tell(line.getErr(), Level.ERROR, fault);
            return CommandLine.ExitCode.USAGE;
        }
        try {
            if (!NEED_NOTHING.contains(args.length == 0 ? "" : args[0])) {
                command.configure(line, environment, args);
            }
        } catch (IllegalArgumentException e) {
            return CommandLog.refuse(line.getErr(), e.getMessage());
        }
        command.configuration().passedOver().forEach(passed -> CommandLog.tell(line.getErr(), Level.WARN, passed));
        return line.execute(args);
    }

    /** The parser for these arguments. It lacks the subcommands, a tenth of a start, if no argument may ask for one. */
    static CommandLine commandLineFor(RelayServerCommand command, String... args) {
        for (String arg : args) {
            if (mayAskForSubcommand(arg)) {
                return commandLine(command);
            }
        }
        return commandLine(command, new Object[0])
                .setParameterExceptionHandler((failure, same) -> refuse(failure, explained(failure, same)));
    }

    /** Whether the argument may be a subcommand, or ask for help or version, which subcommands have as well. */
    private static boolean mayAskForSubcommand(String arg) {
        return NEED_NOTHING.contains(arg)
                || arg.startsWith("--help")
                || arg.startsWith("--version")
                || (arg.startsWith("-") && !arg.startsWith("--"));
    }

    /** The failure as the whole parser reports it, which names subcommands that were perhaps meant. */
    private static ParameterException explained(ParameterException failure, String... args) {
        if (failure instanceof UnmatchedArgumentException) {
            try {
                commandLine().parseArgs(args);
            } catch (UnmatchedArgumentException explained) {
                return explained;
            }
        }
        return failure;
    }

    private static int refuse(ParameterException failure, ParameterException explained) {
        return CommandLog.refuse(failure.getCommandLine().getErr(), CommandParser.fault(explained));
    }

    static CommandLine commandLine(RelayServerCommand command) {
        return commandLine(command, new TokenCommand(), new JournalCommand());
    }

    private static CommandLine commandLine(RelayServerCommand command, Object... subcommands) {
        CommandLine line = CommandParser.of(command, subcommands)
                .setUsageHelpWidth(HELP_WIDTH)
                .setParameterExceptionHandler((failure, args) -> refuse(failure, failure));
        command.settings().addTo(line.getCommandSpec());
        line.getCommandSpec().mixinStandardHelpOptions(true);
        CommandParser.helpOf(line);
        tellVersion(
                line,
                "relay-server " + TextReport.version(),
                "JVM " + System.getProperty("java.version") + " (" + System.getProperty("java.vendor") + ")");
        // A token must not be lost in the queue of the relay's output, so the command that prints it has its own
        // stream. getOut is called before that, because picocli sets its first result for all subcommands.
        line.getOut();
        CommandLine token = line.getSubcommands().get("token");
        if (token != null) {
            token.setOut(new PrintWriter(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8));
        }
        line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, command.settings()::helpText);
        return line;
    }

    private static void tellVersion(CommandLine line, String... lines) {
        line.getCommandSpec().version(lines);
        line.getSubcommands().values().forEach(subcommand -> tellVersion(subcommand, lines));
    }
}
