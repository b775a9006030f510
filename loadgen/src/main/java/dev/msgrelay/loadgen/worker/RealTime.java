package dev.msgrelay.loadgen.worker;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Asks the system for what a schedule needs on cores that it shares: that no core falls asleep while this process lives, and
 * that this thread runs before all that has no real-time priority, as load from another host would. Both are the system's
 * to refuse, and both end with the process, however it ends.
 *
 * <p>A core of a virtual machine takes tens of microseconds to wake up, and Linux takes one that sleeps for one that its host
 * has lent to somebody else: it places what it wakes on a core that is busy instead, where it waits for milliseconds. So a
 * real-time thread that only sleeps between its writes is on time where one that yields is not; but only while the cores
 * stay awake, and never with as many of them as there are cores: each could take one for good.
 */
final class RealTime {
    private static final String AWAKE = "dev/cpu_dma_latency";
    private static final String IDLE_DRIVER = "sys/devices/system/cpu/cpuidle/current_driver";
    private static final String SELF = "proc/thread-self";

    /** Round robin, the lowest priority of it: above everything that has none. */
    private static final List<String> SET_PRIORITY = List.of("chrt", "-r", "-p", "1");

    private static final long REPLY_MILLIS = 2_000;
    private static final int MAX_REPLY = 200;

    private final Path root;
    private final List<String> setPriority;

    /** For the life of the process. */
    private FileChannel awake;

    private boolean priority;
    private String obstacle = "";

    RealTime() {
        this(Path.of("/"), SET_PRIORITY);
    }

    /**
     * @param root of the system's files
     * @param setPriority the command, but for the thread's number
     */
    RealTime(Path root, List<String> setPriority) {
        this.root = root;
        this.setPriority = setPriority;
    }

    /**
     * Asks for this thread, as the last thing before its work: threads that it starts would inherit what it gets.
     *
     * @param processes of this kind on this machine, at most
     * @param cores of this machine
     */
    void ask(int processes, int cores) throws InterruptedException {
        keepCoresAwake();
        if (processes >= cores) {
            refused(processes + (processes == 1 ? " publisher process" : " publisher processes") + " on " + cores
                    + (cores == 1 ? " core" : " cores"));
        } else if (awake != null) {
            raisePriority();
        }
    }

    private void keepCoresAwake() {
        try {
            if (Files.readString(root.resolve(IDLE_DRIVER)).strip().equals("none")) {
                refused("this kernel has no say in how its cores sleep");
                return;
            }
            awake = FileChannel.open(root.resolve(AWAKE), StandardOpenOption.WRITE);
            // At most so many microseconds for a core to wake up, as an int32: none.
            awake.write(ByteBuffer.allocate(Integer.BYTES));
        } catch (NoSuchFileException e) {
            refused("there is no " + e.getMessage());
        } catch (IOException e) {
            refused("/" + AWAKE + " cannot be written");
        }
    }

    private void raisePriority() throws InterruptedException {
        Process command = null;
        try {
            Path self = Files.readSymbolicLink(root.resolve(SELF));
            List<String> line = new ArrayList<>(setPriority);
            line.add(self.getFileName().toString());
            command = new ProcessBuilder(line).redirectErrorStream(true).start();
            command.getOutputStream().close();
            if (!command.waitFor(REPLY_MILLIS, TimeUnit.MILLISECONDS)) {
                refused("'" + setPriority.get(0) + "' did not end within " + REPLY_MILLIS + " ms");
            } else if (command.exitValue() != 0) {
                refused(reply(command));
            } else {
                priority = true;
            }
        } catch (IOException e) {
            refused(e.getMessage());
        } finally {
            if (command != null) {
                command.destroyForcibly();
            }
        }
    }

    /** The first line of what it said. */
    private String reply(Process command) throws IOException {
        try (InputStream said = command.getInputStream()) {
            String text = new String(said.readNBytes(MAX_REPLY), StandardCharsets.UTF_8);
            return text.isBlank()
                    ? "'" + setPriority.get(0) + "' exited with " + command.exitValue()
                    : text.lines().findFirst().orElse("");
        }
    }

    private void refused(String reason) {
        obstacle = reason;
    }

    /** Whether no core falls asleep. */
    boolean coresAwake() {
        return awake != null;
    }

    /** Whether this thread runs before others. */
    boolean priority() {
        return priority;
    }

    /** Why one of both is not so; empty where they are. */
    String obstacle() {
        return obstacle;
    }
}
