package dev.msgrelay.server.cli;

import dev.msgrelay.server.harness.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** The command as its users run it: a process of its own. */
final class CommandProcess implements AutoCloseable {
    private final Process process;
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final Thread reader;

    CommandProcess(String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                RelayServerMain.class.getName(),
                "--publish-port=0",
                "--subscribe-port=0",
                "--log-size=8m"));
        command.addAll(List.of(args));
        // Standard output alone is what scripts read; newer JVMs warn on the other one.
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        reader = new Thread(this::read, "process-output");
        reader.setDaemon(true);
        reader.start();
    }

    /** The first line that is so; waits for it. */
    String line(Predicate<String> wanted) {
        Await.until(() -> "a line in " + lines, () -> lines.stream().anyMatch(wanted));
        return lines.stream().filter(wanted).findFirst().orElseThrow();
    }

    List<String> lines() {
        return lines;
    }

    /** Sends SIGTERM and waits for the end; answers the exit code. */
    int terminate() throws InterruptedException {
        // By its handle: Process.destroy closes the output, too, and the last lines are what counts.
        if (!process.toHandle().destroy()) {
            throw new AssertionError("no SIGTERM: " + lines);
        }
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            throw new AssertionError("does not end after SIGTERM: " + lines);
        }
        Await.join(reader);
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    private void read() {
        try (BufferedReader in = process.inputReader()) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                lines.add(line);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
