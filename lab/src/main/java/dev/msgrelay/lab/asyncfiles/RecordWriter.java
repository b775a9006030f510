package dev.msgrelay.lab.asyncfiles;

import dev.msgrelay.lab.Threads;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.CompletionHandler;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Writes records one behind the other into a new file. One thread writes and closes. */
interface RecordWriter extends AutoCloseable {
    /** Writes the record with the next number, or begins to; throws what this or an earlier one failed with. */
    void write(long number) throws IOException, InterruptedException;

    /** Ends the writing; what is promised about records on their way is the writer's own matter. */
    @Override
    void close() throws IOException;

    /** The article's base line: a plain stream without a buffer, one system call per record. */
    final class Plain implements RecordWriter {
        private final OutputStream stream;

        Plain(Path file) throws IOException {
            stream = new FileOutputStream(file.toFile());
        }

        @Override
        public void write(long number) throws IOException {
            stream.write(Records.buffer(number).array());
        }

        @Override
        public void close() throws IOException {
            stream.close();
        }
    }

    /**
     * Writes through an asynchronous channel. It waits for each future, as the article's first snippet does; or it goes on at
     * once, as the article's benchmark does. There writes pile up in memory without end if the file is slower; here so many
     * may be on their way, and then it waits for the first.
     */
    final class Asynchronous implements RecordWriter, CompletionHandler<Integer, Void> {
        private final AsynchronousFileChannel channel;
        private final ExecutorService pool;
        private final int outstanding;
        private final Semaphore permits;
        private volatile IOException failure;

        /**
         * @param threads of the channel's pool; 0 for the JDK's own, which all channels share and which makes a thread for
         *     every task that finds none free
         * @param outstanding writes on their way at most; 0 to wait for each
         */
        Asynchronous(Path file, int threads, int outstanding) throws IOException {
            this.outstanding = outstanding;
            permits = new Semaphore(outstanding);
            pool = threads == 0
                    ? null
                    : Executors.newFixedThreadPool(threads, work -> Threads.daemon("async-file", work));
            try {
                channel = AsynchronousFileChannel.open(
                        file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), pool);
            } catch (IOException e) {
                if (pool != null) {
                    pool.shutdown();
                }
                throw e;
            }
        }

        @Override
        public void write(long number) throws IOException, InterruptedException {
            long position = number * Records.SIZE;
            if (outstanding == 0) {
                try {
                    checkWhole(channel.write(Records.buffer(number), position).get());
                } catch (ExecutionException e) {
                    throw new IOException(e.getCause());
                }
            } else {
                permits.acquire();
                Threads.check(failure);
                channel.write(Records.buffer(number), position, null, this);
            }
        }

        private static void checkWhole(int written) throws IOException {
            if (written != Records.SIZE) {
                throw new IOException("a write took " + written + " of " + Records.SIZE + " bytes");
            }
        }

        /** Waits for what is on its way: a channel that is closed at once loses it. */
        @Override
        public void close() throws IOException {
            try (channel) {
                if (!permits.tryAcquire(outstanding, Threads.LIMIT_MILLIS, TimeUnit.MILLISECONDS)) {
                    throw new IOException("writes were still on their way after " + Threads.LIMIT_MILLIS + " ms");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while writes were on their way", e);
            } finally {
                if (pool != null) {
                    pool.shutdown();
                }
            }
            Threads.check(failure);
        }

        /** Called on the channel's threads, as the next one is. */
        @Override
        public void completed(Integer written, Void attachment) {
            try {
                checkWhole(written);
            } catch (IOException e) {
                failure = e;
            }
            permits.release();
        }

        @Override
        public void failed(Throwable e, Void attachment) {
            failure = new IOException(e);
            permits.release();
        }
    }
}
