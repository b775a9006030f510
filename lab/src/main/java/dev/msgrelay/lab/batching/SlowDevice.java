package dev.msgrelay.lab.batching;

import dev.msgrelay.loadgen.message.LoadMessage;
import dev.msgrelay.loadgen.message.MessageCheck;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.FrameReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;

/**
 * The article's device: it takes the same time for every packet, and then has it. It records the latencies of bursts.
 * One thread at a time sends; any thread may read the figures.
 */
final class SlowDevice implements Sender.NetworkFacade {
    /** Number of messages in a burst, each from its own thread. */
    static final int MESSAGES = 10;

    private final LongUnaryOperator clock;
    private final MessageCheck check;
    private final AtomicLong packets = new AtomicLong();
    private final long[] latencies = new long[MESSAGES];
    private final List<LongSummaryStatistics> bursts = new ArrayList<>();
    private final Semaphore whole = new Semaphore(0);
    private int come;

    /** For a device that reads from a socket: the number of its last read, and when that packet was acknowledged. */
    private long reads;

    private long taken;

    /** The clock waits for a number of nanoseconds, and returns the time after the wait. */
    SlowDevice(LongUnaryOperator clock, MessageCheck check) {
        this.clock = clock;
        this.check = check;
    }

    /** Waits in real time. It yields to other threads, like a thread that waits for a device. */
    static long pass(long nanos) {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() < end) {
            Thread.yield();
        }
        return System.nanoTime();
    }

    @Override
    public void send(ByteBuffer packet) {
        long now = acknowledge();
        while (packet.hasRemaining()) {
            int start = packet.position();
            int length = FrameLayout.bodyLength(packet, start);
            ByteBuffer body = packet.slice(start + FrameLayout.HEADER_LENGTH, length);
            message(FrameLayout.type(packet, start), body, now);
            packet.position(start + FrameLayout.frameLength(length));
        }
    }

    private synchronized void message(int type, ByteBuffer body, long nanos) {
        int at = body.position();
        if (!check.onMessage(type, body)) {
            return;
        }
        latencies[come++] = nanos - LoadMessage.timeAt(body, at, nanos);
        if (come == latencies.length) {
            bursts.add(Arrays.stream(latencies).summaryStatistics());
            come = 0;
            whole.release();
        }
    }

    /** Waits 5 s for one more complete burst; false: it did not arrive. */
    boolean awaitBurst() throws InterruptedException {
        return whole.tryAcquire(5, TimeUnit.SECONDS);
    }

    synchronized List<LongSummaryStatistics> bursts() {
        return List.copyOf(bursts);
    }

    private long acknowledge() {
        long now = clock.applyAsLong(100_000);
        packets.incrementAndGet();
        return now;
    }

    long packets() {
        return packets.get();
    }

    /**
     * Reads packets from a socket until it ends. Each packet contains the whole frames that are available, up to the
     * largest packet, and takes the device's time.
     */
    void behind(SocketChannel socket) {
        FrameReader reader = new FrameReader(Sender.PACKET, Sender.BODY);
        try (socket) {
            int n;
            do {
                n = reader.read(socket, (type, body) -> {
                    if (reader.reads() > reads) {
                        reads = reader.reads();
                        taken = acknowledge();
                    }
                    message(type, body, taken);
                });
            } while (n >= 0);
        } catch (IOException e) {
            // The check of the received messages finds those that are missing.
        }
    }
}
