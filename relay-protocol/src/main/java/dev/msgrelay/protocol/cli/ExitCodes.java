package dev.msgrelay.protocol.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;

/**
 * The exit codes of {@code relay-client} and {@code loadgen}: one table, in the help of each of their commands and in
 * docs/operations.md. The relay has codes of its own.
 */
public final class ExitCodes {
    public static final int DONE = 0;

    public static final int FAILED = 1;

    public static final int USAGE = 2;

    /** Nothing came, or not in time; a target was missed, or could not be decided. */
    public static final int MISSED = 4;

    /** The command has come to its end, but messages are missing, in doubt or wrong. */
    public static final int NOT_WHOLE = 5;

    /** 128 + SIGINT. */
    public static final int INTERRUPTED = 130;

    private ExitCodes() {}

    /** The table: a code, and its meaning in words. */
    public static Map<String, String> table() {
        Map<String, String> table = new LinkedHashMap<>();
        table.put(Integer.toString(DONE), "done");
        table.put(Integer.toString(FAILED), "failed");
        table.put(Integer.toString(USAGE), "wrong usage");
        table.put(Integer.toString(MISSED), "nothing came, not in time, or a target was missed");
        table.put(Integer.toString(NOT_WHOLE), "not whole: messages are missing, in doubt or wrong");
        table.put(Integer.toString(INTERRUPTED), "ended by Ctrl-C");
        return table;
    }

    /** Puts the table into the help of a command and its subcommands. */
    public static void tellIn(CommandLine line) {
        line.getCommandSpec()
                .usageMessage()
                .exitCodeListHeading("%nExit codes:%n")
                .exitCodeList(table());
        line.getSubcommands().values().forEach(ExitCodes::tellIn);
    }
}
