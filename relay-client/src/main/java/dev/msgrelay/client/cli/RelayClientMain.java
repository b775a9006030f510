package dev.msgrelay.client.cli;

import dev.msgrelay.client.ReconnectPolicy;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.cli.CommandParser;
import dev.msgrelay.protocol.cli.ExitCodes;
import dev.msgrelay.protocol.cli.ShortHelp;
import dev.msgrelay.protocol.text.Durations;
import dev.msgrelay.protocol.text.PrintableText;
import dev.msgrelay.protocol.text.ShortText;
import dev.msgrelay.protocol.text.UndecodedText;
import dev.msgrelay.protocol.text.WatchedOutput;
import java.io.BufferedWriter;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertPathBuilderException;
import java.time.Duration;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code relay-client}. */
@ShortHelp(
        examples = {"relay-client subscribe --from earliest", "relay-client publish --message hello", "relay-client top"
        })
@Command(
        name = "relay-client",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "(subscribe | get | publish | copy | ping | info | top)",
        description =
                "Reads from a relay, gets its newest messages, publishes to it, copies it into another, asks who it is, or shows its state.")
public final class RelayClientMain implements Runnable {
    @Spec
    private CommandSpec spec;

    private RelayClientMain() {}

    public static void main(String[] args) {
        // Logging off: each command reports its failure itself, in one line.
        if (System.getProperty("org.slf4j.simpleLogger.defaultLogLevel") == null) {
            System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "off");
        }
        WatchedOutput stdout = new WatchedOutput(new FileOutputStream(FileDescriptor.out));
        CommandLine command = commandLine(
                commands(new FileInputStream(FileDescriptor.in), stdout, args.length == 0 ? "" : args[0]), stdout);
        int exitCode = execute(command, args);
        command.getOut().flush();
        System.exit(exitCode);
    }

    /** The whole command without its effects: for its manual. */
    public static CommandLine commandLine() {
        return commandLine(InputStream.nullInputStream(), new WatchedOutput(OutputStream.nullOutputStream()));
    }

    /** The whole command; {@code publish} reads {@code stdin} if no file is named. */
    static CommandLine commandLine(InputStream stdin, WatchedOutput stdout) {
        return commandLine(commands(stdin, stdout, ""), stdout);
    }

    /** The command of that name, since the parser of all takes a fifth of a short command; otherwise all of them. */
    private static Object[] commands(InputStream stdin, WatchedOutput stdout, String name) {
        return switch (name) {
            case "subscribe" -> new Object[] {new SubscribeCommand(stdout)};
            case "get" -> new Object[] {new GetCommand()};
            case "publish" -> new Object[] {new PublishCommand(stdin)};
            case "copy" -> new Object[] {new CopyCommand()};
            case "ping" -> new Object[] {new InfoCommand.Ping()};
            case "info" -> new Object[] {new InfoCommand.Info()};
            case "top" -> new Object[] {new TopCommand(stdout)};
            default ->
                new Object[] {
                    new SubscribeCommand(stdout),
                    new GetCommand(),
                    new PublishCommand(stdin),
                    new CopyCommand(),
                    new InfoCommand.Ping(),
                    new InfoCommand.Info(),
                    new TopCommand(stdout)
                };
        };
    }

    private static CommandLine commandLine(Object[] commands, WatchedOutput stdout) {
        CommandLine line = CommandParser.of(new RelayClientMain(), commands)
                .registerConverter(Duration.class, CommandParser.converter(Durations::parse))
                .registerConverter(Policy.class, CommandParser.converter(Policy::ofFlag))
                .registerConverter(Level.class, CommandParser.converter(Level::ofFlag))
                .registerConverter(TypeRanges.class, CommandParser.converter(TypeRanges::parse))
                .registerConverter(ReconnectPolicy.class, CommandParser.converter(SessionOptions::rounds))
                .registerConverter(Start.class, CommandParser.converter(Start::parse))
                .registerConverter(Until.class, CommandParser.converter(Until::parse))
                // No autoflush: the commands flush once per batch.
                .setOut(new PrintWriter(
                        new BufferedWriter(new OutputStreamWriter(stdout, StandardCharsets.UTF_8), 1 << 16)))
                .setParameterExceptionHandler((e, args) -> wrongUsage(e))
                .setExecutionExceptionHandler((e, command, result) -> failure(e, command));
        CommandParser.tellVersion(line, "relay-client", RelayClientMain.class);
        ExitCodes.tellIn(line);
        return line;
    }

    /** Runs the command; returns the exit code. */
    static int execute(CommandLine command, String... args) {
        String fault = UndecodedText.faultOf(args);
        if (fault != null) {
            return wrongUsage(new ParameterException(command, fault));
        }
        try {
            return command.execute(args);
        } catch (OutOfMemoryError e) {
            return outOfMemory(e, command);
        }
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "a command is missing: subscribe, get, publish, copy, ping, info or top");
    }

    private static int wrongUsage(ParameterException e) {
        CommandLine command = e.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        PrintWriter err = command.getErr();
        err.println(name + ": " + CommandParser.fault(e));
        err.println("Try '" + name + " --help'.");
        err.flush();
        return ExitCodes.USAGE;
    }

    private static int failure(Exception e, CommandLine command) {
        command.getOut().flush();
        if (!(e instanceof ToldException)) {
            printFailure(e, command);
        }
        return e instanceof CodedException coded ? coded.exitCode() : ExitCodes.FAILED;
    }

    /** A failure that the command has told already. */
    static final class ToldException extends IOException {
        private static final long serialVersionUID = 1L;

        ToldException(IOException cause) {
            super(cause);
        }
    }

    /** Says why the command fails, in a line on stderr. */
    static void printFailure(Exception e, CommandLine command) {
        PrintWriter err = command.getErr();
        err.println(command.getCommandSpec().qualifiedName() + ": " + describe(e) + hint(e, command));
        err.flush();
    }

    /** What is most likely to be done about it. */
    private static String hint(Exception e, CommandLine command) {
        boolean publishes = command.getCommandName().equals("publish");
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnknownHostException && publishes) {
                return "; a message is given by --message";
            }
            if (cause instanceof CertPathBuilderException) {
                return "; name your authority with --tls-ca";
            }
            if (cause instanceof ConnectException && cause.getCause() == null) {
                return "; is relay-server running?";
            }
        }
        return "";
    }

    /** A message that is too long for the JVM, such as one that is read from JSON, is no reason for a stack trace. */
    private static int outOfMemory(OutOfMemoryError e, CommandLine command) {
        PrintWriter err = command.getErr();
        err.println(command.getCommandName() + ": out of memory (" + e.getMessage() + "): the JVM has "
                + ShortText.of(Runtime.getRuntime().maxMemory(), "B")
                + " for it; JAVA_OPTS=-Xmx1g gives it a gigabyte");
        err.flush();
        return ExitCodes.FAILED;
    }

    /** One line; a fault of the program itself is named by its class as well. */
    private static String describe(Exception e) {
        return PrintableText.line(e instanceof IOException && e.getMessage() != null ? e.getMessage() : e.toString());
    }
}
