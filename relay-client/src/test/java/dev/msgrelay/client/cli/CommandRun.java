package dev.msgrelay.client.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.msgrelay.protocol.text.WatchedOutput;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine;

/** One run of the command within this JVM. */
public record CommandRun(int exitCode, byte[] bytes, String err) {
    public static CommandRun of(String... args) {
        return withInput(new byte[0], args);
    }

    public static CommandRun withInput(byte[] stdin, String... args) {
        return run(new ByteArrayInputStream(stdin), args);
    }

    public static CompletableFuture<CommandRun> start(String stdin, String... args) {
        return CompletableFuture.supplyAsync(() -> withInput(stdin.getBytes(UTF_8), args));
    }

    private static CommandRun run(InputStream stdin, String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        StringWriter err = new StringWriter();
        CommandLine command =
                RelayClientMain.commandLine(stdin, new WatchedOutput(out)).setErr(new PrintWriter(err));
        int exitCode = RelayClientMain.execute(command, args);
        command.getOut().flush();
        return new CommandRun(exitCode, out.toByteArray(), err.toString());
    }

    /** Standard output as text. */
    public String out() {
        return new String(bytes, UTF_8);
    }
}
