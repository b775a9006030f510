package dev.msgrelay.server.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.harness.Workers;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who takes what has gathered, and when: the consumer that is awake, or the producer that finds it asleep. */
@Timeout(60)
class RunStageTest {
    private static final int MAX_BODY = 100;
    private static final int FRAME = 8 + 4;
    private static final long STRANDED_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final RingRig rig = new RingRig(512, 8192);
    private final List<Integer> handed = new ArrayList<>();
    private final RunHandler handler = new RunHandler() {
        @Override
        public boolean makeReady() {
            return true;
        }

        @Override
        public void onEvent(Run run, long sequence, boolean endOfBatch) {
            for (int at = 0; at < run.length(); at += FRAME) {
                handed.add(Integer.reverseBytes(run.buffer().getInt(run.offset() + at + 8)));
            }
        }
    };

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void messagesGatherWhileTheConsumerIsAwake() {
        RunStage stage = stage(() -> false);
        assertThat(put(stage, 1)).isTrue();
        assertThat(put(stage, 2)).isTrue();
        assertThat(rig.ring.isEmpty()).isTrue();
        assertThat(stage.ready()).isTrue();
        assertThat(stage.take(handler)).isTrue();
        assertThat(handed).containsExactly(1, 2);
        assertThat(stage.ready()).isFalse();
    }

    /** Somebody else may have the ring's memory by then. */
    @Test
    void whoIsClosedAfterTheRelayDoesNotTouchTheRing() {
        RunStage stage = stage(() -> true);
        RunStage full = stage(() -> false);
        assertThat(put(full, 1)).isTrue();
        full.drop();
        stage.drop();
        full.end();
        stage.end();
        assertThat(put(full, 2)).isFalse();
        assertThat(put(stage, 3)).isFalse();
        assertThat(rig.ring.isEmpty()).isTrue();
        assertThat(full.isDone()).isTrue();
    }

    @Test
    void aMessageGoesIntoTheRingOfAConsumerThatSleeps() {
        RunStage stage = stage(() -> rig.ring.isEmpty());
        put(stage, 1);
        assertThat(rig.ring.hasNext()).isTrue();
        assertThat(stage.ready()).isFalse();
        assertThat(rig.poll()).hasSize(1);
    }

    @Test
    void theProducerLooksWhetherTheConsumerSleepsOnlyAfterItLetGo() {
        List<Boolean> free = new ArrayList<>();
        RunStage[] stage = new RunStage[1];
        stage[0] = stage(() -> free.add(stage[0].ready() && stage[0].take(handler)));
        put(stage[0], 7);
        assertThat(free).containsExactly(true);
        assertThat(handed).containsExactly(7);
        assertThat(stage[0].waiting()).isFalse();
    }

    @Test
    void whatCameLaterIsNotReadyBeforeWhatLiesInTheRing() {
        AtomicBoolean asleep = new AtomicBoolean(true);
        RunStage stage = stage(() -> asleep.getAndSet(false));
        put(stage, 1);
        put(stage, 2);
        assertThat(stage.ready()).isFalse();
        assertThat(stage.take(handler)).isFalse();
        rig.poll();
        assertThat(stage.ready()).isTrue();
        assertThat(stage.take(handler)).isTrue();
        assertThat(handed).containsExactly(2);
    }

    @Test
    void aClaimThatIsNotPublishedIsNothingToPollFor() {
        long claim = rig.claimAndFill(RingRig.run(1, 20));
        assertThat(rig.ring.hasNext()).isFalse();
        assertThat(rig.ring.isEmpty()).isFalse();
        rig.ring.publish(claim, 20);
        assertThat(rig.ring.hasNext()).isTrue();
    }

    @Test
    void anEndedStageHasGivenAllItHad() {
        RunStage stage = stage(() -> false);
        put(stage, 1);
        stage.end();
        assertThat(put(stage, 2)).isFalse();
        assertThat(stage.isDone()).isTrue();
        assertThat(rig.poll()).hasSize(1);
    }

    @Test
    void noMessageIsStrandedWhereTheConsumerSleepsAsSoonAsItMay() throws InterruptedException {
        int messages = 200_000;
        Sleeper sleeper = new Sleeper();
        RunStage stage = stage(sleeper);
        Workers workers = new Workers();
        workers.start("producer", () -> {
            for (int i = 0; i < messages; i++) {
                while (!put(stage, i)) {
                    Thread.yield();
                }
            }
        });
        RunPoller poller = new RunPoller(rig.ring, handler);
        while (handed.size() < messages && !workers.failed()) {
            if (!poller.poll() && !stage.take(handler)) {
                sleeper.sleepUnless(() -> rig.ring.hasNext() || stage.ready(), rig.ring);
            }
        }
        workers.join();
        for (int i = 0; i < messages; i++) {
            assertThat(handed.get(i)).isEqualTo(i);
        }
    }

    /** A loop that sleeps until something is published, and would sleep for ever where nobody tells it. */
    private static final class Sleeper implements BooleanSupplier {
        private final AtomicBoolean parked = new AtomicBoolean();

        @Override
        public boolean getAsBoolean() {
            return parked.get();
        }

        void sleepUnless(BooleanSupplier pending, FrameRing ring) {
            parked.set(true);
            if (!pending.getAsBoolean()) {
                long deadline = System.nanoTime() + STRANDED_NANOS;
                while (!ring.hasNext()) {
                    if (System.nanoTime() - deadline > 0) {
                        throw new AssertionError("nobody woke the consumer");
                    }
                    Thread.yield();
                }
            }
            parked.set(false);
        }
    }

    private RunStage stage(BooleanSupplier asleep) {
        return new RunStage(rig.ring, MAX_BODY, asleep);
    }

    private static boolean put(RunStage stage, int number) {
        ByteBuffer body = ByteBuffer.allocate(4).putInt(0, number);
        return stage.put(1, body, body.remaining());
    }
}
