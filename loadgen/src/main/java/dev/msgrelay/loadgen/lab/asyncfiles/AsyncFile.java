package dev.msgrelay.loadgen.lab.asyncfiles;

import java.io.IOException;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** A new file, and the threads that its asynchronous channel works with. */
final class AsyncFile implements AutoCloseable {
    private static final long END_SECONDS = 10;

    private final AsynchronousFileChannel channel;

    /** Null for the JDK's own pool. */
    private final ExecutorService pool;

    private AsyncFile(AsynchronousFileChannel channel, ExecutorService pool) {
        this.channel = channel;
        this.pool = pool;
    }

    /** With the pool of the JDK, which all channels share and which makes a thread for every task that finds none free. */
    static AsyncFile withDefaultPool(Path file) throws IOException {
        return new AsyncFile(
                AsynchronousFileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE), null);
    }

    /** With so many threads and a queue before them. */
    static AsyncFile withFixedPool(Path file, int threads) throws IOException {
        ExecutorService pool = Executors.newFixedThreadPool(threads, work -> {
            Thread thread = new Thread(work, "async-file");
            thread.setDaemon(true);
            return thread;
        });
        try {
            return new AsyncFile(
                    AsynchronousFileChannel.open(
                            file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), pool),
                    pool);
        } catch (IOException e) {
            pool.shutdown();
            throw e;
        }
    }

    AsynchronousFileChannel channel() {
        return channel;
    }

    /** Closes the channel at once: what is on its way fails. */
    @Override
    public void close() throws IOException {
        channel.close();
        if (pool != null) {
            pool.shutdown();
            try {
                if (!pool.awaitTermination(END_SECONDS, TimeUnit.SECONDS)) {
                    throw new IOException("the channel's pool did not end within " + END_SECONDS + " s");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while the channel's pool ended", e);
            }
        }
    }
}
