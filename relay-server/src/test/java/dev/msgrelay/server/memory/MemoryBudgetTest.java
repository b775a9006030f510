package dev.msgrelay.server.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Workers;
import dev.msgrelay.server.memory.MemoryBudget.Kind;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MemoryBudgetTest {
    private static final int THREADS = 4;
    private static final int ROUNDS = 50_000;

    private final MemoryBudget budget =
            new MemoryBudget(Map.of(Part.LOG, 1000L, Part.FRAMES, 100L, Part.FILTERS, 200L, Part.CONTROL, 50L));

    @Test
    void aPartHasItsLimitAndNothingOfTheOthers() {
        MemoryBudget.Pool frames = budget.pool(Part.FRAMES);
        assertThat(frames.tryTake(60)).isTrue();
        assertThat(frames.tryTake(41)).isFalse();
        assertThat(frames.used()).as("nothing is taken of what is too much").isEqualTo(60);
        assertThat(frames.tryTake(40)).isTrue();
        assertThat(frames.tryTake(1)).isFalse();
        assertThat(frames.tryTake(Integer.MAX_VALUE)).as("no overflow").isFalse();
        assertThat(frames.tryTake(0)).isTrue();
        assertThat(budget.pool(Part.FILTERS).used()).isZero();
        frames.giveBack(70);
        assertThat(frames.used()).isEqualTo(30);
        assertThat(frames.tryTake(70)).isTrue();
    }

    @Test
    void whatTheJvmDoesNotHaveIsGivenBack() {
        MemoryBudget.Pool frames = budget.pool(Part.FRAMES);
        assertThat(frames.tryTake(60)).isTrue();
        assertThat(frames.<String>allocate(60, () -> "memory")).isEqualTo("memory");
        assertThat(frames.used()).isEqualTo(60);
        assertThat(frames.tryTake(40)).isTrue();
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> frames.allocate(40, () -> {
                    throw new OutOfMemoryError("none left");
                }));
        assertThat(frames.used()).isEqualTo(60);
    }

    @Test
    void whatIsTakenAtStartIsUsedFromTheStart() {
        assertThat(budget.pool(Part.LOG).used()).isEqualTo(1000);
        assertThat(budget.pool(Part.LOG).tryTake(1)).isFalse();
        assertThat(budget.pool(Part.FRAMES).used()).isZero();
        assertThat(budget.pool(Part.RING).limit()).as("not named: none").isZero();
    }

    @Test
    void sumsAreByKind() {
        budget.pool(Part.FRAMES).tryTake(7);
        budget.pool(Part.CONTROL).tryTake(5);
        assertThat(budget.used(Kind.DIRECT)).isEqualTo(1007);
        assertThat(budget.used(Kind.HEAP)).isEqualTo(5);
        assertThat(budget.pools()).containsOnlyKeys(Part.values());
    }

    @Test
    void whoGivesBackMoreThanWasTakenIsTold() {
        budget.pool(Part.FRAMES).tryTake(3);
        assertThatIllegalStateException()
                .isThrownBy(() -> budget.pool(Part.FRAMES).giveBack(5))
                .withMessageContaining("FRAMES")
                .withMessageContaining("2 bytes");
    }

    @Test
    void theLimitHoldsUnderThreads() throws Exception {
        MemoryBudget.Pool pool = budget.pool(Part.FRAMES);
        // Counted again beside it: what all threads together really hold.
        AtomicLong held = new AtomicLong();
        AtomicLong most = new AtomicLong();
        Random seeds = Seeds.random("MemoryBudgetTest");
        Workers workers = new Workers();
        for (int t = 0; t < THREADS; t++) {
            Random random = new Random(seeds.nextLong());
            workers.start("taker-" + t, () -> {
                for (int i = 0; i < ROUNDS; i++) {
                    int bytes = 1 + random.nextInt(60);
                    if (pool.tryTake(bytes)) {
                        long now = held.addAndGet(bytes);
                        most.accumulateAndGet(now, Math::max);
                        held.addAndGet(-bytes);
                        pool.giveBack(bytes);
                    }
                }
            });
        }
        workers.join();
        assertThat(most.get()).isPositive().isLessThanOrEqualTo(100);
        assertThat(pool.used()).isZero();
    }
}
