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
 * The first write to a disk: a byte in a file that is removed again. It has a thread of its own, since a disk that does
 * not answer would stop a start without a word, and each start by a supervisor again.
 */
public final class FirstWrite {
    private static final String FILE = "first-write";
    private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(10);

    private FirstWrite() {}

    /**
     * Waits until a folder's disk has taken a byte or has refused it; a refusal is not reported. The folder is made
     * where there is none.
     *
     * @param tell gets a line every 10 s
     * @return whether there was a line
     * @throws IOException the thread was interrupted
     */
    public static boolean await(Path folder, Consumer<String> tell) throws IOException {
        return await(
                () -> write(folder),
                TELL_NANOS,
                nanos -> tell.accept("waits for the disk of " + folder + ": a write has not come back for "
                        + TimeUnit.NANOSECONDS.toSeconds(nanos) + " s"));
    }

    /** Waits for an action on a thread of its own, and tells every {@code tellNanos} for how long it has run. */
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
            // The disk has answered.
        }
    }
}
