package dev.msgrelay.loadgen.rig;

import dev.msgrelay.loadgen.host.Placement;
import dev.msgrelay.loadgen.host.Site;
import dev.msgrelay.loadgen.worker.SocketCongestion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The child processes of one run. They end when the run, this JVM, or their stdin ends. Thread-safe. */
public final class Children implements AutoCloseable {
    private static final long EXIT_MILLIS = 3_000;
    /** Longest wait for the end of a process that was killed, which uses files and a name until then. */
    private static final long KILLED_MILLIS = 60_000;

    private static final int HEAP_MEGABYTES = 64;

    /** Options of a worker's JVM. The heap is small and fixed, so that garbage collection hardly affects figures. */
    private static final List<String> JVM_OPTIONS = List.of(
            "-XX:+UseSerialGC",
            "-Xms" + HEAP_MEGABYTES + "m",
            "-XX:MaxDirectMemorySize=512m",
            "-Xshare:auto",
            "-XX:-UsePerfData");

    private final Placement placement;
    private final boolean staying;
    private final List<Child> children = new ArrayList<>();
    private final Map<Path, RunDirectory> directories = new HashMap<>();

    private final Thread hook = new Thread(this::leaveNothing, "kill-children");
    private volatile boolean abandoned;

    public Children() throws InterruptedException {
        this(Placement.HERE);
    }

    public Children(Placement placement) throws InterruptedException {
        this(placement, false);
    }

    private Children(Placement placement, boolean staying) throws InterruptedException {
        this.placement = placement;
        this.staying = staying;
        try {
            Runtime.getRuntime().addShutdownHook(hook);
        } catch (IllegalStateException e) {
            throw new InterruptedException();
        }
    }

    public static Children staying(Placement placement) throws InterruptedException {
        return new Children(placement, true);
    }

    public Placement placement() {
        return placement;
    }

    public Child startWorker(Site site, String name, Class<?> main, Object job) throws IOException {
        return startWorker(site, name, main, job, 0);
    }

    /**
     * Gives the job to a worker that stays, or starts a new one. The heap limit of a new worker is {@code
     * moreMegabytes} above the usual size.
     */
    Child startWorker(Site site, String name, Class<?> main, Object job, int moreMegabytes) throws IOException {
        Child worker = staying ? named(name) : null;
        if (worker == null) {
            List<String> options = new ArrayList<>(JVM_OPTIONS);
            options.add("-Xmx" + (HEAP_MEGABYTES + moreMegabytes) + "m");
            options.add(SocketCongestion.JVM_OPTION);
            Site.JavaProgram program =
                    new Site.JavaProgram(Site.JavaProgram.withNativeAccess(options), main.getName(), List.of());
            worker = start(site, name, program);
        }
        worker.startJob(job);
        return worker;
    }

    private Child named(String name) {
        return all().stream()
                .filter(child -> child.name().equals(name))
                .findFirst()
                .orElse(null);
    }

    /** Ends the jobs of all workers that stay, and waits until their connections are closed. */
    public void endJobs() throws RunException, InterruptedException {
        for (Child child : all()) {
            child.endJob();
        }
    }

    public synchronized Child start(Site site, String name, Site.JavaProgram program) throws IOException {
        return add(new Child(name, site, site.start(program)));
    }

    /** Starts a command on this host. {@link Site#guarded} wraps commands that would not end with this JVM. */
    public synchronized Child startCommand(String name, List<String> command) throws IOException {
        return add(new Child(name, Site.HERE, new ProcessBuilder(command).start()));
    }

    synchronized Child add(Child child) {
        children.add(child);
        return child;
    }

    public void checkHealthy() throws RunException {
        for (Child child : all()) {
            child.checkHealthy();
        }
    }

    public synchronized String socketPath(String name) throws IOException {
        return directoryIn(RunDirectory.TEMPORARY).socket(name).toString();
    }

    /** Returns a directory for a contestant's data, which {@link #close} removes. */
    public synchronized Path directory(Path parent) throws IOException {
        return directoryIn(parent).data();
    }

    private RunDirectory directoryIn(Path parent) throws IOException {
        if (!directories.containsKey(parent)) {
            directories.put(parent, RunDirectory.in(parent));
        }
        return directories.get(parent);
    }

    /** Kills a child (SIGKILL), waits for its end, and removes it from the list, so that its name can be used again. */
    public void kill(Child child) throws InterruptedException {
        child.kill();
        child.awaitExit(KILLED_MILLIS);
        synchronized (this) {
            children.remove(child);
        }
    }

    /** Kills all children, and waits for their end. Later jobs get new processes. */
    public void killAndForget() throws InterruptedException {
        for (Child child : all()) {
            kill(child);
        }
    }

    /** Kills all children at once, for a controller that must end soon. A later {@link #close} does not wait. */
    public void abandon() {
        abandoned = true;
        killAll();
    }

    /**
     * Ends all children by closing their stdin, kills those that have not ended after a moment, and waits for their
     * end.
     */
    @Override
    public void close() {
        List<Child> all = all();
        all.forEach(Child::closeStdin);
        if (!abandoned) {
            awaitExit(all, EXIT_MILLIS);
        }
        killAll();
        if (!abandoned) {
            awaitExit(all, KILLED_MILLIS);
        }
        removeDirectories();
        removeHook();
    }

    private static void awaitExit(List<Child> all, long millis) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        try {
            for (Child child : all) {
                child.awaitExit(Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void removeDirectories() {
        directories.values().forEach(RunDirectory::close);
    }

    private void removeHook() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is ending already: the shutdown hook runs anyway, and finds no child alive.
        }
    }

    private void leaveNothing() {
        killAll();
        removeDirectories();
    }

    private void killAll() {
        all().forEach(Child::kill);
    }

    public synchronized List<Child> all() {
        return new ArrayList<>(children);
    }
}
