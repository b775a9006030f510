package dev.msgrelay.client.system;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** A program of the tests' class path as a process of its own, which can be killed. */
final class JavaProcess implements AutoCloseable {
    private static final long LINE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Process process;
    private final List<String> lines = new CopyOnWriteArrayList<>();

    JavaProcess(String main, String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                main));
        command.addAll(List.of(args));
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        Thread reader = new Thread(this::read, "process-output");
        reader.setDaemon(true);
        reader.start();
    }

    /** The first line that is so; waits for it. */
    String line(Predicate<String> wanted) throws InterruptedException {
        long end = System.nanoTime() + LINE_NANOS;
        while (lines.stream().noneMatch(wanted)) {
            if (System.nanoTime() > end || !process.isAlive()) {
                throw new AssertionError("the line did not come, alive: " + process.isAlive() + ", said: " + lines);
            }
            synchronized (lines) {
                lines.wait(100);
            }
        }
        return lines.stream().filter(wanted).findFirst().orElseThrow();
    }

    /** The exit code of a process that ends by itself; waits for it. */
    int exitCode() throws InterruptedException {
        if (!process.waitFor(LINE_NANOS, TimeUnit.NANOSECONDS)) {
            throw new AssertionError("does not end, said: " + lines);
        }
        return process.exitValue();
    }

    /** SIGKILL. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        if (!process.waitFor(10, TimeUnit.SECONDS)) {
            throw new AssertionError("does not end when killed");
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    private void read() {
        try (BufferedReader in = process.inputReader()) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                lines.add(line);
                synchronized (lines) {
                    lines.notifyAll();
                }
            }
        } catch (IOException e) {
            lines.add("output ended: " + e.getMessage());
        }
    }
}
