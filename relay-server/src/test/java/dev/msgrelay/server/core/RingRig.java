package dev.msgrelay.server.core;

import dev.msgrelay.server.harness.Frames;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** A ring, and a handler that writes down what it is given. */
final class RingRig implements AutoCloseable {
    /** One call of the handler. */
    record Taken(byte[] bytes) {
        int length() {
            return bytes.length;
        }
    }

    private final ByteBuf memory;
    final FrameRing ring;
    final RunHandler recorder = new Recorder();
    final List<Taken> taken = new ArrayList<>();
    BooleanSupplier ready = () -> true;

    RingRig(int cells, int maxRun) {
        memory = Frames.direct(FrameRing.slabBytes(cells, maxRun));
        ring = new FrameRing(cells, maxRun, memory, () -> {});
    }

    /** Publishes a run; answers whether the ring took it. */
    boolean publish(byte[] run) {
        long claim = claimAndFill(run);
        if (claim == FrameRing.REFUSED) {
            return false;
        }
        ring.publish(claim, run.length, 0);
        return true;
    }

    /** Claims room for a run and copies it, but does not publish it yet. */
    long claimAndFill(byte[] run) {
        long claim = ring.tryClaim(run.length);
        if (claim != FrameRing.REFUSED) {
            ring.put(claim, 0, direct(run), 0, run.length);
        }
        return claim;
    }

    /** Everything handed over since the last call of this. */
    List<Taken> poll() {
        ring.poll(recorder);
        List<Taken> result = new ArrayList<>(taken);
        taken.clear();
        return result;
    }

    /** Bytes that tell a run from any other. */
    static byte[] run(int id, int length) {
        byte[] run = new byte[length];
        for (int i = 0; i < length; i++) {
            run[i] = (byte) (id * 37 + i * 11 + (i >> 7));
        }
        return run;
    }

    static ByteBuffer direct(byte[] bytes) {
        ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).order(ByteOrder.nativeOrder());
        direct.put(bytes).flip();
        return direct;
    }

    @Override
    public void close() {
        memory.release();
    }

    private final class Recorder implements RunHandler {
        @Override
        public boolean makeReady() {
            return ready.getAsBoolean();
        }

        @Override
        public void onEvent(ByteBuffer buffer, int offset, int length, int frameLength) {
            byte[] bytes = new byte[length];
            buffer.get(offset, bytes);
            taken.add(new Taken(bytes));
        }
    }
}
