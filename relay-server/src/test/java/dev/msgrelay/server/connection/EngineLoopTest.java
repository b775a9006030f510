package dev.msgrelay.server.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.net.Transport;
import dev.msgrelay.testing.ThisMachine;
import io.netty.util.Recycler;
import io.netty.util.concurrent.Ticker;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class EngineLoopTest {
    private static final int ROUNDS = 20_000;
    /** Longer than the loop takes where it has a core. */
    private static final int SPINS = 20_000;

    private EngineLoop running;

    @AfterEach
    void stop() throws InterruptedException {
        if (running != null) {
            assertThat(running.stop(Await.LIMIT_MILLIS)).isTrue();
        }
    }

    private EngineLoop start(List<Throwable> failures, long sleepNanos, BooleanSupplier step) {
        return start(Transport.NIO, failures::add, new EngineLoop.Duty() {
            @Override
            public boolean work() {
                return step.getAsBoolean();
            }

            @Override
            public boolean pending() {
                return false;
            }

            @Override
            public long sleepNanos() {
                return sleepNanos;
            }
        });
    }

    private EngineLoop start(Transport transport, Consumer<Throwable> failed, EngineLoop.Duty duty) {
        running = new EngineLoop("test-loop", transport.resolve().ioHandler());
        running.duty(duty, failed);
        running.start();
        return running;
    }

    private static void wake(EngineLoop loop) {
        Await.until("asleep", loop::asleep);
        loop.signal();
    }

    @Test
    void itGoesRoundWhileThereIsMoreAndSleepsThen() {
        AtomicInteger steps = new AtomicInteger();
        EngineLoop loop = start(new ArrayList<>(), 0, () -> steps.incrementAndGet() < 100);
        wake(loop);
        Await.until("all of it", () -> steps.get() >= 100);
        Await.until("asleep", loop::asleep);
        // A selector may wake now and then for no reason; it does not go round and round.
        Await.staysTrue(20, () -> true);
        assertThat(steps).hasValueLessThan(110);
        int before = steps.get();
        wake(loop);
        Await.until("woken", () -> steps.get() > before);
    }

    @Test
    void itSleepsNoLongerThanItsDutyAllows() {
        List<Long> times = new CopyOnWriteArrayList<>();
        EngineLoop loop = start(new ArrayList<>(), 1_000_000, () -> times.add(running.nanoTime()) && false);
        Await.until("wakes by itself", () -> times.size() > 10);
        assertThat(times).isSorted();
        assertThat(loop.nanoTime() - times.get(10)).isPositive();
    }

    /** Its tasks are still done: channels have to be closed. */
    @Test
    void aDutyThatFailsIsToldOfOnceAndNotCalledAgain() throws Exception {
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        AtomicInteger steps = new AtomicInteger();
        EngineLoop loop = start(failures, 0, () -> {
            steps.incrementAndGet();
            throw new IllegalStateException("the order is lost");
        });
        wake(loop);
        Await.until("told", () -> failures.size() == 1);
        for (int i = 0; i < 3; i++) {
            loop.io().submit(() -> {}).get(Await.LIMIT_SECONDS, TimeUnit.SECONDS);
        }
        Await.until("asleep", loop::asleep);
        assertThat(steps).hasValue(1);
        assertThat(failures).singleElement().asString().contains("the order is lost");
    }

    @Test
    void whatItDoesEverySoOftenGoesOnWhateverItThrows() {
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        List<Long> times = new CopyOnWriteArrayList<>();
        EngineLoop loop = start(failures, 0, () -> false);
        loop.every(1, now -> {
            times.add(now);
            throw new IllegalStateException("tick");
        });
        Await.until("three times", () -> failures.size() >= 3);
        assertThat(times.get(1) - times.get(0)).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(1));
    }

    /** Who waits for the end of a step does, but not on the loop's own thread, and not for one that has ended. */
    @Test
    void betweenTwoSteps() throws Exception {
        CountDownLatch within = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        EngineLoop loop = start(new ArrayList<>(), 0, () -> {
            within.countDown();
            try {
                return !goOn.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        wake(loop);
        assertThat(within.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Void> between = CompletableFuture.runAsync(loop::awaitBetweenSteps);
        assertThat(Await.staysTrue(20, () -> !between.isDone())).isTrue();
        goOn.countDown();
        between.get(Await.LIMIT_SECONDS, TimeUnit.SECONDS);
        loop.io().submit(loop::awaitBetweenSteps).get(Await.LIMIT_SECONDS, TimeUnit.SECONDS);
        assertThat(loop.stop(Await.LIMIT_MILLIS)).isTrue();
        loop.awaitBetweenSteps();
    }

    /** A relay that could not be started has such loops. */
    @Test
    void oneThatWasNeverStartedGivesBackWhatItHas() {
        new EngineLoop("test-loop", Transport.AUTO.resolve().ioHandler()).discard();
        long before = descriptors();
        EngineLoop loop = new EngineLoop("test-loop", Transport.AUTO.resolve().ioHandler());
        assertThat(descriptors()).isGreaterThan(before);
        loop.discard();
        assertThat(descriptors()).isEqualTo(before);
    }

    private static long descriptors() {
        return ThisMachine.openFiles();
    }

    /** What Netty takes for each write is used again, on threads of Netty's own kind only. */
    @Test
    void smallObjectsOfNettyAreUsedAgain() throws Exception {
        AtomicInteger made = new AtomicInteger();
        Recycler<Recycler.Handle<?>[]> pool = new Recycler<>() {
            @Override
            protected Recycler.Handle<?>[] newObject(Handle<Recycler.Handle<?>[]> handle) {
                made.incrementAndGet();
                return new Recycler.Handle<?>[] {handle};
            }
        };
        EngineLoop loop = start(new ArrayList<>(), 0, () -> false);
        loop.io()
                .submit(() -> {
                    for (int i = 0; i < 1000; i++) {
                        giveBack(pool.get());
                    }
                })
                .get(Await.LIMIT_SECONDS, TimeUnit.SECONDS);
        assertThat(made).hasValueLessThan(100);
    }

    @SuppressWarnings("unchecked")
    private static void giveBack(Recycler.Handle<?>[] taken) {
        ((Recycler.Handle<Recycler.Handle<?>[]>) taken[0]).recycle(taken);
    }

    @Test
    void whoDrivesALoopHimselfStopsItHimself() throws InterruptedException {
        EngineLoop loop = new EngineLoop(Transport.NIO.resolve().ioHandler(), Ticker.systemTicker());
        AtomicInteger tasks = new AtomicInteger();
        loop.io().execute(tasks::incrementAndGet);
        assertThat(loop.stop(Await.LIMIT_MILLIS)).isTrue();
        assertThat(tasks).hasValue(1);
        assertThat(loop.io().isTerminated()).isTrue();
    }

    /** Nothing else wakes this loop, no timer and no socket: a signal that is lost is never made good. */
    @ParameterizedTest
    @EnumSource(
            value = Transport.class,
            names = {"EPOLL", "NIO"})
    void noSignalIsLostWhileTheLoopIsAboutToSleep(Transport transport) throws InterruptedException {
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        AtomicLong asked = new AtomicLong();
        AtomicLong done = new AtomicLong();
        EngineLoop loop = start(transport, failures::add, new EngineLoop.Duty() {
            @Override
            public boolean work() {
                done.set(asked.get());
                return false;
            }

            @Override
            public boolean pending() {
                return asked.get() != done.get();
            }
        });
        for (long round = 1; round <= ROUNDS; round++) {
            asked.setRelease(round);
            VarHandle.fullFence();
            loop.signal();
            for (int spins = 0; done.get() != round && spins < SPINS; spins++) {
                Thread.onSpinWait();
            }
            long lost = round;
            Await.until(() -> "round " + lost + " is done, or its signal was lost", () -> done.get() == lost);
        }
        assertThat(failures).isEmpty();
    }
}
