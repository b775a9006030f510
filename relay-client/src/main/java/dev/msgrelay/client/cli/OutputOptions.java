package dev.msgrelay.client.cli;

import dev.msgrelay.client.MessageHandler;
import dev.msgrelay.protocol.text.MessagePrinter;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The form in which {@code subscribe} prints messages. */
final class OutputOptions {
    private static final int MOST_RETRIES = 1_000_000;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec mixee;

    @Option(
            names = "--print",
            description =
                    "Print each message on a line: its sequence where that is known, type, length, and the body as"
                            + " text, or in hex if it is not printable UTF-8. This is the default.")
    private boolean print;

    @Option(names = "--hex", description = "Print each message on a line, the body always in hex.")
    private boolean hex;

    @Option(
            names = "--json",
            description =
                    "Print one JSON object a line for each message, gap and event of the connection; publish --json"
                            + " takes them. A message has sequence, type, length and body, or base64 if it is not UTF-8.")
    private boolean json;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            preprocessor = AnyText.class,
            description =
                    "Print each message so: %%s sequence, %%t type, %%b body as it is, %%h body in hex, %%%% a percent"
                            + " sign, and \\n \\t \\r \\0 \\\\ \\xHH. Nothing is added: '%%s %%b\\n'.")
    private String format;

    @Option(names = "--raw", description = "Print bodies only, as they are, with --delimiter behind each.")
    private boolean raw;

    @Option(
            names = "--delimiter",
            paramLabel = "TEXT",
            preprocessor = AnyText.class,
            description = "With --raw: the text behind each body, with the escapes of --format. Default: none.")
    private String delimiter;

    @Option(
            names = "--frames",
            description =
                    "Print messages as they are on the wire: type and length of 4 bytes each, big-endian, and the body;"
                            + " publish --frames takes them. Gaps are on stderr alone.")
    private boolean frames;

    @Option(
            names = "--count-only",
            description = "Print no messages, but measure their rate: for speed. With --json the reports are objects.")
    private boolean countOnly;

    @Option(
            names = "--exec",
            paramLabel = "CMD",
            preprocessor = AnyText.class,
            description =
                    "Print no messages, but run this command for each, by sh -c and one after the other: the body on its"
                            + " standard input, RELAY_SEQUENCE and RELAY_TYPE in its environment. If it ends with another code"
                            + " than 0, the run ends with 1; with --position the next run begins with this message.")
    private String exec;

    @Option(
            names = "--exec-retry",
            paramLabel = "N",
            description =
                    "With --exec: first try again N times, after 100 ms, then twice as long each time, 10 s at most.")
    private Integer execRetry;

    boolean json() {
        return json;
    }

    /** Whether stdout has the bytes of messages alone; reports are on stderr then. */
    boolean addsNothing() {
        return format != null || raw || frames;
    }

    boolean countsOnly() {
        return countOnly;
    }

    /** Checks the numbers. */
    void check(EndpointOptions limits) {
        limits.refuse(execRetry != null && exec == null, "--exec-retry goes with --exec");
        if (execRetry != null) {
            limits.check("--exec-retry", execRetry, 0, MOST_RETRIES);
        }
    }

    /** The command that gets the messages, in the place of a printer; empty: they are printed. */
    Optional<MessageCommand> command() {
        return Optional.ofNullable(exec).map(text -> new MessageCommand(text, execRetry == null ? 0 : execRetry));
    }

    /**
     * What prints messages; nothing with {@code --count-only}.
     *
     * @param bytes the same output as {@code out}, for bytes that are no text
     */
    MessageHandler printer(PrintWriter out, OutputStream bytes) {
        check();
        try {
            if (countOnly) {
                return (sequence, type, body) -> {};
            }
            if (format != null) {
                return MessageFormat.parse(format).printer(bytes);
            }
            if (frames) {
                return MessageFormat.frames().printer(bytes);
            }
            if (raw) {
                return MessageFormat.bodies(Escapes.bytes(delimiter == null ? "" : delimiter))
                        .printer(bytes);
            }
        } catch (IllegalArgumentException e) {
            throw new ParameterException(mixee.commandLine(), e.getMessage(), e);
        }
        MessagePrinter printer = new MessagePrinter(out, json, hex);
        return printer::print;
    }

    private void check() {
        List<String> given = new ArrayList<>();
        add(given, print, "--print");
        add(given, hex, "--hex");
        add(given, format != null, "--format");
        add(given, raw, "--raw");
        // Accepted together: what is printed is the same.
        given.remove(print && hex ? "--print" : "");
        add(given, frames, "--frames");
        add(given, exec != null, "--exec");
        add(given, countOnly, "--count-only");
        add(given, json && !countOnly && !(print && given.size() == 1), "--json");
        checkOne(mixee, given);
        if (delimiter != null && !raw) {
            throw new ParameterException(mixee.commandLine(), "--delimiter goes with --raw");
        }
    }

    /** Refuses two options that exclude each other. */
    static void checkOne(CommandSpec command, List<String> given) {
        if (given.size() > 1) {
            throw new ParameterException(
                    command.commandLine(), given.get(0) + " and " + given.get(1) + " exclude each other");
        }
    }

    static void add(List<String> given, boolean is, String option) {
        if (is) {
            given.add(option);
        }
    }
}
