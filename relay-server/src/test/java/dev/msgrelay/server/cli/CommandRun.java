package dev.msgrelay.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.RelayServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine;

/**
 * The command within the test's own process, for what ends before a relay is there: its exit code, and what it says.
 */
record CommandRun(int exitCode, List<String> lines, List<String> errors) {
    /** Runs it with the {@link CommandProcess#arguments} of a process. */
    static CommandRun of(String... args) {
        return run(
                RelayServer::start,
                nowhere(),
                Map.of(),
                CommandProcess.arguments(args).toArray(String[]::new));
    }

    /** Runs it with this environment and these arguments alone; whatever would start a relay fails instead. */
    static CommandRun with(Map<String, String> environment, String... args) {
        return run(
                (config, recovery) -> {
                    throw new IOException("started after all");
                },
                nowhere(),
                environment,
                args);
    }

    /** As {@link #with}, for who looks at a configuration alone. */
    static CommandRun check(String... args) {
        return with(Map.of(), behind("--check-config", args));
    }

    /**
     * As {@link #of}, in the form that the arguments ask for: with {@code --json} in objects, which are among the
     * lines. No other test may run the command in this process meanwhile.
     */
    static synchronized CommandRun speaking(String... args) {
        String[] all = CommandProcess.arguments(args).toArray(String[]::new);
        CommandOutput output = nowhere();
        if (!Configuration.saysJson(Map.of(), all)) {
            return run(RelayServer::start, output, Map.of(), all);
        }
        output.speakJson();
        ByteArrayOutputStream objects = new ByteArrayOutputStream();
        CommandLog.speakJson(new PrintStream(objects, true, StandardCharsets.UTF_8));
        try {
            CommandRun run = run(RelayServer::start, output, Map.of(), all);
            List<String> lines = new ArrayList<>(run.lines);
            lines.addAll(objects.toString(StandardCharsets.UTF_8).lines().toList());
            return new CommandRun(run.exitCode, lines, run.errors);
        } finally {
            CommandLog.speakJson(null);
        }
    }

    static CommandRun token(String... args) {
        return with(Map.of(), behind("token", args));
    }

    String output() {
        return String.join("\n", lines);
    }

    String error() {
        return String.join("\n", errors);
    }

    /** Fails unless it ended with this code. */
    CommandRun ended(int code) {
        assertThat(exitCode).as(error()).isEqualTo(code);
        return this;
    }

    /** Fails unless it ended with this code, and a line of standard error that begins so, behind its name. */
    void assertRefused(int code, String beginning) {
        ended(code);
        assertThat(errors).anyMatch(line -> line.startsWith("relay-server: " + beginning));
    }

    static String[] behind(String first, String... more) {
        return Stream.concat(Stream.of(first), Stream.of(more)).toArray(String[]::new);
    }

    private static CommandOutput nowhere() {
        return new CommandOutput(OutputStream.nullOutputStream(), OutputStream.nullOutputStream());
    }

    private static CommandRun run(
            RelayServerCommand.Starter starter, CommandOutput output, Map<String, String> environment, String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        RelayServerCommand command = new RelayServerCommand(starter, output);
        CommandLine line = RelayServerMain.commandLineFor(command, args);
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        int exitCode = RelayServerMain.execute(line, command, environment, args);
        return new CommandRun(
                exitCode,
                out.toString().lines().toList(),
                err.toString().lines().toList());
    }
}
