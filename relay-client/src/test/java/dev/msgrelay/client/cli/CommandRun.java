package dev.msgrelay.client.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.CompletableFuture;

/** One run of the command within this JVM. */
record CommandRun(int exitCode, String out, String err) {
    static CommandRun of(String... args) {
        return withInput(new byte[0], args);
    }

    static CommandRun withInput(byte[] stdin, String... args) {
        return run(new ByteArrayInputStream(stdin), args);
    }

    static CompletableFuture<CommandRun> start(String stdin, String... args) {
        return CompletableFuture.supplyAsync(() -> withInput(stdin.getBytes(UTF_8), args));
    }

    private static CommandRun run(InputStream stdin, String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode = RelayClientMain.execute(
                RelayClientMain.commandLine(stdin).setOut(new PrintWriter(out)).setErr(new PrintWriter(err)), args);
        return new CommandRun(exitCode, out.toString(), err.toString());
    }
}
