package dev.msgrelay.server.stream;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledHeapByteBuf;
import java.nio.ByteBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A reader takes hold of the chunk at the tail while the writer drops it and would like to write it anew. */
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "got it, and nobody wrote to it meanwhile")
@Outcome(id = "-1, -1", expect = Expect.ACCEPTABLE, desc = "the log has moved on")
@Outcome(expect = Expect.FORBIDDEN, desc = "overwritten under the reader")
@State
public class AcquireChunkStress {
    private static final int CHUNK = 64;
    private static final int PACKET = 32;

    private final PacketLog log =
            new PacketLog(new Heap(), 2 * CHUNK, CHUNK, PACKET, 1, CHUNK, position -> true, Mark.of(0, 1));

    public AcquireChunkStress() {
        append(1);
    }

    private void append(int value) {
        ByteBuffer run = ByteBuffer.allocate(CHUNK);
        for (int i = 0; i < CHUNK; i++) {
            run.put(i, (byte) value);
        }
        log.append(run, 0, CHUNK, 1);
    }

    @Actor
    public void writer() {
        append(2);
        append(3);
        append(4);
    }

    @Actor
    public void reader(II_Result result) {
        Chunk chunk = log.acquire(0);
        result.r1 = chunk == null ? -1 : chunk.view().get(0);
        result.r2 = chunk == null ? -1 : chunk.view().get(CHUNK - 1);
        if (chunk != null) {
            chunk.release();
        }
    }

    /** Millions of logs are made: none of them is closed, so their memory is the collector's. */
    private static final class Heap extends AbstractByteBufAllocator {
        @Override
        protected ByteBuf newHeapBuffer(int initial, int max) {
            return new UnpooledHeapByteBuf(this, initial, max);
        }

        @Override
        protected ByteBuf newDirectBuffer(int initial, int max) {
            return newHeapBuffer(initial, max);
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }
    }
}
