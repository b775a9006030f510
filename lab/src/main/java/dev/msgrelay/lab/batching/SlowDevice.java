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
 * The article's device: takes the same time for every packet, and has it only then; it notes the latencies of bursts.
 * Called by one thread at a time; any may ask.
 */
final class SlowDevice implements Sender.NetworkFacade {
    /** Those of a burst, each from a thread of its own. */
    static final int MESSAGES = 10;

    private final LongUnaryOperator clock;
    private final MessageCheck check;
    private final AtomicLong packets = new AtomicLong();
    private final long[] latencies = new long[MESSAGES];
    private final List<LongSummaryStatistics> bursts = new ArrayList<>();
    private final Semaphore whole = new Semaphore(0);
    private int come;

    /** At the far end of a socket: how often it has read, and when it had what it read last. */
    private long reads;

    private long taken;

    /** The clock lets so many nanoseconds pass, and tells the time behind them. */
    SlowDevice(LongUnaryOperator clock, MessageCheck check) {
        this.clock = clock;
        this.check = check;
    }

    /** A clock of real time; waiting gives way to other threads, as a thread that waits for a device would. */
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

    /** The packet with this message was acknowledged at this time. */
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

    /** Whether one more burst came whole within 5 s. */
    boolean awaitBurst() throws InterruptedException {
        return whole.tryAcquire(5, TimeUnit.SECONDS);
    }

    /** The latencies of each whole burst, in nanoseconds. */
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
     * At the far end of a socket it takes a packet's worth of whole frames out of it, as many as are there, and is busy
     * with them, until the socket ends.
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
            // what has not come by then is missed by whoever counts
        }
    }
}
