package dev.msgrelay.loadgen.lab.asyncfiles;

import java.io.IOException;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.CompletionHandler;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Begins to write a record and goes on at once, as the article's benchmark does. Its writes pile up in memory without end
 * if the file is slower; here so many may be on their way, and then it waits for the first.
 */
final class ForwardWriter implements RecordWriter {
    /** What closing does about the records that are on their way. */
    enum Closing {
        WAITS,

        /** The pitfall: they are lost. */
        AT_ONCE
    }

    private static final long CLOSE_SECONDS = 60;

    private final AsyncFile file;
    private final AsynchronousFileChannel channel;
    private final int outstanding;
    private final Closing closing;
    private final Semaphore permits;
    private final CompletionHandler<Integer, Void> done = new Done();
    private long count;
    private volatile Throwable failure;

    ForwardWriter(AsyncFile file, int outstanding, Closing closing) {
        this.file = file;
        this.outstanding = outstanding;
        this.closing = closing;
        channel = file.channel();
        permits = new Semaphore(outstanding);
    }

    @Override
    public void write() throws IOException, InterruptedException {
        permits.acquire();
        if (failure != null) {
            throw new IOException("a write failed", failure);
        }
        channel.write(Records.buffer(count), count * Records.SIZE, null, done);
        count++;
    }

    @Override
    public long count() {
        return count;
    }

    @Override
    public void close() throws IOException {
        try (file) {
            if (closing == Closing.WAITS && !permits.tryAcquire(outstanding, CLOSE_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("writes were still on their way after " + CLOSE_SECONDS + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while writes were on their way", e);
        }
        if (closing == Closing.WAITS && failure != null) {
            throw new IOException("a write failed", failure);
        }
    }

    /** Runs on the channel's threads. */
    private final class Done implements CompletionHandler<Integer, Void> {
        @Override
        public void completed(Integer written, Void attachment) {
            if (written != Records.SIZE) {
                failure = new IOException("a write took " + written + " of " + Records.SIZE + " bytes");
            }
            permits.release();
        }

        @Override
        public void failed(Throwable e, Void attachment) {
            failure = e;
            permits.release();
        }
    }
}
