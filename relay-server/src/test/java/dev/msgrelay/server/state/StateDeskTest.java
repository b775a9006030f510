package dev.msgrelay.server.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.stream.WindowGate;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The lines for the memory of batches: the first one gets what comes back, and is the one that is waited for. */
class StateDeskTest {
    private static final int BATCHES = 64;

    private final StateRig rig = new StateRig(1 << 20, TypeRanges.ALL);
    private final MemoryBudget.Pool pool =
            new MemoryBudget(Map.of(Part.STATE_BATCHES, StateDesk.bufferBytes(1 << 20))).pool(Part.STATE_BATCHES);
    private long now = 1;
    private final StateDesk desk =
            new StateDesk(rig.index, Runnable::run, new UnpooledByteBufAllocator(true), pool, () -> now);
    private final List<String> answered = new ArrayList<>();

    @AfterEach
    void allMemoryComesBack() {
        desk.close();
        rig.close();
        assertThat(pool.used()).isZero();
    }

    private Walk asking(String name, int needed) {
        Walk walk = new Walk(1, () -> answered.add(name));
        walk.needed = needed;
        desk.ask(walk);
        serve();
        return walk;
    }

    private void serve() {
        while (desk.serve()) {
            // the next one
        }
    }

    private void giveBack(Walk walk) {
        desk.giveBack(walk);
        serve();
    }

    @Test
    void theFirstInTheLineGetsWhatComesBack() {
        List<Walk> holders = new ArrayList<>();
        for (int i = 0; i < BATCHES; i++) {
            holders.add(asking("holder", 0));
        }
        assertThat(answered).hasSize(BATCHES);
        answered.clear();
        assertThat(desk.waitingSince(holders.get(0))).isEqualTo(WindowGate.NEVER);
        now = 10;
        Walk first = asking("first", 0);
        now = 20;
        Walk second = asking("second", 0);
        Walk third = asking("third", 0);
        Walk fourth = asking("fourth", 0);
        assertThat(answered).isEmpty();
        now = 30;
        desk.end(third);
        assertThat(desk.waitingSince(holders.get(0))).isEqualTo(10);
        now = 40;
        giveBack(holders.get(0));
        assertThat(answered).containsExactly("first");
        assertThat(desk.waitingSince(holders.get(1)))
                .as("the second one is the first from here on")
                .isEqualTo(40);
        now = 50;
        desk.end(second);
        assertThat(desk.waitingSince(holders.get(1))).isEqualTo(50);
        giveBack(first);
        assertThat(answered).containsExactly("first", "fourth");
        assertThat(desk.waitingSince(holders.get(1))).isEqualTo(WindowGate.NEVER);
        giveBack(fourth);
        holders.subList(1, BATCHES).forEach(this::giveBack);
    }

    /** One long message is on its way at a time. It is waited for by those alone that have a long one, too. */
    @Test
    void longMessagesHaveALineOfTheirOwn() {
        Walk holder = asking("holder", 1 << 20);
        Walk waits = asking("waits", 1 << 19);
        Walk passes = asking("passes", 0);
        assertThat(answered).containsExactly("holder", "passes");
        assertThat(desk.waitingSince(holder)).isEqualTo(1);
        assertThat(desk.waitingSince(passes)).isEqualTo(WindowGate.NEVER);
        giveBack(holder);
        assertThat(answered).containsExactly("holder", "passes", "waits");
        giveBack(waits);
        giveBack(passes);
    }
}
