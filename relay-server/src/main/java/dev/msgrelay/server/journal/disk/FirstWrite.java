package dev.msgrelay.server.journal.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Writes a first byte to a disk, in a file that is removed again. The write has a thread of its own, so that a starting
 * relay can log that the disk hangs.
 */
public final class FirstWrite {
    private static final String FILE = "first-write";
    private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(10);

    private FirstWrite() {}

    /**
     * Waits until a folder's disk has taken or refused a byte; makes the folder if it is missing. A refusal is not
     * reported. While waiting, passes a line to {@code tell} every 10 s. Returns whether there was a line.
     */
    public static boolean await(Path folder, Consumer<String> tell) throws IOException {
        return await(
                () -> write(folder),
                TELL_NANOS,
                nanos -> tell.accept("waits for the disk of " + folder + ": a write has not come back for "
                        + TimeUnit.NANOSECONDS.toSeconds(nanos) + " s"));
    }

    /** @param tell receives every {@code tellNanos} the time for which the action has run, in ns */
    static boolean await(Runnable action, long tellNanos, Consumer<Long> tell) throws IOException {
        FutureTask<Void> task = new FutureTask<>(action, null);
        Thread thread = new Thread(task, "relay-first-write");
        thread.setDaemon(true);
        long begun = System.nanoTime();
        thread.start();
        boolean told = false;
        while (true) {
            try {
                task.get(tellNanos, TimeUnit.NANOSECONDS);
                return told;
            } catch (TimeoutException e) {
                told = true;
                tell.accept(System.nanoTime() - begun);
            } catch (ExecutionException e) {
                throw new IllegalStateException(e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while a disk did not answer", e);
            }
        }
    }

    private static void write(Path folder) {
        Path file = folder.resolve(FILE);
        try {
            OwnFiles.makeFolder(folder);
            try (FileChannel channel = OwnFiles.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.allocate(1), 0);
                channel.force(true);
            }
            Files.deleteIfExists(file);
        } catch (IOException e) {
            // A disk that refuses a write does not hang.
        }
    }
}
