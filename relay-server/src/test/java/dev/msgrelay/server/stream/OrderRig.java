package dev.msgrelay.server.stream;

import dev.msgrelay.server.harness.Frames;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Ring, batch handler and log, as a relay wires them, driven by hand. */
public final class OrderRig implements AutoCloseable {
    public static final int PACKET = 1460;
    public static final int MAX_BODY = 60_000;
    public static final int CELLS = 4096;

    /** Bytes that a limit of the gate may be behind. */
    public static final int WINDOW = 1000;

    private static final int LOG = 1 << 20;
    private static final int MAX_RUN = MAX_BODY + 8;

    public final WindowGate gate = new WindowGate(WINDOW, new NoWriter(), System::nanoTime);
    public final FrameRing ring;
    public final PacketLog log;
    public final NetworkBatchHandler handler;
    /** The head's position after each call of the handler by {@link #poll}. */
    final List<Long> heads = new ArrayList<>();

    long nanos = 1_000_000;

    final List<Long> nanosOfBatches = new ArrayList<>();

    final RunScan scan = new RunScan(PACKET, MAX_BODY);
    private final Watched watched = new Watched();
    private final int chunk;
    private final ByteBuf memory = Frames.direct(FrameRing.slabBytes(CELLS, MAX_RUN));
    private final Mark head = new Mark();

    public OrderRig() {
        this(64 << 10);
    }

    OrderRig(int chunk) {
        this(chunk, () -> {});
    }

    OrderRig(int chunk, Runnable wakeup) {
        this.chunk = chunk;
        ring = new FrameRing(CELLS, MAX_RUN, memory, wakeup);
        log = new PacketLog(UnpooledByteBufAllocator.DEFAULT, LOG, chunk, PACKET, 8, MAX_RUN, gate, Mark.of(0, 1));
        handler = new NetworkBatchHandler(
                ring, log, gate, new RunScan(PACKET, MAX_BODY), () -> nanos, nanosOfBatches::add);
    }

    void publish(Frames frames) {
        publish(frames, 0);
    }

    /** Publishes frames as one run; {@code each}: the length of every frame, 0 if they differ. */
    void publish(Frames frames, int each) {
        long claim = ring.tryClaim(frames.size());
        if (claim == FrameRing.REFUSED) {
            throw new AssertionError("the ring has no room for " + frames.size() + " bytes");
        }
        ring.put(claim, 0, frames.nativeBuffer(), 0, frames.size());
        ring.publish(claim, frames.size(), each);
    }

    void readInPlace(Frames frames) {
        handler.append(scan.scan(frames.nativeBuffer(), 0, frames.size(), log.openPacketBytes()));
    }

    /** A producer's stage; the consumer is busy, so that small messages gather. */
    RunStage stage() {
        RunStage stage = new RunStage(ring, MAX_BODY, () -> false);
        handler.add(stage);
        return stage;
    }

    /** Takes a batch of the ring without the order, and ends it; returns whether there was anything. */
    boolean poll() {
        boolean any = ring.poll(watched);
        handler.endOfBatch();
        return any;
    }

    Mark head() {
        log.head().read(head);
        return head;
    }

    Mark packetAtOrAfter(long position) {
        Mark found = new Mark();
        if (!log.boundaryAtOrAfter(position, head(), found)) {
            throw new AssertionError("the index does not hold " + position);
        }
        return found;
    }

    byte[] bytes() {
        int length = (int) head().position();
        byte[] bytes = new byte[length];
        for (int at = 0; at < length; at += chunk) {
            Chunk held = log.acquire(at);
            held.memory().getBytes(0, bytes, at, Math.min(chunk, length - at));
            held.release();
        }
        return bytes;
    }

    @Override
    public void close() {
        log.close();
        memory.release();
    }

    public static final class NoWriter implements WindowGate.Writer {
        @Override
        public void signal() {}

        @Override
        public void awaitBetweenSteps() {}
    }

    private final class Watched implements FrameRing.Handler {
        @Override
        public boolean hasRoom() {
            return handler.hasRoom();
        }

        @Override
        public void onEvent(ByteBuffer buffer, int offset, int length, int frameLength) {
            handler.onEvent(buffer, offset, length, frameLength);
            heads.add(head().position());
        }
    }
}
