package dev.msgrelay.loadgen.run;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The child processes of one run. However the run ends, {@link #close} or the JVM's shutdown leaves none of them behind;
 * if this JVM is killed outright, they notice by the end of their stdin. Thread-safe.
 */
public final class Children implements AutoCloseable {
    /** A worker needs little heap; a fixed small one keeps the collector out of the figures. */
    private static final List<String> WORKER_JAVA_OPTIONS = List.of(
            "-XX:+UseSerialGC",
            "-Xms64m",
            "-Xmx64m",
            "-XX:MaxDirectMemorySize=512m",
            "-Xshare:auto",
            "-XX:-UsePerfData");

    private static final long EXIT_MILLIS = 3_000;

    private final List<Child> children = new ArrayList<>();
    private Path directory;
    private final Thread hook = new Thread(this::killAll, "kill-children");

    public Children() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Starts a worker: {@code main} of this class path, with the workers' own JVM options. */
    public Child startWorker(String name, Class<?> main, List<String> args) throws IOException {
        return start(name, WORKER_JAVA_OPTIONS, main, args);
    }

    /**
     * Starts a JVM of the same JDK and class path as this one.
     *
     * @param name for messages to people
     */
    public synchronized Child start(String name, List<String> javaOptions, Class<?> main, List<String> args)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(javaOptions);
        command.addAll(List.of("-cp", classPath(), main.getName()));
        command.addAll(args);
        Child child = new Child(name, new ProcessBuilder(command).start());
        children.add(child);
        return child;
    }

    /**
     * Throws when any child failed or ended.
     *
     * @throws RunException naming the first such child
     */
    public void checkHealthy() throws RunException {
        for (Child child : all()) {
            child.checkHealthy();
        }
    }

    /** A path for a Unix socket, in a directory that goes with the children. */
    public synchronized String socketPath(String name) throws IOException {
        if (directory == null) {
            directory = Files.createTempDirectory("loadgen");
        }
        return directory.resolve(name + ".sock").toString();
    }

    /** Ends all: by the end of their stdin, and by force where that has no effect within a moment. */
    @Override
    public void close() {
        List<Child> all = all();
        all.forEach(Child::closeStdin);
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(EXIT_MILLIS);
        try {
            for (Child child : all) {
                child.awaitExit(Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        killAll();
        removeDirectory();
        removeHook();
    }

    private synchronized void removeDirectory() {
        if (directory == null) {
            return;
        }
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            System.err.println("cannot remove " + directory + ": " + e.getMessage());
        }
    }

    private void removeHook() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is going down: the hook runs in any case, and finds nobody alive.
        }
    }

    private void killAll() {
        all().forEach(Child::kill);
    }

    /** All that have been started, in that order. */
    public synchronized List<Child> all() {
        return new ArrayList<>(children);
    }

    private static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }
}
