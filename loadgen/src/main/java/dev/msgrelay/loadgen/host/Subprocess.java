package dev.msgrelay.loadgen.host;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs commands as child processes with a time limit. Reads at most 64 KiB of their output. Thread-safe. */
public final class Subprocess implements Tool {
    private static final long LIMIT_MILLIS = 60_000;
    private static final List<String> ALSO = List.of("/usr/sbin", "/sbin");
    private static final int MAX_OUTPUT_BYTES = 64 << 10;

    private final long limitMillis;
    private final boolean apart;

    public Subprocess() {
        this(LIMIT_MILLIS);
    }

    public Subprocess(long limitMillis) {
        this(limitMillis, false);
    }

    public Subprocess(long limitMillis, boolean apart) {
        this.limitMillis = limitMillis;
        this.apart = apart;
    }

    @Override
    public Completed run(List<String> command) throws IOException, InterruptedException {
        // The output is read only after the child has ended. It goes to a file, since a full pipe would stop the child.
        Path output = Files.createTempFile("loadgen", ".out");
        Path errors = apart ? Files.createTempFile("loadgen", ".err") : output;
        try {
            int exitCode = run(command, output, errors);
            return new Completed(exitCode, text(output), apart ? text(errors) : "");
        } finally {
            Files.delete(output);
            Files.deleteIfExists(errors);
        }
    }

    private static String text(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return new String(in.readNBytes(MAX_OUTPUT_BYTES), StandardCharsets.UTF_8).strip();
        }
    }

    private int run(List<String> command, Path output, Path errors) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(found(command, path())).redirectOutput(output.toFile());
        if (errors.equals(output)) {
            builder.redirectErrorStream(true);
        } else {
            builder.redirectError(errors.toFile());
        }
        // The messages of the command must be in English, since they are parsed.
        builder.environment().put("LC_ALL", "C");
        builder.environment().put("PATH", path());
        Process process = builder.start();
        try {
            process.getOutputStream().close();
            if (!process.waitFor(limitMillis, TimeUnit.MILLISECONDS)) {
                throw new IOException("'" + String.join(" ", command) + "' did not end within " + limitMillis + " ms");
            }
            return process.exitValue();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    /** Closes the stdin of a process, and kills the process if it has not ended after {@code millis}. */
    public static void stop(Process process, long millis) {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // The process has ended already.
        }
        boolean ended = false;
        try {
            ended = process.waitFor(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!ended) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    /**
     * Waits for a line of stdout that begins with {@code start}, and returns that line. If the process ends without
     * such a line, returns its first line.
     */
    public static String awaitLine(Process process, String start, long millis) throws InterruptedException {
        BlockingQueue<String> heard = new ArrayBlockingQueue<>(1);
        Thread listener = new Thread(() -> listen(process, start, heard), "output-of-" + process.pid());
        listener.setDaemon(true);
        listener.start();
        String line = heard.poll(millis, TimeUnit.MILLISECONDS);
        return line == null ? "it said nothing within " + millis + " ms" : line;
    }

    private static void listen(Process process, String start, BlockingQueue<String> heard) {
        try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
            String first = "it ended without a word";
            boolean any = false;
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.startsWith(start)) {
                    heard.offer(line);
                }
                first = any ? first : line;
                any = true;
            }
            heard.offer(first);
        } catch (IOException e) {
            heard.offer("it cannot be heard: " + e.getMessage());
        }
    }

    public static Optional<Path> find(String name) {
        return find(name, path());
    }

    /** Finds a program in the directories of {@code path}, which has the form of the variable PATH. */
    public static Optional<Path> find(String name, String path) {
        return Stream.of(path.split(File.pathSeparator))
                .filter(directory -> !directory.isEmpty())
                .map(directory -> Path.of(directory, name))
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .findFirst();
    }

    /**
     * Returns the search path for commands. It includes /usr/sbin, where tc and ethtool are, since the PATH of an
     * ordinary user often does not.
     */
    private static String path() {
        return withSystem(System.getenv().getOrDefault("PATH", ""));
    }

    static String withSystem(String users) {
        return (users.isEmpty() ? "" : users + File.pathSeparator) + String.join(File.pathSeparator, ALSO);
    }

    static List<String> found(List<String> command, String path) {
        String name = command.get(0);
        List<String> found = new ArrayList<>(command);
        if (!name.contains(File.separator)) {
            find(name, path).ifPresent(file -> found.set(0, file.toString()));
        }
        return found;
    }
}
