package dev.msgrelay.lab.files;

import dev.msgrelay.lab.Column;
import dev.msgrelay.lab.Contestant.Go;
import dev.msgrelay.lab.Measurement;
import dev.msgrelay.lab.WrongResultException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * One of the article's loops: write the file, read it back, both timed; then it is checked. All loops of a table use the
 * same two files in turn, one that stays as long as it is and one that starts from nothing.
 *
 * @param index of this loop among those of the table
 */
record FileLoop(SequentialFile way, boolean preallocated, Task task, int index) {
    static final Column WRITE = Column.higher("write", "MB/s");
    static final Column READ = Column.higher("read", "MB/s");

    /** The warm-up's file is no larger than this. */
    static final long WARM_UP_BYTES = 32_000_000;

    private static final int SEEDS = 256;
    private static final double BYTES_PER_NANO_IN_MB = 1e3;
    /**
     * The task that a table's loops have in common.
     *
     * @param of how many loops there are
     */
    record Task(long size, int of) {}

    Measurement go(Go go) throws IOException, WrongResultException, InterruptedException {
        return interruptibly(() -> run(go, go.isWarmUp() ? Math.min(WARM_UP_BYTES, task.size()) : task.size()));
    }

    /** A loop over gigabytes hears of no interrupt. It is left to itself then, on a thread that keeps no process alive. */
    static <T> T interruptibly(Callable<T> loop) throws IOException, WrongResultException, InterruptedException {
        FutureTask<T> task = new FutureTask<>(loop);
        Thread thread = new Thread(task, "file-loop");
        thread.setDaemon(true);
        thread.start();
        try {
            return task.get();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            if (cause instanceof IOException failure) {
                throw failure;
            }
            if (cause instanceof WrongResultException wrong) {
                throw wrong;
            }
            throw new IllegalStateException("the loop failed: " + cause, cause);
        }
    }

    private Measurement run(Go go, long size) throws IOException, WrongResultException {
        Path file = go.scratch().resolve((preallocated ? "pre-allocated-" : "growing-") + size);
        if (preallocated) {
            preallocate(file, size);
        } else {
            // The file is not deleted: a mapping keeps its blocks until it is gone.
            Files.write(file, new byte[0]);
        }
        // Another one than that of the loop before, whoever ran it.
        Content content = new Content(size, (go.round() * task.of() + index) % SEEDS);
        System.gc();
        long start = System.nanoTime();
        int written = way.write(file, content);
        long writeNanos = System.nanoTime() - start;
        check("wrote", written, content);

        settle(file);
        System.gc();
        start = System.nanoTime();
        int read = way.read(file);
        long readNanos = System.nanoTime() - start;
        check("read", read, content);
        String problem = content.problem(file);
        if (problem != null) {
            throw new WrongResultException(problem);
        }
        return Measurement.of(WRITE, BYTES_PER_NANO_IN_MB * size / writeNanos)
                .and(READ, BYTES_PER_NANO_IN_MB * size / readNanos);
    }

    private static void check(String did, int checkSum, Content content) throws WrongResultException {
        if (checkSum != content.checkSum()) {
            throw new WrongResultException(
                    did + " bytes of checksum " + checkSum + " instead of " + content.checkSum());
        }
    }

    /** The operating system writes what is left, so that it burdens neither the read nor the next loop. */
    private static void settle(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.force(false);
        }
    }

    /** Writes zeros into a file that is not there yet, as the article does. */
    private static void preallocate(Path file, long size) throws IOException {
        if (Files.exists(file)) {
            return;
        }
        ByteBuffer page = ByteBuffer.allocate(SequentialFile.PAGE_SIZE);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (long left = size; left > 0; left -= page.position()) {
                page.clear().limit((int) Math.min(left, page.capacity()));
                channel.write(page);
            }
            channel.force(true);
        }
    }
}
