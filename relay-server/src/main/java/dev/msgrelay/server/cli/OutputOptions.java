package dev.msgrelay.server.cli;

import dev.msgrelay.protocol.text.Durations;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.admin.Look;
import java.io.PrintWriter;
import java.time.Duration;
import picocli.CommandLine.Option;

/** Options for the command's output. */
final class OutputOptions {
    @Option(
            names = "--json",
            fallbackValue = "true",
            description = "Prints everything on standard output as one JSON object a line, the log and errors too.")
    private boolean json;

    @Option(
            names = "--quiet",
            fallbackValue = "true",
            description = "Leaves out the line that is printed every second.")
    private boolean quiet;

    @Option(
            names = "--connections",
            paramLabel = "TIME",
            arity = "0..1",
            fallbackValue = "10s",
            converter = TimeSpan.class,
            description = "Prints a table of all connections at this interval, with --json a line for each. 10s if no "
                    + "time is given; at least 1s.")
    private Duration connections;

    /**
     * Checks the options.
     *
     * @throws IllegalArgumentException the message names the option, its value and the limit
     */
    void check() {
        if (connections != null && connections.toSeconds() < 1) {
            throw new IllegalArgumentException(
                    "connections every " + Durations.format(connections) + " is more often than every 1s");
        }
    }

    boolean json() {
        return json;
    }

    ServerReport report(PrintWriter out, RelayServer relay, Pace pace) {
        return json ? new JsonReport(out, relay, pace) : new TextReport(out, relay, pace);
    }

    /**
     * Prints the lines of a second.
     *
     * @param seconds seconds since the start
     */
    void second(RelayServer relay, ServerReport report, long seconds) {
        boolean table = connections != null && seconds % connections.toSeconds() == 0;
        if (quiet && !table) {
            return;
        }
        Look look = Look.at(relay);
        if (!quiet) {
            report.second(look);
        }
        if (table) {
            report.connections(look);
        }
    }
}
