package dev.msgrelay.loadgen.lab.batching;

import dev.msgrelay.loadgen.load.LoadMessage;
import dev.msgrelay.protocol.FrameReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Reads a connection to its end with a thread of its own; everything else is asked after {@link #awaitEnd}. */
final class LoadReceiver implements AutoCloseable {
    /** Longer latencies are recorded as this one. */
    private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(100);

    private static final int DIGITS = 3;

    private final SocketChannel channel;
    private final FrameCheck check;
    private volatile long countFrom = Long.MAX_VALUE;
    private final FrameReader reader = new FrameReader();
    private final Histogram latency = new Histogram(MAX_NANOS, DIGITS);
    private final Thread thread;
    private long now;
    private IOException failure;

    LoadReceiver(SocketChannel channel, FrameCheck check) {
        this.channel = channel;
        this.check = check;
        this.thread = new Thread(this::run, "receiver");
        thread.setDaemon(true);
        thread.start();
    }

    /** Messages of an earlier time are not in the latencies. */
    void countFrom(long nanos) {
        countFrom = nanos;
    }

    private void run() {
        ReadableByteChannel clocked = new Clocked();
        int n;
        try {
            do {
                n = reader.read(clocked, this::onMessage);
            } while (n >= 0);
        } catch (IOException e) {
            failure = e;
        }
    }

    private void onMessage(int type, ByteBuffer body) {
        if (check.onMessage(type, body)) {
            long sent = LoadMessage.timeAt(body, body.position());
            if (sent >= countFrom) {
                latency.recordValue(Math.min(MAX_NANOS, Math.max(0, now - sent)));
            }
        }
    }

    /**
     * Waits for the end of the stream.
     *
     * @throws IOException it did not come, or the connection broke
     */
    void awaitEnd() throws IOException {
        Ending.join(thread);
        if (failure != null) {
            throw failure;
        }
    }

    Histogram latency() {
        return latency;
    }

    long messages() {
        return reader.frames();
    }

    long reads() {
        return reader.reads();
    }

    /** When the last bytes came. */
    long lastNanos() {
        return now;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    /** Takes the time after every read that brought something: so it is known when each message was there. */
    private final class Clocked implements ReadableByteChannel {
        @Override
        public int read(ByteBuffer target) throws IOException {
            int n = channel.read(target);
            if (n > 0) {
                now = System.nanoTime();
            }
            return n;
        }

        @Override
        public boolean isOpen() {
            return channel.isOpen();
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
