package dev.msgrelay.server.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.msgrelay.server.harness.ScarceAllocator;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.memory.ReadWindow;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A loop's buffers for begun frames: a fixed number, made when they are needed, reserved while they exist. */
class LoopBuffersTest {
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final MemoryBudget budget = new MemoryBudget(Map.of(Part.RESTS, 2L * FrameAssembler.SHORT));
    private final MemoryBudget.Pool pool = budget.pool(Part.RESTS);
    private final LoopBuffers shorts = new LoopBuffers(allocator, budget, 2);

    @Test
    void thereAreSoManyAndNoMore() {
        assertThat(pool.used()).isZero();
        ReadWindow one = shorts.borrow();
        ReadWindow two = shorts.borrow();
        assertThat(shorts.any()).isFalse();
        assertThatIllegalStateException().isThrownBy(shorts::borrow).withMessageContaining("2");
        shorts.giveBack(one);
        assertThat(shorts.any()).isTrue();
        assertThat(shorts.borrow()).isSameAs(one);
        shorts.giveBack(one);
        shorts.giveBack(two);
        assertThat(pool.used()).as("kept for the next").isEqualTo(2L * FrameAssembler.SHORT);
        shorts.close();
        assertThat(pool.used()).isZero();
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    @Test
    void oneThatTheMachineDoesNotHaveIsNoneOfThem() {
        ScarceAllocator scarce = new ScarceAllocator();
        LoopBuffers one = new LoopBuffers(scarce, budget, 1);
        scarce.scarce(true);
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(one::borrow);
        assertThat(pool.used()).isZero();
        scarce.scarce(false);
        assertThat(one.any()).isTrue();
        one.giveBack(one.borrow());
        one.close();
    }
}
