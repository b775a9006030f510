package dev.msgrelay.loadgen.host;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Asks the system for what a schedule needs on cores that it shares: that no core falls asleep, and that one thread runs before
 * all that has no real-time priority, as load from another host would. Both are the system's to refuse. The first ends with
 * {@link #close} or the process, however that ends, the second with the thread. One thread owns it.
 *
 * <p>A core of a virtual machine takes tens of microseconds to wake up, and Linux takes one that sleeps for one that its host
 * has lent to somebody else: it places what it wakes on a core that is busy instead, where it waits for milliseconds. So a
 * real-time thread that only sleeps between its writes is on time where one that yields is not; but only while the cores
 * stay awake, and never with as many of them as there are cores: each could take one for good.
 */
public final class RealTime implements AutoCloseable {
    private static final String AWAKE = "dev/cpu_dma_latency";
    private static final String IDLE_DRIVER = "sys/devices/system/cpu/cpuidle/current_driver";
    private static final String SELF = "proc/thread-self";

    private static final long PROBE_MILLIS = 10_000;

    private final SystemTree tree;
    private final Tool tool;
    private FileChannel awake;
    private boolean priority;
    private String obstacle = "";

    /** Of this system. */
    public RealTime() {
        this(SystemTree.ofThisHost(), new Subprocess());
    }

    RealTime(SystemTree tree, Tool tool) {
        this.tree = tree;
        this.tool = tool;
    }

    /**
     * Asks for this thread, as the last thing before its work: threads that it starts would inherit what it gets.
     *
     * @param processes of this kind on this machine, at most
     * @param cores of this machine
     */
    public void ask(int processes, int cores) throws InterruptedException {
        keepCoresAwake();
        if (processes >= cores) {
            obstacle = processes + (processes == 1 ? " publisher process" : " publisher processes") + " on " + cores
                    + (cores == 1 ? " core" : " cores");
        } else if (coresAwake()) {
            raisePriority();
        }
    }

    private void keepCoresAwake() {
        String driver = tree.text(IDLE_DRIVER).orElse("none");
        if (driver.equals("none")) {
            obstacle = "this kernel has no say in how its cores sleep";
            return;
        }
        try {
            awake = FileChannel.open(tree.path(AWAKE), StandardOpenOption.WRITE);
            // Microseconds that a core may take to wake up, as an int32: none.
            awake.write(ByteBuffer.allocate(Integer.BYTES));
        } catch (IOException e) {
            close();
            obstacle = "/" + AWAKE + " cannot be written";
        }
    }

    private void raisePriority() throws InterruptedException {
        try {
            String thread =
                    Files.readSymbolicLink(tree.path(SELF)).getFileName().toString();
            // Round robin at its lowest priority, which is above everything that has none.
            Tool.Outcome outcome = tool.run(List.of("chrt", "-r", "-p", "1", thread));
            priority = outcome.succeeded();
            obstacle = priority ? "" : outcome.firstLine();
        } catch (IOException e) {
            obstacle = "chrt: " + e.getMessage();
        }
    }

    /**
     * Tries what one publisher would get, in a thread of its own that ends at once.
     *
     * @return what stands in the way; empty where nothing does
     */
    public static String probe(SystemTree tree, Tool tool, int cores) throws InterruptedException {
        CompletableFuture<String> told = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try (RealTime realTime = new RealTime(tree, tool)) {
                        realTime.ask(1, cores);
                        told.complete(realTime.obstacle());
                    } catch (InterruptedException | RuntimeException e) {
                        told.completeExceptionally(e);
                    }
                },
                "real-time-probe");
        thread.setDaemon(true);
        thread.start();
        try {
            return told.get(PROBE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            return "it could not be tried: " + e;
        }
    }

    /** Whether no core falls asleep. */
    public boolean coresAwake() {
        return awake != null;
    }

    /** Whether the thread that asked runs before others. */
    public boolean priority() {
        return priority;
    }

    /** Why one of both is not so; empty where they are, or nobody asked. */
    public String obstacle() {
        return obstacle;
    }

    /** The cores may sleep again. */
    @Override
    public void close() {
        if (awake == null) {
            return;
        }
        try {
            awake.close();
        } catch (IOException e) {
            // Then the end of the process does it.
        }
        awake = null;
    }
}
