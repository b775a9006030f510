package dev.msgrelay.server.subscribe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.figures.Counters;
import dev.msgrelay.server.journal.read.BlockReader;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.stream.Chunk;
import dev.msgrelay.server.stream.WindowGate;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The line for memory that the journal is read into: who has a page and reads nothing is cut off by how long it stands.
 */
class ReplayPagesTest {
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final MemoryBudget.Pool pool =
            new MemoryBudget(Map.of(Part.REPLAYS, (long) BlockReader.PAGE_BYTES)).pool(Part.REPLAYS);
    private long now = 1;
    private final ReplayPages pages = new ReplayPages(allocator, pool, new Counters(), () -> now);

    @Test
    void whoLeavesTheLineFromBehindDoesNotMakeTheFirstOneWaitAnew() {
        Chunk page = pages.acquire("reads nothing", 0, false);
        now = 10;
        assertThat(pages.acquire("first", 0, false)).isNull();
        now = 20;
        assertThat(pages.acquire("second", 0, false)).isNull();
        now = 30;
        pages.leaveLine("second");
        assertThat(pages.waitingSince()).isEqualTo(10);
        assertThat(pages.acquire("second", 0, false)).isNull();
        now = 40;
        pages.leaveLine("first");
        assertThat(pages.waitingSince())
                .as("the second one is the first from here on")
                .isEqualTo(40);
        pages.leaveLine("second");
        assertThat(pages.waitingSince()).isEqualTo(WindowGate.NEVER);
        pages.giveBack(page);
        assertThat(pool.used()).isZero();
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    /** A client gives up where its WELCOME waits behind all that are on their way. */
    @Test
    void whoStartsGetsEachSecondPage() {
        Chunk page = pages.acquire("has it", 0, false);
        for (String who : List.of("way 1", "way 2", "way 3")) {
            assertThat(pages.acquire(who, 0, false)).isNull();
        }
        for (String who : List.of("start 1", "start 2", "start 3", "start 4")) {
            assertThat(pages.acquire(who, 0, true)).isNull();
        }
        List<String> waiting =
                new ArrayList<>(List.of("way 1", "way 2", "way 3", "start 1", "start 2", "start 3", "start 4"));
        List<String> served = new ArrayList<>();
        while (!waiting.isEmpty()) {
            pages.giveBack(page);
            page = null;
            for (String who : List.copyOf(waiting)) {
                Chunk its = pages.acquire(who, 0, who.startsWith("start"));
                if (its != null) {
                    page = its;
                    served.add(who);
                    waiting.remove(who);
                }
            }
        }
        assertThat(served).containsExactly("start 1", "way 1", "start 2", "way 2", "start 3", "way 3", "start 4");
        assertThat(pages.waitingSince()).isEqualTo(WindowGate.NEVER);
        pages.giveBack(page);
        assertThat(pool.used()).isZero();
    }
}
