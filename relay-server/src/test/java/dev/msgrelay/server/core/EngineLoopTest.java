package dev.msgrelay.server.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.net.Transport;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class EngineLoopTest {
    private static final int ROUNDS = 50_000;
    private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Nothing else wakes this loop, no timer and no socket: a signal that is lost is never made good. */
    @ParameterizedTest
    @EnumSource(
            value = Transport.class,
            names = {"EPOLL", "NIO"})
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void noSignalIsLostWhileTheLoopIsAboutToSleep(Transport transport) throws InterruptedException {
        AtomicLong asked = new AtomicLong();
        AtomicLong done = new AtomicLong();
        EngineLoop loop = new EngineLoop("test-loop", transport.resolve().ioHandler());
        loop.duty(
                new EngineLoop.Duty() {
                    @Override
                    public boolean work(long nowNanos) {
                        done.set(asked.get());
                        return false;
                    }

                    @Override
                    public boolean pending() {
                        return asked.get() != done.get();
                    }
                },
                failure -> {
                    throw new AssertionError(failure);
                });
        loop.start();
        try {
            for (long round = 1; round <= ROUNDS; round++) {
                asked.setRelease(round);
                VarHandle.fullFence();
                loop.signal();
                long start = System.nanoTime();
                while (done.get() != round) {
                    assertThat(System.nanoTime() - start)
                            .as("round %d was never done: its signal was lost", round)
                            .isLessThan(LOST_NANOS);
                    Thread.onSpinWait();
                }
            }
        } finally {
            loop.stop(1000);
        }
    }
}
