package dev.msgrelay.server.stream;

import dev.msgrelay.server.harness.Frames;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** A ring, and a handler that writes down what it is given. */
final class RingRig implements AutoCloseable {
    private final ByteBuf memory;
    final FrameRing ring;
    final FrameRing.Handler recorder = new Recorder();
    final List<byte[]> taken = new ArrayList<>();

    BooleanSupplier ready = () -> true;

    RingRig(int cells, int maxRun) {
        memory = Frames.direct(FrameRing.slabBytes(cells, maxRun));
        ring = new FrameRing(cells, maxRun, memory, () -> {});
    }

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

    List<byte[]> poll() {
        ring.poll(recorder);
        List<byte[]> result = new ArrayList<>(taken);
        taken.clear();
        return result;
    }

    List<Integer> pollLengths() {
        List<Integer> lengths = new ArrayList<>();
        while (!ring.isEmpty()) {
            poll().forEach(run -> lengths.add(run.length));
        }
        return lengths;
    }

    void fill() {
        while (publish(run(9, 8000)) || publish(new byte[40])) {
            // Until it is full.
        }
    }

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

    private final class Recorder implements FrameRing.Handler {
        @Override
        public boolean hasRoom() {
            return ready.getAsBoolean();
        }

        @Override
        public void onEvent(ByteBuffer buffer, int offset, int length, int frameLength) {
            byte[] bytes = new byte[length];
            buffer.get(offset, bytes);
            taken.add(bytes);
        }
    }
}
