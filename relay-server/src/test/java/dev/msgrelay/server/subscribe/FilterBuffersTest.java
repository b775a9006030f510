package dev.msgrelay.server.subscribe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.figures.Counters;
import dev.msgrelay.server.harness.ScarceAllocator;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Buffers for writes of chosen types: as many as the budget has, the last few kept for the next. */
class FilterBuffersTest {
    private static final int BUFFERS = 16;

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final MemoryBudget.Pool pool =
            new MemoryBudget(Map.of(Part.FILTERS, (long) BUFFERS * FilterBuffers.BYTES)).pool(Part.FILTERS);
    private final Counters counters = new Counters();
    private final FilterBuffers buffers = new FilterBuffers(allocator, pool, counters, 1);

    @AfterEach
    void close() {
        buffers.close();
        assertThat(pool.used()).isZero();
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    @Test
    void thereAreAsManyAsTheBudgetHas() {
        List<ByteBuf> taken = new ArrayList<>();
        for (ByteBuf buffer = buffers.acquire(); buffer != FilterBuffers.NONE; buffer = buffers.acquire()) {
            taken.add(buffer);
        }
        assertThat(taken).hasSize(BUFFERS);
        assertThat(allocator.metric().usedDirectMemory()).isEqualTo((long) BUFFERS * FilterBuffers.BYTES);
        buffers.giveBack(taken.remove(0));
        ByteBuf again = buffers.acquire();
        assertThat(again).isNotNull();
        taken.add(again);
        taken.forEach(buffers::giveBack);
        assertThat(pool.used()).as("half of them are kept").isEqualTo(BUFFERS / 2L * FilterBuffers.BYTES);
        assertThat(counters.sum(Counter.FILTER_UNBUFFERED)).isEqualTo(1);
    }

    @Test
    void oneThatIsStillBeingWrittenIsNotGivenToAnybodyElse() {
        ByteBuf buffer = buffers.acquire();
        ByteBuf write = buffer.retainedDuplicate();
        buffers.giveBack(buffer);
        assertThat(pool.used()).isZero();
        ByteBuf other = buffers.acquire();
        assertThat(other).isNotSameAs(buffer);
        assertThat(write.refCnt()).isEqualTo(1);
        write.release();
        buffers.giveBack(other);
    }

    @Test
    void oneThatTheMachineDoesNotHaveIsGivenBack() {
        ScarceAllocator scarce = new ScarceAllocator();
        scarce.scarce(true);
        FilterBuffers none = new FilterBuffers(scarce, pool, counters, 1);
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(none::acquire);
        assertThat(pool.used()).isZero();
    }

    @Test
    void aBufferComesBackEmpty() {
        ByteBuf buffer = buffers.acquire();
        buffer.writeLong(7).readInt();
        buffers.giveBack(buffer);
        assertThat(buffers.acquire()).isSameAs(buffer);
        assertThat(buffer.readerIndex()).isZero();
        assertThat(buffer.writerIndex()).isZero();
        buffers.giveBack(buffer);
    }

    /** What one loop keeps for later is never all that another one could have. */
    @Test
    void loopsThatShareThePoolLeaveEachOtherSome() {
        FilterBuffers mine = new FilterBuffers(allocator, pool, counters, 2);
        FilterBuffers others = new FilterBuffers(allocator, pool, counters, 2);
        List<ByteBuf> taken = new ArrayList<>();
        for (int i = 0; i < BUFFERS; i++) {
            taken.add(mine.acquire());
        }
        assertThat(others.acquire()).isSameAs(FilterBuffers.NONE);
        taken.forEach(mine::giveBack);
        assertThat(pool.used()).isEqualTo(BUFFERS / 4L * FilterBuffers.BYTES);
        others.giveBack(others.acquire());
        mine.close();
        others.close();
    }
}
