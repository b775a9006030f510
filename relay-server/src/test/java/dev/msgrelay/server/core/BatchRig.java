package dev.msgrelay.server.core;

import com.lmax.disruptor.BusySpinWaitStrategy;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.log.Chunk;
import dev.msgrelay.server.log.Mark;
import dev.msgrelay.server.log.PacketLog;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;

/** Ring, batch handler and log, as a relay wires them, driven by hand. */
final class BatchRig implements AutoCloseable {
    static final int PACKET = 1460;
    static final int MAX_BODY = 60_000;
    private static final int CELLS = 4096;
    private static final int CHUNK = 4096;

    final PacketLog log;
    final FrameRing ring;
    final NetworkBatchHandler handler;
    final RunPoller poller;
    /** The head's position after each call of the handler. */
    final List<Long> heads = new ArrayList<>();

    private final ByteBuf memory;
    private final Mark head = new Mark();

    BatchRig() {
        int maxRun = MAX_BODY + 8;
        memory = Frames.direct(FrameRing.slabBytes(CELLS, maxRun));
        ring = new FrameRing(CELLS, maxRun, memory, new BusySpinWaitStrategy());
        log = new PacketLog(UnpooledByteBufAllocator.DEFAULT, 1 << 20, CHUNK, PACKET, 8, 1 << 20, position -> true);
        handler = new NetworkBatchHandler(log, PACKET, MAX_BODY);
        poller = new RunPoller(ring, new Watched());
    }

    /** Publishes frames as one run. */
    void publish(Frames frames) {
        publish(frames, 0);
    }

    /** Likewise, of frames that are all alike and so long each. */
    void publish(Frames frames, int each) {
        long claim = ring.tryClaim(frames.size());
        ring.put(claim, 0, frames.nativeBuffer(), 0, frames.size());
        ring.publish(claim, frames.size(), each);
    }

    /** Takes a batch of the ring, and ends it; answers whether there was anything. */
    boolean poll() {
        boolean any = poller.poll();
        handler.endOfBatch();
        return any;
    }

    Mark head() {
        log.head().read(head);
        return head;
    }

    /** Where the next packet starts at or behind a position, and its first message's number, as the log knows it. */
    Mark packetAtOrBehind(long position) {
        Mark found = new Mark();
        if (!log.boundaryAtOrBehind(position, head(), found)) {
            throw new AssertionError("the index does not hold " + position);
        }
        return found;
    }

    /** All bytes up to the head. */
    byte[] bytes() {
        int length = (int) head().position();
        byte[] bytes = new byte[length];
        for (int at = 0; at < length; at += CHUNK) {
            Chunk chunk = log.acquire(at);
            chunk.memory().getBytes(0, bytes, at, Math.min(CHUNK, length - at));
            chunk.release();
        }
        return bytes;
    }

    @Override
    public void close() {
        log.close();
        memory.release();
    }

    private final class Watched implements RunHandler {
        @Override
        public boolean makeReady() {
            return handler.makeReady();
        }

        @Override
        public void onEvent(Run run) {
            handler.onEvent(run);
            heads.add(head().position());
        }
    }
}
