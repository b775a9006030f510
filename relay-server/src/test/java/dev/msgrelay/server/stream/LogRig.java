package dev.msgrelay.server.stream;

import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A small log whose byte at every position follows from the position. */
final class LogRig implements AutoCloseable {
    static final int CHUNK = 1024;
    static final int LOG = 4 * CHUNK;
    static final int PACKET = 300;

    /** Not watched for leaks, which would record a stack trace at every retain and release; its memory is measured. */
    final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);

    final PacketLog log;

    LogRig() {
        this(8, LOG, position -> true);
    }

    /** @param pinned chunks that readers may hold besides; {@code maxRun} is the longest run */
    LogRig(int pinned, int maxRun, PacketLog.Gate gate) {
        log = new PacketLog(allocator, LOG, CHUNK, PACKET, pinned, maxRun, gate, Mark.of(0, 1));
    }

    void append(int length) {
        ByteBuffer source = ByteBuffer.allocateDirect(length + 3).order(ByteOrder.nativeOrder());
        for (int i = 0; i < length; i++) {
            source.put(3 + i, at(log.endPosition() + i));
        }
        log.append(source, 3, length, 1);
        log.publish();
    }

    void fillTo(long position, int length) {
        while (log.endPosition() < position) {
            append((int) Math.min(length, position - log.endPosition()));
        }
    }

    static byte at(long position) {
        return (byte) (position * 13 + (position >> 8));
    }

    /** Whether the bytes from {@code from} to {@code to}, all within this chunk, are those of the stream. */
    boolean matches(Chunk chunk, long from, long to) {
        ByteBuffer view = chunk.view();
        int offset = log.offsetInChunk(from);
        for (long p = from; p < to; p++) {
            if (view.get(offset++) != at(p)) {
                return false;
            }
        }
        return true;
    }

    long memory() {
        return allocator.metric().usedDirectMemory();
    }

    @Override
    public void close() {
        log.close();
    }
}
