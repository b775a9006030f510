package dev.msgrelay.server.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Workers;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Who takes what has gathered, and when: the consumer that is awake, or the producer that finds it asleep. */
class RunStageTest {
    private static final int MAX_BODY = 100;
    private static final int FRAME = 8 + 4;

    @AutoClose
    private final RingRig rig = new RingRig(512, 8192);

    private final List<Integer> handed = new ArrayList<>();
    private final List<Integer> lengthsOfEach = new ArrayList<>();
    private RuntimeException failure;
    private final FrameRing.Handler handler = new FrameRing.Handler() {
        @Override
        public boolean hasRoom() {
            return true;
        }

        @Override
        public void onEvent(ByteBuffer buffer, int offset, int length, int frameLength) {
            if (failure != null) {
                throw failure;
            }
            lengthsOfEach.add(frameLength);
            for (int at = 0; at < length; at += FRAME) {
                handed.add(Integer.reverseBytes(buffer.getInt(offset + at + 8)));
            }
        }
    };

    private final RunStage stage = stage(() -> false);

    @Test
    void messagesGatherWhileTheConsumerIsAwake() {
        assertThat(put(stage, 1)).isTrue();
        assertThat(put(stage, 2)).isTrue();
        assertThat(rig.ring.isEmpty()).isTrue();
        assertThat(stage.ready()).isTrue();
        assertTaken(1, 2);
        assertThat(stage.ready()).isFalse();
    }

    /** Somebody else may have the ring's memory by then. */
    @Test
    void whoIsClosedAfterTheRelayDoesNotTouchTheRing() {
        RunStage sleeper = stage(() -> true);
        assertThat(put(stage, 1)).isTrue();
        stage.drop();
        sleeper.drop();
        stage.close();
        sleeper.close();
        assertThat(put(stage, 2)).isFalse();
        assertThat(put(sleeper, 3)).isFalse();
        assertThat(rig.ring.isEmpty()).isTrue();
        assertDone(stage);
    }

    @Test
    void aProducerThatIsDroppedMeanwhileTouchesTheRingNoMore() throws InterruptedException {
        for (int round = 0; round < 50; round++) {
            RunStage sleeper = stage(() -> true);
            AtomicInteger puts = new AtomicInteger();
            AtomicBoolean ends = new AtomicBoolean();
            Workers producer = new Workers().start("producer", () -> {
                while (!ends.get()) {
                    put(sleeper, 1);
                    sleeper.put(1, ByteBuffer.allocate(3000), 3000);
                    puts.incrementAndGet();
                }
            });
            int before = round % 20;
            while (puts.get() <= before) {
                rig.pollLengths();
            }
            sleeper.drop();
            long room = rig.ring.remainingCells();
            int dropped = puts.get();
            Await.until("more puts", () -> puts.get() > dropped + 2);
            ends.set(true);
            producer.join();
            sleeper.close();
            assertThat(rig.ring.remainingCells()).isEqualTo(room);
        }
    }

    @Test
    void aMessageGoesIntoTheRingOfAConsumerThatSleeps() {
        RunStage sleeps = stage(() -> rig.ring.isEmpty());
        put(sleeps, 1);
        assertThat(rig.ring.hasNext()).isTrue();
        assertThat(sleeps.ready()).isFalse();
        assertThat(rig.poll()).hasSize(1);
    }

    @Test
    void theProducerLooksWhetherTheConsumerSleepsOnlyAfterItLetGo() {
        List<Boolean> free = new ArrayList<>();
        RunStage[] looked = new RunStage[1];
        looked[0] = stage(() -> free.add(looked[0].ready() && looked[0].drainTo(handler)));
        put(looked[0], 7);
        assertThat(free).containsExactly(true);
        assertThat(handed).containsExactly(7);
        assertThat(looked[0].waiting()).isFalse();
    }

    @Test
    void whatCameLaterIsNotReadyBeforeWhatLiesInTheRing() {
        AtomicBoolean asleep = new AtomicBoolean(true);
        RunStage late = stage(() -> asleep.getAndSet(false));
        put(late, 1);
        put(late, 2);
        assertThat(late.ready()).isFalse();
        assertThat(late.drainTo(handler)).isFalse();
        rig.poll();
        assertThat(late.ready()).isTrue();
        assertThat(late.drainTo(handler)).isTrue();
        assertThat(handed).containsExactly(2);
    }

    /** The caller's own thread may have changed it meanwhile, or its file was cut off: the copy fails. */
    @Test
    void whatCannotBeCopiedIsNotTakenAndHoldsUpNobody() {
        ByteBuffer gone = ByteBuffer.allocate(4);
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> stage.put(1, gone, 100));
        assertThat(stage.waiting()).as("a message that gathers").isFalse();
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> stage.putRun(gone, 100));
        assertThat(stage.waiting()).as("a run that gathers").isFalse();
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> stage.put(1, gone, 3000));
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> stage.putRun(gone, 3000));
        assertThat(stage.waiting()).as("claims of the ring").isFalse();
        rig.publish(RingRig.run(1, 20));
        assertThat(rig.pollLengths()).filteredOn(run -> run > 0).hasSize(1);
        assertThat(put(stage, 1)).isTrue();
        assertTaken(1);
    }

    /** The order is in doubt then, and the relay ends: whoever ends the stage needs its word. */
    @Test
    void aHandlerThatFailsLeavesTheStageFree() {
        put(stage, 1);
        failure = new IllegalStateException("provoked by a test");
        assertThatIllegalStateException().isThrownBy(() -> stage.drainTo(handler));
        assertThat(stage.ready()).isTrue();
        stage.close();
        assertDone(stage);
    }

    @Test
    void anEndedStageHasGivenAllItHad() {
        put(stage, 1);
        stage.close();
        assertThat(put(stage, 2)).isFalse();
        assertDone(stage);
        assertThat(rig.poll()).hasSize(1);
    }

    /** As many as it has memory for; the next one has all of them go into the ring first, as one run. */
    @Test
    void whatNoLongerFitsGoesIntoTheRing() {
        int fit = RunStage.CAPACITY / FRAME;
        for (int i = 0; i < fit; i++) {
            assertThat(put(stage, i)).isTrue();
        }
        assertThat(rig.ring.isEmpty()).isTrue();
        assertThat(put(stage, fit)).isTrue();
        assertThat(rig.pollLengths()).containsExactly(fit * FRAME);
        assertTaken(fit);
    }

    @Test
    void itsMemoryIsUsedUpToTheLastByte() {
        int body = RunStage.SMALL_RUN - 8;
        for (int i = 0; i < RunStage.CAPACITY / RunStage.SMALL_RUN; i++) {
            assertThat(stage.put(1, ByteBuffer.allocate(body), body)).isTrue();
        }
        assertThat(rig.ring.isEmpty()).isTrue();
        // One byte more is worth a claim of its own, behind what has gathered.
        assertThat(stage.put(1, ByteBuffer.allocate(body + 1), body + 1)).isTrue();
        assertThat(stage.waiting()).isFalse();
        assertThat(rig.pollLengths()).containsExactly(RunStage.CAPACITY, body + 9);
    }

    @Test
    void aFullRingTakesNothingAndNothingIsLost() {
        put(stage, 1);
        rig.fill();
        assertThat(stage.put(1, ByteBuffer.allocate(3000), 3000)).isFalse();
        assertThat(stage.putRun(frames(4000), 4000 / FRAME * FRAME)).isFalse();
        rig.pollLengths();
        assertTaken(1);
    }

    @Test
    void runsGatherWithMessagesAndLongOnesDoNot() {
        put(stage, 0);
        assertThat(stage.putRun(frames(10 * FRAME), 10 * FRAME)).isTrue();
        assertThat(rig.ring.isEmpty()).isTrue();
        int length = (RunStage.SMALL_RUN / FRAME + 1) * FRAME;
        assertThat(stage.putRun(frames(length), length)).isTrue();
        assertThat(stage.waiting()).isFalse();
        assertThat(rig.pollLengths()).containsExactly(11 * FRAME, length);
    }

    @Test
    void aRunThatIsNotWholeFramesIsRefusedAsAWhole() {
        put(stage, 1);
        int length = (RunStage.SMALL_RUN / FRAME + 1) * FRAME;
        for (int bytes : new int[] {FRAME, length}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> stage.putRun(frames(bytes), bytes - 1))
                    .withMessage("run of " + (bytes - 1) + " bytes: does not end with a whole frame");
            ByteBuffer tooLong = frames(bytes);
            tooLong.putInt(bytes - FRAME + 4, MAX_BODY + 1);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> stage.putRun(tooLong, bytes))
                    .withMessageContainingAll("101", "limit of 100");
        }
        put(stage, 2);
        assertThat(rig.pollLengths()).filteredOn(bytes -> bytes > 0).containsExactly(FRAME);
        assertTaken(2);
        stage.close();
        assertThat(stage.putRun(frames(FRAME), FRAME)).isFalse();
        assertThat(stage.put(1, ByteBuffer.allocate(3000), 3000)).isFalse();
    }

    @Test
    void whetherAllFramesAreAlikeIsKnown() {
        put(stage, 1);
        put(stage, 2);
        assertThat(stage.putRun(frames(2 * FRAME), 2 * FRAME)).isTrue();
        assertThat(stage.drainTo(handler)).isTrue();
        put(stage, 1);
        stage.put(1, ByteBuffer.allocate(16), 16);
        put(stage, 2);
        assertThat(stage.drainTo(handler)).isTrue();
        assertThat(stage.drainTo(handler)).as("nothing is left").isFalse();
        put(stage, 2);
        assertThat(stage.drainTo(handler)).isTrue();
        int large = RunStage.SMALL_RUN - 8;
        for (int i = 0; i < RunStage.CAPACITY / RunStage.SMALL_RUN; i++) {
            stage.put(1, ByteBuffer.allocate(large), large);
        }
        assertThat(rig.pollLengths()).containsExactly(3 * RunStage.SMALL_RUN);
        assertThat(stage.drainTo(handler)).as("the memory has begun again").isTrue();
        assertThat(lengthsOfEach).containsExactly(FRAME, 0, 0, RunStage.SMALL_RUN);
    }

    @Test
    void aLongMessageIsInTheRingAsItIs() {
        byte[] body = RingRig.run(5, 3000);
        assertThat(stage.put(77, ByteBuffer.allocate(3010).put(7, body).position(7), 3000))
                .isTrue();
        ByteBuffer run = ByteBuffer.wrap(rig.poll().get(0));
        assertThat(run.getInt()).isEqualTo(77);
        assertThat(run.getInt()).isEqualTo(3000);
        assertThat(run).isEqualTo(ByteBuffer.wrap(body));
    }

    @Test
    void aRunThatFitsExactlyGathers() {
        int frame = RunStage.SMALL_RUN / 16;
        ByteBuffer run = ByteBuffer.allocateDirect(RunStage.SMALL_RUN);
        for (int at = 0; at < run.capacity(); at += frame) {
            run.putInt(at, 1).putInt(at + 4, frame - 8);
        }
        RunStage wide = new RunStage(rig.ring, frame, () -> false);
        for (int i = 0; i < RunStage.CAPACITY / RunStage.SMALL_RUN; i++) {
            assertThat(wide.putRun(run, run.capacity())).isTrue();
            assertThat(rig.ring.isEmpty()).isTrue();
        }
        assertThat(wide.putRun(run, run.capacity())).isTrue();
        assertThat(rig.pollLengths()).containsExactly(RunStage.CAPACITY);
        assertThat(wide.ready()).isTrue();
    }

    private static ByteBuffer frames(int bytes) {
        return numbered(0, bytes / FRAME + 1);
    }

    private static ByteBuffer numbered(int first, int count) {
        ByteBuffer frames = ByteBuffer.allocateDirect(count * FRAME);
        for (int i = 0; i < count; i++) {
            frames.putInt(i * FRAME, 1).putInt(i * FRAME + 4, 4).putInt(i * FRAME + 8, first + i);
        }
        return frames;
    }

    @Test
    void noMessageIsStrandedWhereTheConsumerSleepsAsSoonAsItMay() throws InterruptedException {
        int messages = 200_000;
        Sleeper sleeper = new Sleeper();
        RunStage sleeps = stage(sleeper);
        Workers workers = new Workers();
        workers.start("producer", () -> {
            int i = 0;
            while (i < messages) {
                // One by one, in short runs, and now and then in one that is worth a claim of its own.
                int count = Math.min(messages - i, i % 3 == 0 ? 1 : i % 100 == 1 ? 200 : 10);
                ByteBuffer run = numbered(i, count);
                while (!(count == 1 ? put(sleeps, i) : sleeps.putRun(run, count * FRAME))) {
                    Thread.yield();
                }
                i += count;
            }
        });
        while (handed.size() < messages && !workers.failed()) {
            if (!rig.ring.poll(handler) && !sleeps.drainTo(handler)) {
                sleeper.sleepUnless(() -> rig.ring.hasNext() || sleeps.ready(), rig.ring, sleeps);
            }
        }
        workers.join();
        for (int i = 0; i < messages; i++) {
            assertThat(handed.get(i)).isEqualTo(i);
        }
    }

    /** Both at the same moment, again and again: the consumer finds the message, or is told of it. */
    @Test
    void aPutAndAConsumerThatFallsAsleepDoNotMissEachOther() throws InterruptedException {
        int rounds = 50_000;
        AtomicBoolean parked = new AtomicBoolean();
        AtomicInteger began = new AtomicInteger();
        AtomicInteger put = new AtomicInteger();
        RunStage sleeps = stage(parked::get);
        Workers workers = new Workers();
        workers.start("producer", () -> {
            for (int round = 1; round <= rounds; round++) {
                await(began, round, workers);
                put(sleeps, round);
                put.set(round);
            }
        });
        int missed = 0;
        for (int round = 1; round <= rounds; round++) {
            began.set(round);
            for (int spins = round % 32; spins > 0; spins--) {
                Thread.onSpinWait();
            }
            parked.set(true);
            boolean found = rig.ring.hasNext() || sleeps.waiting();
            await(put, round, workers);
            if (!found && !rig.ring.hasNext()) {
                missed++;
            }
            parked.set(false);
            while (sleeps.waiting() || !rig.ring.isEmpty()) {
                rig.ring.poll(handler);
                sleeps.drainTo(handler);
            }
        }
        workers.join();
        assertThat(missed)
                .as("messages that nobody told the sleeping consumer of")
                .isZero();
        assertThat(handed).hasSize(rounds);
    }

    private static void await(AtomicInteger other, int round, Workers workers) {
        for (int looks = 1; other.get() < round && !workers.failed(); looks++) {
            if (looks % 1000 == 0) {
                Thread.yield();
            }
        }
    }

    /** A loop that sleeps until something is published; without a word it wakes only where it may get more. */
    private static final class Sleeper implements BooleanSupplier {
        private final AtomicBoolean parked = new AtomicBoolean();

        @Override
        public boolean getAsBoolean() {
            return parked.get();
        }

        void sleepUnless(BooleanSupplier pending, FrameRing ring, RunStage stage) {
            parked.set(true);
            if (!pending.getAsBoolean()) {
                long now = System.nanoTime();
                boolean looksAgain = !stage.isSettled(now) || stage.waiting();
                long end = now + (looksAgain ? RunStage.MOMENT_NANOS : Await.LIMIT_NANOS);
                while (!ring.hasNext() && System.nanoTime() - end < 0) {
                    Thread.yield();
                }
                if (!looksAgain && !ring.hasNext()) {
                    throw new AssertionError("nobody woke the consumer");
                }
            }
            parked.set(false);
        }
    }

    private RunStage stage(BooleanSupplier asleep) {
        return new RunStage(rig.ring, MAX_BODY, asleep);
    }

    private static void assertDone(RunStage closed) {
        assertThat(closed.isDone(0)).as("a put may be under way").isFalse();
        assertThat(closed.isDone(RunStage.MOMENT_NANOS)).isTrue();
    }

    private void assertTaken(Integer... numbers) {
        assertThat(stage.drainTo(handler)).isTrue();
        assertThat(handed).containsExactly(numbers);
    }

    private static boolean put(RunStage stage, int number) {
        ByteBuffer body = ByteBuffer.allocate(4).putInt(0, number);
        return stage.put(1, body, body.remaining());
    }
}
