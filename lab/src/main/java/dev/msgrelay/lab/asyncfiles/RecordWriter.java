package dev.msgrelay.lab.asyncfiles;

import dev.msgrelay.lab.Threads;
import dev.msgrelay.lab.WrongResultException;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.CompletionHandler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Writes records one after the other into a new file, by one thread. A record contains its own number in a scrambled
 * form, so that a lost, repeated, torn or displaced record is noticed. The article writes the five bytes of "Hello"
 * repeatedly, which would not show such faults.
 */
interface RecordWriter extends AutoCloseable {
    int SIZE = Long.BYTES;

    /** Returns the bytes of record {@code number}, in a buffer with an array. */
    static ByteBuffer buffer(long number) {
        return ByteBuffer.allocate(SIZE).putLong(0, scrambled(number));
    }

    private static long scrambled(long number) {
        return (number + 1) * 0x9E3779B97F4A7C15L;
    }

    /**
     * Checks a file that should contain {@code count} records.
     *
     * @throws WrongResultException the first fault
     */
    static void verify(Path file, long count) throws IOException, WrongResultException {
        long size = Files.size(file);
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file), 64 << 10))) {
            for (long number = 0; number < count; number++) {
                if ((number + 1) * SIZE > size) {
                    throw new WrongResultException("record " + number + " of " + count + " is missing");
                }
                if (in.readLong() != scrambled(number)) {
                    throw new WrongResultException("record " + number + " of " + count + " is not in its place");
                }
            }
        }
        if (size != count * SIZE) {
            throw new WrongResultException("the file has " + size + " bytes instead of " + count * SIZE);
        }
    }

    /**
     * Writes the next record, or starts to write it.
     *
     * @throws IOException this write or an earlier one failed
     */
    void write(long number) throws IOException, InterruptedException;

    @Override
    void close() throws IOException;

    /** The article's baseline: a stream without a buffer, with one system call for each record. */
    record Plain(OutputStream stream) implements RecordWriter {
        Plain(Path file) throws IOException {
            this(new FileOutputStream(file.toFile()));
        }

        @Override
        public void write(long number) throws IOException {
            stream.write(RecordWriter.buffer(number).array());
        }

        @Override
        public void close() throws IOException {
            stream.close();
        }
    }

    /**
     * Writes through an asynchronous channel. It waits for each write, as the article's first snippet does; or it
     * continues at once, as the article's benchmark does. There, writes pile up in memory without a limit if the file
     * is slower. Here, it waits if {@code outstanding} writes are not completed.
     */
    final class Asynchronous implements RecordWriter, CompletionHandler<Integer, Void> {
        private final AsynchronousFileChannel channel;
        private final ExecutorService pool;
        private final int outstanding;
        private final Semaphore permits;
        private volatile IOException failure;

        /** @param outstanding the most writes that are not completed; 0: wait for each */
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
            long position = number * SIZE;
            if (outstanding == 0) {
                try {
                    checkWhole(
                            channel.write(RecordWriter.buffer(number), position).get());
                } catch (ExecutionException e) {
                    throw new IOException(e.getCause());
                }
            } else {
                permits.acquire();
                Threads.check(failure);
                channel.write(RecordWriter.buffer(number), position, null, this);
            }
        }

        private static void checkWhole(int written) throws IOException {
            if (written != SIZE) {
                throw new IOException("a write took " + written + " of " + SIZE + " bytes");
            }
        }

        /** Waits for writes that are not completed: a channel that is closed at once would lose them. */
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

        /** The channel's threads call this method, and also {@link #failed}. */
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
