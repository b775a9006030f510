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
 * Writes records one behind the other into a new file. One thread writes and closes. A record is its own number in a
 * scrambled form, so that one that is lost, repeated, torn or in another's place is noticed. The article writes the
 * five bytes of "Hello" over and over, which would show nothing of that.
 */
interface RecordWriter extends AutoCloseable {
    /** Bytes of a record. */
    int SIZE = Long.BYTES;

    /** The bytes of record {@code number}, for one write; an array is behind it. */
    static ByteBuffer buffer(long number) {
        return ByteBuffer.allocate(SIZE).putLong(0, scrambled(number));
    }

    private static long scrambled(long number) {
        return (number + 1) * 0x9E3779B97F4A7C15L;
    }

    /** Throws the first fault of a file that is to hold so many records. */
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

    /** Writes the record with the next number, or begins to; throws what this or an earlier one failed with. */
    void write(long number) throws IOException, InterruptedException;

    /** Ends the writing; what is promised about records on their way is the writer's own matter. */
    @Override
    void close() throws IOException;

    /** The article's base line: a plain stream without a buffer, one system call per record. */
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
     * Writes through an asynchronous channel. It waits for each future, as the article's first snippet does; or it goes
     * on at once, as the article's benchmark does. There writes pile up in memory without end if the file is slower;
     * here so many may be on their way, and then it waits for the first.
     */
    final class Asynchronous implements RecordWriter, CompletionHandler<Integer, Void> {
        private final AsynchronousFileChannel channel;
        private final ExecutorService pool;
        private final int outstanding;
        private final Semaphore permits;
        private volatile IOException failure;

        /**
         * @param threads of the channel's pool; 0 for the JDK's own, which all channels share and which makes a thread
         *     for every task that finds none free
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
