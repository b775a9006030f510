package dev.msgrelay.lab.batching;

import dev.msgrelay.protocol.FrameLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicLong;

/** The article's device: takes the same time for every packet, and has it only then. Called by one thread at a time. */
final class SlowDevice implements Sender.NetworkFacade {
    private final long nanosPerPacket;
    private final Time time;
    private final Acknowledged acknowledged;
    private final AtomicLong packets = new AtomicLong();

    /** The clock that a device lives by. */
    interface Time {
        /** Real time; waiting gives way to other threads, as a thread that waits for a device would. */
        Time REAL = new Time() {
            @Override
            public long nanos() {
                return System.nanoTime();
            }

            @Override
            public void awaitMoment(long moment) {
                while (System.nanoTime() < moment) {
                    Thread.yield();
                }
            }
        };

        long nanos();

        void awaitMoment(long moment);
    }

    /** Hears of every message that the device has. */
    @FunctionalInterface
    interface Acknowledged {
        /**
         * @param body between position and limit
         * @param nanos when the packet was acknowledged
         */
        void message(int type, ByteBuffer body, long nanos);
    }

    SlowDevice(long nanosPerPacket, Time time, Acknowledged acknowledged) {
        this.nanosPerPacket = nanosPerPacket;
        this.time = time;
        this.acknowledged = acknowledged;
    }

    @Override
    public void send(ByteBuffer packet) {
        time.awaitMoment(time.nanos() + nanosPerPacket);
        long now = time.nanos();
        packets.incrementAndGet();
        while (packet.hasRemaining()) {
            int start = packet.position();
            int type = FrameLayout.type(packet, start);
            int end = start + FrameLayout.frameLength(FrameLayout.bodyLength(packet, start));
            ByteBuffer body = packet.duplicate();
            body.limit(end).position(start + FrameLayout.HEADER_LENGTH);
            acknowledged.message(type, body, now);
            packet.position(end);
        }
    }

    /** Packets so far. Any thread may ask. */
    long packets() {
        return packets.get();
    }

    /**
     * A device at the far end of a socket: takes a packet's worth of whole frames out of it, as many as are there, and is
     * busy with them, until the socket ends.
     */
    static void behind(SocketChannel socket, Sender.NetworkFacade device, int maxPacketSize) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(maxPacketSize);
        try (socket) {
            while (socket.read(buffer) >= 0) {
                buffer.flip();
                int end = wholeFrames(buffer);
                if (end > 0) {
                    device.send(buffer.slice(0, end));
                }
                buffer.position(end).compact();
            }
        } catch (IOException e) {
            // what has not come by then is missed by whoever counts
        }
    }

    private static int wholeFrames(ByteBuffer buffer) {
        int end = 0;
        int limit = buffer.limit();
        while (limit - end >= FrameLayout.HEADER_LENGTH) {
            int next = end + FrameLayout.frameLength(FrameLayout.bodyLength(buffer, end));
            if (next > limit) {
                break;
            }
            end = next;
        }
        return end;
    }
}
