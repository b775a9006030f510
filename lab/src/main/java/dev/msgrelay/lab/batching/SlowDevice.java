package dev.msgrelay.lab.batching;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.FrameReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;

/** The article's device: takes the same time for every packet, and has it only then. Called by one thread at a time. */
final class SlowDevice implements Sender.NetworkFacade {
    private static final long PACKET_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    private final LongUnaryOperator clock;
    private final Burst.Tally tally;

    private final AtomicLong packets = new AtomicLong();

    /** At the far end of a socket: how often it has read, and when it had what it read last. */
    private long reads;

    private long taken;

    /**
     * @param clock lets so many nanoseconds pass, and tells the time behind them
     */
    SlowDevice(LongUnaryOperator clock, Burst.Tally tally) {
        this.clock = clock;
        this.tally = tally;
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
        long now = take();
        while (packet.hasRemaining()) {
            int start = packet.position();
            int length = FrameLayout.bodyLength(packet, start);
            ByteBuffer body = packet.slice(start + FrameLayout.HEADER_LENGTH, length);
            tally.message(FrameLayout.type(packet, start), body, now);
            packet.position(start + FrameLayout.frameLength(length));
        }
    }

    private long take() {
        long now = clock.applyAsLong(PACKET_NANOS);
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
                        taken = take();
                    }
                    tally.message(type, body, taken);
                });
            } while (n >= 0);
        } catch (IOException e) {
            // what has not come by then is missed by whoever counts
        }
    }
}
