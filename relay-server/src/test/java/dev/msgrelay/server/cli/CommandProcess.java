package dev.msgrelay.server.cli;

import dev.msgrelay.server.harness.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** The command as its users run it: a process of its own. */
public final class CommandProcess implements AutoCloseable {
    private final Process process;
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final List<String> errors = new CopyOnWriteArrayList<>();
    private final List<Thread> readers = new ArrayList<>();

    CommandProcess(String... args) throws IOException {
        this(command(args), Map.of());
    }

    /** As users have it, who see in the log what is done; the tests' own settings leave most of it out. */
    static CommandProcess logging(String... args) throws IOException {
        List<String> command = command(args);
        command.add(1, "-Dorg.slf4j.simpleLogger.log.relay=info");
        return new CommandProcess(command, Map.of());
    }

    /** As {@link #logging}, by a command that goes before it. */
    static CommandProcess startedBy(List<String> before, String... args) throws IOException {
        List<String> command = command(args);
        command.add(1, "-Dorg.slf4j.simpleLogger.log.relay=info");
        command.addAll(0, before);
        return new CommandProcess(command, Map.of());
    }

    private CommandProcess(List<String> command, Map<String, String> environment) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command);
        // A name that is not ASCII is printed in the terminal's encoding, and tests may run without any.
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.environment().putAll(environment);
        process = builder.start();
        // Standard output alone is what scripts read; newer JVMs warn on the other one.
        readers.add(reader(process.inputReader(StandardCharsets.UTF_8), lines));
        readers.add(reader(process.errorReader(StandardCharsets.UTF_8), errors));
    }

    /** Any command line that starts the relay in the end. */
    static CommandProcess started(List<String> command) throws IOException {
        return new CommandProcess(command, Map.of());
    }

    long pid() {
        return process.pid();
    }

    /** Ends it at once, as {@code kill -9} does, and waits for that. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        awaitExit();
    }

    /** Another main class with the same arguments. */
    static CommandProcess of(Class<?> main, String... args) throws IOException {
        List<String> command = command(args);
        command.set(command.indexOf(RelayServerMain.class.getName()), main.getName());
        return new CommandProcess(command, Map.of());
    }

    /** With more in its environment. */
    static CommandProcess with(Map<String, String> environment, String... args) throws IOException {
        return new CommandProcess(command(args), environment);
    }

    /** What starts the relay on free ports; a later option overrides an earlier one. */
    public static List<String> command(String... args) {
        String java = ProcessHandle.current().info().command().orElse("java");
        // Nothing here lives long enough for the second compiler to pay.
        List<String> command = new ArrayList<>(List.of(java, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        command.addAll(JvmLimits.of("--log-size=8m"));
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                RelayServerMain.class.getName(),
                "--publish-port=0",
                "--subscribe-port=0",
                "--admin=none",
                "--log-size=8m"));
        command.addAll(List.of(args));
        return command;
    }

    /** The first line that is so; waits for it. */
    String line(Predicate<String> wanted) {
        Await.until(() -> "a line in " + lines, () -> lines.stream().anyMatch(wanted));
        return lines.stream().filter(wanted).findFirst().orElseThrow();
    }

    List<String> lines() {
        return lines;
    }

    /** Lines of standard error. */
    List<String> errors() {
        return errors;
    }

    /** Sends SIGHUP. */
    void hangUp() throws Exception {
        Process kill = new ProcessBuilder("kill", "-HUP", "" + process.pid()).start();
        if (!kill.waitFor(20, TimeUnit.SECONDS) || kill.exitValue() != 0) {
            throw new AssertionError("no SIGHUP: " + lines);
        }
    }

    /** The first line of standard error behind the first {@code from} that is so; waits for it. */
    String error(int from, Predicate<String> wanted) {
        Await.until(
                () -> "a line in " + errors, () -> errors.stream().skip(from).anyMatch(wanted));
        return errors.stream().skip(from).filter(wanted).findFirst().orElseThrow();
    }

    /** Sends SIGTERM and waits for the end; answers the exit code. */
    int terminate() throws InterruptedException {
        // By its handle: Process.destroy closes the output, too, and the last lines are what counts.
        if (!process.toHandle().destroy()) {
            throw new AssertionError("no SIGTERM: " + lines);
        }
        return awaitExit();
    }

    /** Waits for its end; answers the exit code. */
    int awaitExit() throws InterruptedException {
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            throw new AssertionError("does not end: " + lines + " " + errors);
        }
        for (Thread reader : readers) {
            Await.join(reader);
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    private static Thread reader(BufferedReader from, List<String> into) {
        Thread reader = new Thread(
                () -> {
                    try (from) {
                        for (String line = from.readLine(); line != null; line = from.readLine()) {
                            into.add(line);
                        }
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                "process-output");
        reader.setDaemon(true);
        reader.start();
        return reader;
    }
}
