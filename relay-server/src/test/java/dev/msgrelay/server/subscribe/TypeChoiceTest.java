package dev.msgrelay.server.subscribe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The ranges of a subscriber take what they need of the budget, as long as they are in force or wanted. */
class TypeChoiceTest {
    private static final TypeRanges SOME = TypeRanges.of(1, 2, 5, 6);
    private static final TypeRanges OTHERS = TypeRanges.of(1, 2);

    private final MemoryBudget.Pool pool = new MemoryBudget(Map.of(Part.CONTROL, 10_000L)).pool(Part.CONTROL);
    private final TypeChoice types = new TypeChoice(pool, 10_000);

    @Test
    void whoWantsEveryTypeAgainHasNoRangesAnyMore() throws FrameException {
        types.want(SOME);
        types.choose();
        assertThat(pool.used()).isPositive();
        types.want(TypeRanges.ALL);
        types.choose();
        assertThat(types.inForce()).isEqualTo(TypeRanges.ALL);
        assertThat(pool.used()).isZero();
    }

    @Test
    void aSubscribeBehindHelloHasItsTurnLater() throws FrameException {
        types.want(SOME);
        types.want(OTHERS);
        long others = pool.used();
        types.choose(SOME);
        assertThat(types.inForce()).isEqualTo(SOME);
        types.choose();
        assertThat(types.inForce()).isEqualTo(OTHERS);
        assertThat(pool.used()).isEqualTo(others);
        types.release();
        assertThat(pool.used()).isZero();
    }
}
