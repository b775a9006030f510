package dev.msgrelay.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A program in a process of its own, with its output line by line, and its end. Each wait has a limit of 120 s, unless
 * a method says otherwise. Every process that a test starts is started here, with the environment of {@link #builder}.
 * Any thread.
 */
public class TestProcess implements AutoCloseable {
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(120);

    private final Process process;
    private final Said out = new Said();
    private final Said err = new Said();
    private final List<Thread> readers = new ArrayList<>();

    /** The lines of one output. */
    private final class Said {
        private final List<String> lines = new ArrayList<>();
        private boolean ended;

        synchronized List<String> all() {
            return List.copyOf(lines);
        }

        private synchronized void add(String line) {
            ended |= line == null;
            if (line != null) {
                lines.add(line);
            }
            notifyAll();
        }

        /** The first line from index {@code from} on that {@code wanted} accepts; waits for it. */
        synchronized String await(int from, Predicate<String> wanted) {
            long deadline = System.nanoTime() + LIMIT_NANOS;
            for (int next = from; ; next++) {
                while (next >= lines.size()) {
                    long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                    if (ended || millis <= 0) {
                        throw new AssertionError((ended ? "it ended without a line, " : "no line within 120 s, ")
                                + "and said: " + out.all() + " " + err.all());
                    }
                    try {
                        wait(millis);
                    } catch (InterruptedException e) {
                        throw new AssertionError("interrupted", e);
                    }
                }
                if (wanted.test(lines.get(next))) {
                    return lines.get(next);
                }
            }
        }

        void readFrom(BufferedReader in) {
            Thread reader = new Thread(() -> read(in), "process-output");
            reader.setDaemon(true);
            readers.add(reader);
            reader.start();
        }

        private void read(BufferedReader in) {
            try (in) {
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    add(line);
                }
            } catch (IOException killed) {
                // the process was killed: there are no more lines
            }
            add(null);
        }
    }

    /**
     * The end of a program.
     *
     * @param said all of its output, standard error too
     */
    public record Outcome(int exitCode, String said) {}

    /** The home of all children, empty when the first one starts, and gone with this JVM. */
    private static final class Home {
        static final Path DIRECTORY = createHome();

        private static Path createHome() {
            try {
                Path made = Files.createTempDirectory("relay-home");
                Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(made), "home of children"));
                return made;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static void remove(Path home) {
            try (Stream<Path> all = Files.walk(home)) {
                for (Path file : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            } catch (IOException stays) {
                System.err.println("not removed: " + stays);
            }
        }
    }

    public TestProcess(List<String> command) throws IOException {
        this(command, Map.of());
    }

    /** Starts a command with additional variables of the environment. */
    public TestProcess(List<String> command, Map<String, String> environment) throws IOException {
        ProcessBuilder builder = builder(command);
        builder.environment().putAll(environment);
        process = builder.start();
        out.readFrom(process.inputReader(StandardCharsets.UTF_8));
        err.readFrom(process.errorReader(StandardCharsets.UTF_8));
    }

    /**
     * What starts a command in the same environment on every machine: the PATH, the JDK and the temporary directory of
     * the tests, an empty home, a locale that has UTF-8 and English words, the zone UTC, and nothing else. A test may
     * add to it.
     */
    public static ProcessBuilder builder(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command);
        Map<String, String> environment = builder.environment();
        environment.clear();
        environment.put("PATH", ThisMachine.path());
        environment.put("HOME", Home.DIRECTORY.toString());
        environment.put("TMPDIR", ThisMachine.temporary().toString());
        environment.put("JAVA_HOME", ThisMachine.javaHome().toString());
        environment.put("LC_ALL", "C.UTF-8");
        environment.put("TZ", "UTC");
        return builder;
    }

    /**
     * Runs a command to its end.
     *
     * @throws IOException there is no such program
     */
    public static Outcome run(String... command) throws IOException, InterruptedException {
        Process process = builder(List.of(command)).redirectErrorStream(true).start();
        try {
            process.getOutputStream().close();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(LIMIT_NANOS, TimeUnit.NANOSECONDS)) {
                throw new AssertionError("does not end: " + String.join(" ", command) + ": " + said);
            }
            return new Outcome(process.exitValue(), said);
        } finally {
            process.destroyForcibly();
        }
    }

    /** Starts a program of the tests' class path, or a source file, in a JVM of its own. */
    public static TestProcess java(String main, String... args) throws IOException {
        return new TestProcess(javaCommand(main, args));
    }

    /**
     * The command line for {@link #java}, with the start scripts' options; options of the JVM may be inserted behind
     * the first word.
     */
    public static List<String> javaCommand(String main, String... args) {
        List<String> command = new ArrayList<>(List.of(
                ThisMachine.java().toString(),
                "-XX:+UseSerialGC",
                // The first compiler only: no such program lives long enough for the second one to pay.
                "-XX:TieredStopAtLevel=1",
                "-Xmx256m",
                "-Djava.io.tmpdir=" + ThisMachine.temporary()));
        if (Runtime.version().feature() >= 24) {
            // Without these options the JVM prints warnings, and would wait if nobody reads them.
            command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
        }
        command.addAll(List.of("-cp", ThisMachine.classPath(), main));
        command.addAll(List.of(args));
        return command;
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** All processes that the program has started, directly or indirectly. */
    public List<ProcessHandle> descendants() {
        return process.descendants().toList();
    }

    /** Lines of standard output so far. */
    public List<String> lines() {
        return out.all();
    }

    /** Lines of standard error so far. */
    public List<String> errors() {
        return err.all();
    }

    /** The first line of standard output that {@code wanted} accepts; waits for it. */
    public String line(Predicate<String> wanted) {
        return line(0, wanted);
    }

    /** As {@link #error}, of standard output. */
    public String line(int from, Predicate<String> wanted) {
        return out.await(from, wanted);
    }

    /**
     * The first line of standard error, behind the first {@code from} lines, that {@code wanted} accepts; waits for it.
     */
    public String error(int from, Predicate<String> wanted) {
        return err.await(from, wanted);
    }

    /** Writes the program's whole standard input, and closes it. */
    public void writeInput(String text) throws IOException {
        try (OutputStream in = process.getOutputStream()) {
            in.write(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Sends a signal by its name, such as HUP. */
    public void signal(String name) throws IOException, InterruptedException {
        signal(name, process.pid());
    }

    /** Sends a signal to any process. */
    public static void signal(String name, long pid) throws IOException, InterruptedException {
        Outcome sent = run("kill", "-" + name, "" + pid);
        if (sent.exitCode() != 0) {
            throw new AssertionError("no SIG" + name + " to " + pid + ": " + sent.said());
        }
    }

    /** Sends SIGTERM and waits for the end; returns the exit code. */
    public int terminate() throws InterruptedException {
        // Sent through the handle: Process.destroy would close the output, whose last lines matter.
        if (!process.toHandle().destroy()) {
            throw new AssertionError("no SIGTERM: " + out.all());
        }
        return awaitExit();
    }

    /** Ends the program at once (SIGKILL), and waits for its end. */
    public void kill() throws InterruptedException {
        process.destroyForcibly();
        awaitExit();
    }

    /** Waits for the program's end, and for all its output; returns the exit code. */
    public int awaitExit() throws InterruptedException {
        return awaitExit(TimeUnit.NANOSECONDS.toSeconds(LIMIT_NANOS));
    }

    /** Waits for the program's end, {@code seconds} s at most. */
    public int awaitExit(long seconds) throws InterruptedException {
        if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
            throw new AssertionError("does not end: " + out.all() + " " + err.all());
        }
        for (Thread reader : readers) {
            reader.join(TimeUnit.NANOSECONDS.toMillis(LIMIT_NANOS));
        }
        return process.exitValue();
    }

    /** Ends the program, and all processes that it has started, at once. */
    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
