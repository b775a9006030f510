package dev.msgrelay.loadgen.lab.batching;

import dev.msgrelay.protocol.FrameLayout;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

/** The article's device: takes the same time for every packet, and has it only then. Called by one thread at a time. */
final class SlowDevice implements NetworkFacade {
    private final long nanosPerPacket;
    private final DeviceTime time;
    private final Acknowledged acknowledged;
    private final AtomicLong packets = new AtomicLong();

    /** Hears of every message that the device has. */
    @FunctionalInterface
    interface Acknowledged {
        /**
         * @param body between position and limit
         * @param nanos when the packet was acknowledged
         */
        void message(int type, ByteBuffer body, long nanos);
    }

    SlowDevice(long nanosPerPacket, DeviceTime time, Acknowledged acknowledged) {
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
}
