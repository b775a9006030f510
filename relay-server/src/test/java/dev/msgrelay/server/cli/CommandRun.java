package dev.msgrelay.server.cli;

import dev.msgrelay.server.RelayServer;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;

/** The command within the test's own process, for what ends before a relay is there: its exit code, and what it says. */
record CommandRun(int exitCode, List<String> lines, List<String> errors) {
    /** Runs it on free ports, as {@link CommandProcess} does; a later option overrides an earlier one. */
    static CommandRun of(String... args) {
        return run(nowhere(), onFreePorts(args));
    }

    /**
     * As {@link #of}, in the form that the arguments ask for: with {@code --json} in objects, which are among the
     * lines. No other test may run the command in this process meanwhile.
     */
    static synchronized CommandRun speaking(String... args) {
        String[] all = onFreePorts(args);
        CommandOutput output = nowhere();
        if (!Configuration.saysJson(Map.of(), all)) {
            return run(output, all);
        }
        output.speakJson();
        ByteArrayOutputStream objects = new ByteArrayOutputStream();
        CommandLog.speakJson(new PrintStream(objects, true, StandardCharsets.UTF_8));
        try {
            CommandRun run = run(output, all);
            List<String> lines = new ArrayList<>(run.lines);
            lines.addAll(objects.toString(StandardCharsets.UTF_8).lines().toList());
            return new CommandRun(run.exitCode, lines, run.errors);
        } finally {
            CommandLog.speakJson(null);
        }
    }

    /** Runs {@code relay-server token}. */
    static CommandRun token(String... args) {
        List<String> all = new ArrayList<>(List.of("token"));
        all.addAll(List.of(args));
        return run(nowhere(), all.toArray(String[]::new));
    }

    private static String[] onFreePorts(String... args) {
        List<String> all =
                new ArrayList<>(List.of("--publish-port=0", "--subscribe-port=0", "--admin=none", "--log-size=8m"));
        all.addAll(List.of(args));
        return all.toArray(String[]::new);
    }

    private static CommandOutput nowhere() {
        return new CommandOutput(OutputStream.nullOutputStream(), OutputStream.nullOutputStream());
    }

    private static CommandRun run(CommandOutput output, String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        RelayServerCommand command = new RelayServerCommand(RelayServer::start, output);
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
