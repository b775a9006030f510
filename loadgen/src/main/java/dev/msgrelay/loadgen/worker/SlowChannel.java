package dev.msgrelay.loadgen.worker;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A channel that is read so many bytes a second and no more. The thread that reads it owns it. */
final class SlowChannel implements ReadableByteChannel {
    /** It is read so often, in pieces so small that the receive queue stays full between them. */
    private static final int READS_PER_SECOND = 50;

    private final ReadableByteChannel source;
    private final int bytesPerRead;
    private long nextRead = System.nanoTime();

    SlowChannel(ReadableByteChannel source, int bytesPerSecond) {
        this.source = source;
        this.bytesPerRead = Math.max(1, bytesPerSecond / READS_PER_SECOND);
    }

    /** Waits for its turn, and takes a piece. */
    @Override
    public int read(ByteBuffer target) throws IOException {
        long wait;
        while ((wait = nextRead - System.nanoTime()) > 0 && source.isOpen()) {
            LockSupport.parkNanos(wait);
        }
        nextRead += TimeUnit.SECONDS.toNanos(1) / READS_PER_SECOND;
        int limit = target.limit();
        target.limit(Math.min(limit, target.position() + bytesPerRead));
        try {
            return source.read(target);
        } finally {
            target.limit(limit);
        }
    }

    @Override
    public boolean isOpen() {
        return source.isOpen();
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
