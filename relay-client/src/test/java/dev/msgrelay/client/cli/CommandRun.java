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
        return run(new ByteArrayInputStream(stdin), new StringWriter(), args);
    }

    static CommandRun withInput(InputStream stdin, String... args) {
        return run(stdin, new StringWriter(), args);
    }

    public static CompletableFuture<CommandRun> start(String stdin, String... args) {
        return CompletableFuture.supplyAsync(() -> withInput(stdin.getBytes(UTF_8), args));
    }

    /** @param err gets what the command says on stderr, as it comes */
    public static CompletableFuture<CommandRun> start(StringWriter err, String... args) {
        return CompletableFuture.supplyAsync(() -> run(InputStream.nullInputStream(), err, args));
    }

    private static CommandRun run(InputStream stdin, StringWriter err, String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
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
