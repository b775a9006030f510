package dev.msgrelay.server.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Workers;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.memory.ReadWindow;
import dev.msgrelay.server.producers.PublisherName;
import dev.msgrelay.server.stream.FrameRing;
import dev.msgrelay.server.stream.LogReader;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.NetworkBatchHandler;
import dev.msgrelay.server.stream.OrderRig;
import dev.msgrelay.server.stream.PacketLog;
import dev.msgrelay.server.stream.RunScan;
import dev.msgrelay.server.stream.WaitingSources;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a reader loop hands in on its thread comes out of the ring on the core's, whole and in order. */
class RingInletTest {
    private static final int MESSAGES = 30_000;

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final OrderRig rig = new OrderRig();
    private final FrameRing ring = rig.ring;
    private final PacketLog log = rig.log;
    private final NetworkBatchHandler handler = rig.handler;
    private final WaitingSources waiting =
            new WaitingSources(() -> ring.remainingCells() >= ring.cells() / 2, System::nanoTime);
    private final MemoryBudget budget = new MemoryBudget(Map.of(Part.RESTS, 2L * FrameAssembler.SHORT));
    private final Inlet.ToRing inlet =
            new Inlet.ToRing(ring, waiting, RunScan.unpacked(OrderRig.MAX_BODY), new LoopBuffers(allocator, budget, 2));

    @AfterEach
    void close() {
        inlet.buffers().close();
        rig.close();
        assertThat(allocator.metric().usedDirectMemory()).isZero();
        assertThat(budget.pool(Part.RESTS).used()).isZero();
    }

    private RunScan read(byte[] bytes) {
        ReadWindow window = inlet.window(0, bytes.length);
        window.writeBytes(bytes);
        return inlet.walk(window.view(), window.readerIndex(), window.readableBytes(), TypeRanges.ALL);
    }

    @Test
    void whatItTakesIsInTheStreamOnceTheCoreHasDrained() {
        byte[] bytes = new Frames()
                .frame(1, 30)
                .frame(2, 0)
                .frame(3, 9_000)
                .header(4, 100)
                .bytes();
        RunScan span = read(bytes);
        assertThat(span.frames()).isEqualTo(3);
        assertThat(span.rest()).isEqualTo(8);
        assertThat(inlet.handIn(span, PublisherName.NONE)).isTrue();
        assertThat(log.head().position()).isZero();
        handler.drain();
        assertThat(log.head().position()).isEqualTo(bytes.length - 8);
        assertThat(log.lastSequence()).isEqualTo(3);
    }

    @Test
    void aFullRingTakesNothingAndSaysSoBefore() {
        byte[] bytes = new Frames().frame(1, 50_000).bytes();
        int taken = 0;
        while (inlet.handIn(read(bytes), null)) {
            taken++;
        }
        assertThat(taken).isEqualTo(OrderRig.CELLS / FrameRing.cellsOf(bytes.length));
        assertThat(inlet.hasRoom()).isFalse();
        for (int i = 0; i < 10; i++) {
            handler.drain();
        }
        assertThat(inlet.hasRoom()).isTrue();
        assertThat(log.lastSequence()).isEqualTo(taken);
    }

    /** The ring may have been drained between the refusal and the hold: then nobody would look again. */
    @Test
    void whoIsHeldLooksOnceMoreItself() {
        AtomicBoolean resumed = new AtomicBoolean();
        inlet.addWaiting(() -> resumed.set(true));
        assertThat(resumed).isTrue();
        assertThat(waiting.any()).isFalse();
    }

    @Test
    void aReaderThreadAndTheCoreTogetherLoseNothing() throws Exception {
        Workers workers = new Workers();
        AtomicBoolean done = new AtomicBoolean();
        workers.start("reader", () -> {
            Semaphore room = new Semaphore(0);
            int number = 0;
            while (number < MESSAGES) {
                Frames frames = new Frames();
                for (int i = 0; i < 20; i++) {
                    frames.frame(number, number % 2000);
                    number++;
                }
                byte[] bytes = frames.bytes();
                RunScan span = read(bytes);
                assertThat(span.wholeBytes()).isEqualTo(bytes.length);
                // As a connection does: where it is refused, it waits until it is resumed.
                while (!inlet.hasRoom() || !inlet.handIn(span, PublisherName.NONE)) {
                    inlet.addWaiting(room::release);
                    assertThat(room.tryAcquire(Await.LIMIT_SECONDS, TimeUnit.SECONDS))
                            .isTrue();
                }
            }
            done.set(true);
        });
        LogReader reader = new LogReader(log);
        Mark head = new Mark();
        int next = 0;
        while (next < MESSAGES && !workers.failed()) {
            handler.drain();
            if (waiting.any()) {
                waiting.resumeIfRoom();
            }
            log.head().read(head);
            long end = reader.pinAhead(1 << 30, head);
            assertThat(end).isEqualTo(head.position());
            long at = reader.position();
            while (at < end) {
                assertThat(reader.frameType(at)).isEqualTo(next);
                assertThat(reader.frameLength(at)).isEqualTo(8 + next % 2000);
                at += reader.frameLength(at);
                next++;
            }
            reader.moveTo(head);
        }
        workers.join();
        assertThat(next).isEqualTo(MESSAGES);
        assertThat(done).isTrue();
        assertThat(log.lastSequence()).isEqualTo(MESSAGES);
    }
}
