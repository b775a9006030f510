package dev.msgrelay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.config.StreamConfig;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TestRelay;
import io.netty.util.internal.PlatformDependent;
import org.junit.jupiter.api.Test;

/** The itemised sum of what a relay takes. */
class MemoryPlanTest {
    @Test
    void theSumIsThatOfItsItems() {
        MemoryPlan plan = MemoryPlan.of(RelayConfig.builder().build());
        long sum = plan.fixed().stream().mapToLong(MemoryPlan.Item::bytes).sum();
        assertThat(plan.total()).isEqualTo(sum);
        assertThat(plan.fixed()).allSatisfy(item -> assertThat(item.bytes()).isPositive());
        assertThat(plan.fixed()).anySatisfy(item -> {
            assertThat(item.name()).isEqualTo("log");
            assertThat(item.bytes()).isEqualTo(StreamConfig.DEFAULT_LOG_BYTES);
        });
        assertThat(String.join("\n", plan.lines()))
                .contains(String.format("%,d", sum))
                .contains("each publisher")
                .contains("each subscriber")
                .contains("each name")
                .contains(String.format("%,d", plan.perName()));
    }

    @Test
    void aRelayTakesNoMoreThanItSays() throws Exception {
        long before = PlatformDependent.usedDirectMemory();
        try (TestRelay relay = TestRelay.start(Setting.NIO_TCP)) {
            long taken = PlatformDependent.usedDirectMemory() - before;
            assertThat(taken)
                    .isPositive()
                    .isLessThanOrEqualTo(relay.relay().memory().total());
        }
    }
}
