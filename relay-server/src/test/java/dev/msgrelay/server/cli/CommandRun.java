package dev.msgrelay.server.cli;

import dev.msgrelay.server.RelayServer;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;

/** The command within the test's own process, for what ends before a relay is there: its exit code, and what it says. */
record CommandRun(int exitCode, List<String> lines, List<String> errors) {
    /** Runs it on free ports, as {@link CommandProcess} does; a later option overrides an earlier one. */
    static CommandRun of(String... args) {
        List<String> all =
                new ArrayList<>(List.of("--publish-port=0", "--subscribe-port=0", "--admin=none", "--log-size=8m"));
        all.addAll(List.of(args));
        return run(all.toArray(String[]::new));
    }

    /** Runs {@code relay-server token}. */
    static CommandRun token(String... args) {
        List<String> all = new ArrayList<>(List.of("token"));
        all.addAll(List.of(args));
        return run(all.toArray(String[]::new));
    }

    private static CommandRun run(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandOutput nowhere = new CommandOutput(OutputStream.nullOutputStream(), OutputStream.nullOutputStream());
        RelayServerCommand command = new RelayServerCommand(RelayServer::start, nowhere);
        CommandLine line = RelayServerMain.commandLine(command);
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        int exitCode = RelayServerMain.execute(line, command, Map.of(), args);
        return new CommandRun(
                exitCode,
                out.toString().lines().toList(),
                err.toString().lines().toList());
    }
}
