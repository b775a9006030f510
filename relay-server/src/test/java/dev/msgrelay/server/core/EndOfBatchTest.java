package dev.msgrelay.server.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.lmax.disruptor.BusySpinWaitStrategy;
import dev.msgrelay.server.flow.WindowGate;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.log.PacketLog;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The head moves at the end of a batch, and nowhere else: also where the gate refuses in the middle of one. */
class EndOfBatchTest {
    private static final int CELLS = 4096;
    private static final int MAX_BODY = 60_000;
    private static final int CHUNK = 64 << 10;
    private static final int WINDOW = 1000;
    private static final int FRAME = 1000;

    private final ByteBuf memory = Frames.direct(FrameRing.slabBytes(CELLS, MAX_BODY + 8));
    private final FrameRing ring = new FrameRing(CELLS, MAX_BODY + 8, memory, new BusySpinWaitStrategy());
    private final WindowGate gate = new WindowGate(
            WINDOW,
            new WindowGate.Writer() {
                @Override
                public void signal() {}

                @Override
                public void awaitBetweenSteps() {}
            },
            System::nanoTime);
    private final PacketLog log =
            new PacketLog(UnpooledByteBufAllocator.DEFAULT, 16 * CHUNK, CHUNK, 1460, 4, MAX_BODY + 8, gate);
    private final Order order = new Order(ring, new NetworkBatchHandler(log, 1460, MAX_BODY), gate, log);
    private final RunScan scan = new RunScan(1460, MAX_BODY);
    // Of a subscriber that holds the publishers back: it has read all that it sees.
    private long reader;

    @AfterEach
    void close() {
        log.close();
        memory.release();
    }

    private void publish(int type) {
        Frames frames = new Frames().frame(type, FRAME - 8);
        long claim = ring.tryClaim(frames.size());
        ring.put(claim, 0, frames.nativeBuffer(), 0, frames.size());
        ring.publish(claim, frames.size(), 0);
    }

    private void readInPlace(int type) {
        Frames frames = new Frames().frame(type, FRAME - 8);
        order.take(scan.scan(frames.nativeBuffer(), 0, frames.size(), order.openPacketBytes()));
    }

    /** One cycle of the core, and the reader gets what it sees; answers how much that is. */
    private long cycle() {
        order.drain();
        assertThat(log.head().position()).as("all that is packed").isEqualTo(log.endPosition());
        reader = log.head().position();
        return reader;
    }

    @Test
    void theGateRefusesInTheMiddleOfABatch() {
        gate.add(() -> reader);
        for (int i = 0; i < 7; i++) {
            publish(i);
        }
        assertThat(cycle()).as("the window, and one run").isEqualTo(2 * FRAME);
        assertThat(ring.hasNext()).isTrue();
        assertThat(cycle()).isEqualTo(4 * FRAME);
        assertThat(cycle()).isEqualTo(6 * FRAME);
        assertThat(cycle()).isEqualTo(7 * FRAME);
        assertThat(order.isEmpty()).isTrue();
    }

    @Test
    void theGateRefusesBehindWhatWasReadInPlace() {
        gate.add(() -> reader);
        readInPlace(1);
        assertThat(order.makeReady()).isTrue();
        readInPlace(2);
        assertThat(order.makeReady()).isFalse();
        publish(3);
        assertThat(log.head().position()).as("in the middle of a batch").isZero();
        assertThat(cycle()).isEqualTo(2 * FRAME);
        assertThat(cycle()).isEqualTo(3 * FRAME);
    }

    @Test
    void theGateRefusesWhatHasGatheredInAStage() {
        gate.add(() -> reader);
        RunStage[] stages = {new RunStage(ring, MAX_BODY, () -> false), new RunStage(ring, MAX_BODY, () -> false)};
        for (RunStage stage : stages) {
            order.add(stage);
            assertThat(stage.put(1, ByteBuffer.allocate(FRAME - 8), FRAME - 8)).isTrue();
        }
        readInPlace(2);
        assertThat(cycle()).as("one of the stages").isEqualTo(2 * FRAME);
        assertThat(cycle()).isEqualTo(3 * FRAME);
        assertThat(order.isEmpty()).isTrue();
    }

    @Test
    void readsInPlaceRunsOfTheRingAndStagesAreOneBatch() {
        RunStage stage = new RunStage(ring, MAX_BODY, () -> false);
        order.add(stage);
        readInPlace(1);
        assertThat(stage.put(2, ByteBuffer.allocate(FRAME - 8), FRAME - 8)).isTrue();
        assertThat(log.head().position()).isZero();
        assertThat(cycle()).isEqualTo(2 * FRAME);
        readInPlace(3);
        publish(4);
        assertThat(log.head().position()).isEqualTo(2 * FRAME);
        assertThat(cycle()).isEqualTo(4 * FRAME);
    }

    /** A claim that a producer has given up is no run. */
    @Test
    void anAbandonedClaimIsPassedOver() {
        long claim = ring.tryClaim(200);
        publish(1);
        ring.abandon(claim, 200);
        assertThat(cycle()).isEqualTo(FRAME);
        assertThat(order.isEmpty()).isTrue();
    }
}
