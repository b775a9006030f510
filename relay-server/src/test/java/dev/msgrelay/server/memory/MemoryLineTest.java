package dev.msgrelay.server.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Workers;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MemoryLineTest {
    private final MemoryBudget.Pool pool = new MemoryBudget(Map.of(Part.FRAMES, 100L)).pool(Part.FRAMES);
    private final MemoryLine line = new MemoryLine(pool);
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final List<String> granted = new ArrayList<>();

    private MemoryLine.Waiter waiter(String name) {
        return () -> granted.add(name);
    }

    private List<String> told() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
        List<String> told = List.copyOf(granted);
        granted.clear();
        return told;
    }

    private boolean ask(int bytes, MemoryLine.Waiter waiter) {
        return line.ask(bytes, waiter, tasks::add);
    }

    @Test
    void whoFindsEnoughIsServedAtOnceAndNotTold() {
        assertThat(ask(60, waiter("a"))).isTrue();
        assertThat(ask(40, waiter("b"))).isTrue();
        assertThat(told()).isEmpty();
        assertThat(line.length()).isZero();
        assertThat(line.most()).isEqualTo(100);
        assertThat(pool.used()).isEqualTo(100);
    }

    @Test
    void grantsFollowWhatIsGivenBackInTheOrderOfTheLine() {
        ask(100, waiter("a"));
        assertThat(ask(50, waiter("b"))).isFalse();
        assertThat(ask(30, waiter("c"))).isFalse();
        assertThat(ask(90, waiter("d"))).isFalse();
        assertThat(line.length()).isEqualTo(3);
        line.giveBack(49);
        assertThat(told()).as("not enough for the one in front").isEmpty();
        line.giveBack(1);
        assertThat(told()).containsExactly("b");
        line.giveBack(50);
        assertThat(told()).containsExactly("c");
        line.giveBack(50);
        assertThat(told()).isEmpty();
        line.giveBack(30);
        assertThat(told()).containsExactly("d");
        assertThat(pool.used()).isEqualTo(90);
        assertThat(line.length()).isZero();
    }

    @Test
    void nobodyOvertakesWithASmallerWish() {
        ask(90, waiter("a"));
        ask(50, waiter("b"));
        assertThat(ask(1, waiter("c"))).as("there would be room for it").isFalse();
        assertThat(told()).isEmpty();
        line.giveBack(90);
        assertThat(told()).containsExactly("b", "c");
        assertThat(pool.used()).isEqualTo(51);
    }

    @Test
    void whoLeavesMakesWayForThoseBehind() {
        ask(80, waiter("a"));
        MemoryLine.Waiter b = waiter("b");
        ask(50, b);
        ask(20, waiter("c"));
        line.withdraw(b);
        assertThat(line.length()).isZero();
        assertThat(told()).containsExactly("c");
        line.withdraw(b);
        assertThat(pool.used()).isEqualTo(100);
    }

    @Test
    void whatWasGrantedBeforeItLeftIsItsToGiveBack() {
        ask(100, waiter("a"));
        MemoryLine.Waiter b = waiter("b");
        ask(60, b);
        line.giveBack(100);
        // Granted, and not told yet.
        line.withdraw(b);
        assertThat(pool.used()).isEqualTo(60);
        assertThat(told()).containsExactly("b");
        line.giveBack(60);
        assertThat(pool.used()).isZero();
    }

    @Test
    void allAreServedInTheEndAndNoMoreIsTakenThanThereIs() throws Exception {
        int threads = 4;
        int rounds = 5_000;
        AtomicLong held = new AtomicLong();
        AtomicLong most = new AtomicLong();
        Random seeds = Seeds.random("MemoryLineTest");
        Workers workers = new Workers();
        for (int t = 0; t < threads; t++) {
            Random random = new Random(seeds.nextLong());
            workers.start("asker-" + t, () -> {
                Semaphore mine = new Semaphore(0);
                for (int i = 0; i < rounds; i++) {
                    int bytes = 1 + random.nextInt(100);
                    if (!line.ask(bytes, mine::release, Runnable::run)) {
                        assertThat(mine.tryAcquire(Await.LIMIT_SECONDS, TimeUnit.SECONDS))
                                .isTrue();
                    }
                    most.accumulateAndGet(held.addAndGet(bytes), Math::max);
                    held.addAndGet(-bytes);
                    line.giveBack(bytes);
                }
            });
        }
        workers.join();
        assertThat(most.get()).isPositive().isLessThanOrEqualTo(100);
        assertThat(pool.used()).isZero();
        assertThat(line.length()).isZero();
    }
}
