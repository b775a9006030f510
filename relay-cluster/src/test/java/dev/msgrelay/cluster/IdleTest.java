package dev.msgrelay.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class IdleTest {
    private final Idle idle = new Idle();

    private long[] next(int times) {
        return LongStream.range(0, times).map(i -> idle.nextNanos()).toArray();
    }

    @Test
    void waitsLongerTheLongerThereIsNothing() {
        assertThat(next(8)).containsExactly(0, 0, 20_000, 40_000, 80_000, 160_000, 320_000, 640_000);
        assertThat(next(17)).containsOnly(1_000_000);
        assertThat(next(100)).containsOnly(4_000_000);
    }

    @Test
    void workBeginsItAnew() {
        next(100);
        idle.idle(1);
        assertThat(next(3)).containsExactly(0, 0, 20_000);
        idle.idle(0);
        assertThat(next(1)).containsExactly(80_000);
    }

    /** It works without a pause until then, and again once Aeron ends it. */
    @Test
    void standsStillUntilItIsToEnd() throws Exception {
        AtomicLong work = new AtomicLong();
        Thread thread = new Thread(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                work.incrementAndGet();
                idle.idle(1);
            }
        });
        thread.start();
        idle.standStill();
        await(() -> thread.getState() == Thread.State.TIMED_WAITING);
        long done = work.get();
        LockSupport.unpark(thread);
        await(() -> thread.getState() == Thread.State.TIMED_WAITING);
        assertThat(work.get()).isEqualTo(done);
        thread.interrupt();
        thread.join();
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            Thread.onSpinWait();
        }
    }
}
