package dev.msgrelay.server.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.connection.EngineLoop;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Workers;
import io.netty.channel.nio.NioIoHandler;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Producers with stages, and a core that really sleeps, with neither sockets nor a tick of its own. A message that a
 * producer leaves behind would wait for ever.
 */
class SleepingCoreTest {
    private static final int LENGTH = 20;

    private final EngineLoop core = new EngineLoop("core", NioIoHandler.newFactory());
    private final OrderRig rig = new OrderRig(64 << 10, core::signal);
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final Workers workers = new Workers();
    private final Random random = Seeds.random("SleepingCoreTest");

    @BeforeEach
    void start() {
        rig.nanos = System.nanoTime();
        core.duty(
                new EngineLoop.Duty() {
                    @Override
                    public boolean work() {
                        rig.nanos = System.nanoTime();
                        return rig.handler.drain();
                    }

                    @Override
                    public boolean pending() {
                        return rig.handler.pending();
                    }

                    @Override
                    public long sleepNanos() {
                        rig.nanos = System.nanoTime();
                        return rig.handler.sleepNanos();
                    }
                },
                failures::add);
        core.start();
    }

    @AfterEach
    void stop() throws InterruptedException {
        assertThat(core.stop(Await.LIMIT_MILLIS)).isTrue();
        rig.close();
        assertThat(failures).isEmpty();
    }

    private RunStage join() {
        RunStage stage = new RunStage(rig.ring, OrderRig.MAX_BODY, core::asleep);
        rig.handler.add(stage);
        return stage;
    }

    private long shown() {
        return rig.log.head().mark().sequence() - 1;
    }

    private static void spin(int times) {
        for (int i = 0; i < times; i++) {
            Thread.onSpinWait();
        }
    }

    /** Each producer stops after some messages, until the core has taken all that are there, and then goes on. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void everyMessageComesWithoutAFurtherOne(int producers) throws InterruptedException {
        AtomicLong all = new AtomicLong();
        for (int p = 0; p < producers; p++) {
            Random its = new Random(random.nextLong());
            workers.start("producer-" + p, () -> stopAndGoOn(join(), its, all));
        }
        workers.join();
        assertThat(shown()).isEqualTo(all.get());
    }

    private void stopAndGoOn(RunStage stage, Random random, AtomicLong all) {
        ByteBuffer body = ByteBuffer.allocateDirect(3000);
        for (int stop = 0; stop < 20_000; stop++) {
            for (int burst = random.nextInt(5); burst >= 0; burst--) {
                all.incrementAndGet();
                // Now and then one that does not gather.
                int length = random.nextInt(50) == 0 ? 3000 : random.nextInt(4) == 0 ? 2000 : LENGTH;
                if (!stage.put(1, body, length)) {
                    throw new AssertionError("the ring is full");
                }
                spin(random.nextInt(60));
            }
            awaitShown(all.get());
            spin(random.nextInt(30));
        }
    }

    private void awaitShown(long count) {
        long deadline = System.nanoTime() + Await.LIMIT_NANOS;
        int looks = 0;
        while (shown() < count) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("the core sleeps at message " + shown() + " of " + count);
            }
            if (++looks % 1000 == 0) {
                Thread.yield();
            }
        }
    }

    /** Another thread closes the stage: what was accepted is in the stream, and nothing else. The core has a tick. */
    @Test
    void whatAClosedStageAcceptedIsInTheStream() throws InterruptedException {
        AtomicLong accepted = new AtomicLong();
        for (int round = 0; round < 100; round++) {
            RunStage stage = join();
            AtomicBoolean began = new AtomicBoolean();
            Workers producer = new Workers().start("producer", () -> putUntilRefused(stage, accepted, began));
            while (!began.get()) {
                Thread.onSpinWait();
            }
            spin(random.nextInt(2000));
            stage.close();
            producer.join();
            Await.until("the stage is forgotten", () -> {
                core.io().execute(() -> {});
                return !rig.handler.stages().contains(stage);
            });
            assertThat(shown()).isEqualTo(accepted.get());
        }
    }

    private static void putUntilRefused(RunStage stage, AtomicLong accepted, AtomicBoolean began) {
        ByteBuffer body = ByteBuffer.allocateDirect(LENGTH);
        long count = 0;
        while (stage.put(1, body, LENGTH)) {
            count++;
            began.set(true);
            if (count % 64 == 0) {
                Thread.yield();
            }
        }
        accepted.addAndGet(count);
    }
}
