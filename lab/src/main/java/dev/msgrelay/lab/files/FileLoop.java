package dev.msgrelay.lab.files;

import dev.msgrelay.lab.Column;
import dev.msgrelay.lab.Contestant.Go;
import dev.msgrelay.lab.Measurement;
import dev.msgrelay.lab.Threads;
import dev.msgrelay.lab.WrongResultException;
import java.io.IOException;
import java.io.OutputStream;
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
record FileLoop(SequentialFile way, boolean preallocated, long size, int index) {
    static final Column WRITE = Column.higher("write", "MB/s");
    static final Column READ = Column.higher("read", "MB/s");

    /** The warm-up's file is no larger than this. */
    static final long WARM_UP_BYTES = 32_000_000;

    /** More than a table has loops. */
    private static final int LOOPS = 16;

    Measurement go(Go go) throws IOException, WrongResultException, InterruptedException {
        return interruptibly(() -> run(go, go.isWarmUp() ? Math.min(WARM_UP_BYTES, size) : size));
    }

    /** A loop over gigabytes hears of no interrupt. It is left to itself then, on a thread that keeps no process alive. */
    static <T> T interruptibly(Callable<T> loop) throws IOException, WrongResultException, InterruptedException {
        FutureTask<T> task = new FutureTask<>(loop);
        Threads.daemon("file-loop", task).start();
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

    private Measurement run(Go go, long bytes) throws IOException, WrongResultException {
        Path file = go.scratch().resolve((preallocated ? "pre-allocated-" : "growing-") + bytes);
        if (!preallocated) {
            // The file is not deleted: a mapping keeps its blocks until it is gone.
            Files.write(file, new byte[0]);
        } else if (!Files.exists(file)) {
            preallocate(file, bytes);
        }
        // Another one than that of the loop before, whoever ran it.
        Content content = new Content(bytes, go.round() * LOOPS + index);
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
        return Measurement.of(WRITE, 1e3 * bytes / writeNanos).and(READ, 1e3 * bytes / readNanos);
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

    /** Writes zeros, as the article does. */
    private static void preallocate(Path file, long bytes) throws IOException {
        byte[] page = new byte[SequentialFile.PAGE_SIZE];
        try (OutputStream out = Files.newOutputStream(file)) {
            for (long left = bytes; left > 0; left -= page.length) {
                out.write(page, 0, (int) Math.min(left, page.length));
            }
        }
        settle(file);
    }
}
