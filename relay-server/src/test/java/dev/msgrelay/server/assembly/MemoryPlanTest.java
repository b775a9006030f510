package dev.msgrelay.server.assembly;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.config.ClusterConfig;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.config.StreamConfig;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.memory.MemoryBudget.Kind;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.tls.TlsFiles;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The itemised sum of what a relay takes. */
class MemoryPlanTest {
    private final MemoryPlan plan = MemoryPlan.of(RelayConfig.builder()
            .set(TLS_FILES, new TlsFiles(Path.of("cert"), Path.of("key"), null, false))
            .set(JOURNAL, Path.of("journal"))
            .set(STATE, 64 << 20)
            .build());

    @Test
    void theSumIsThatOfItsParts() {
        long direct = Arrays.stream(Part.values())
                .filter(part -> part.kind() == Kind.DIRECT)
                .mapToLong(plan::of)
                .sum();
        assertThat(plan.direct()).isEqualTo(direct);
        Set<Part> parts = EnumSet.complementOf(EnumSet.of(Part.CLUSTER, Part.CONSENSUS));
        assertThat(parts).allSatisfy(part -> assertThat(plan.of(part)).isPositive());
        assertThat(plan.of(Part.LOG)).isEqualTo(StreamConfig.DEFAULT_LOG_BYTES);
        String lines = String.join("\n", plan.table());
        assertThat(lines)
                .contains(String.format(Locale.ROOT, "%,d", direct))
                .contains(String.format(Locale.ROOT, "%,d", plan.heap()));
        assertThat(parts).allSatisfy(part -> assertThat(lines).contains(part.text()));
    }

    @Test
    void aNodeOfAClusterHasPartsOfItsOwn() {
        MemoryPlan alone = MemoryPlan.of(RelayConfig.builder().build());
        MemoryPlan node = MemoryPlan.of(
                RelayConfig.builder().cluster(Path.of("cluster.conf"), 1).build());
        assertThat(alone.of(Part.CLUSTER) + alone.of(Part.CONSENSUS)).isZero();
        assertThat(node.direct() - alone.direct()).isEqualTo(ClusterConfig.DIRECT_BYTES);
        assertThat(node.heap() - alone.heap()).isEqualTo(ClusterConfig.HEAP_BYTES);
    }

    @Test
    void whatDoesNotGoWithAClusterIsNamed() {
        assertThatThrownBy(() -> RelayConfig.builder().cluster(Path.of("c"), 0).build())
                .hasMessage("cluster c needs node: the number that this relay has in it");
        assertThatThrownBy(() -> RelayConfig.builder().cluster(null, 3).build())
                .hasMessage("node 3 needs cluster: the file that names the nodes");
        RelayConfig.Builder node = RelayConfig.builder().cluster(Path.of("c"), 1);
        assertThatThrownBy(() ->
                        node.set(MAX_BODY, 1 << 21).set(RING_SIZE, 8 << 20).build())
                .hasMessage("max body 2097152 is over the 1048576 of a cluster");
        assertThatThrownBy(() -> node.set(MAX_BODY, 100)
                        .set(SLOW_SUBSCRIBER, Policy.BACKPRESSURE)
                        .build())
                .hasMessageStartingWith("slow subscriber backpressure does not go with cluster");
    }

    @Test
    void theBudgetHasTheLimitsOfThePlan() {
        for (Part part : Part.values()) {
            assertThat(plan.budget().pool(part).limit()).as(part.name()).isEqualTo(plan.of(part));
        }
        assertThat(plan.budget().pool(Part.LOG).used()).isEqualTo(plan.of(Part.LOG));
        assertThat(plan.budget().pool(Part.FRAMES).used()).isZero();
    }

    @Test
    void aRelayTakesNoMoreThanItSays() throws Exception {
        long before = PlatformDependent.usedDirectMemory();
        try (TestRelay relay = TestRelay.start(Setting.NIO_TCP)) {
            long taken = PlatformDependent.usedDirectMemory() - before;
            assertThat(taken)
                    .isPositive()
                    .isLessThanOrEqualTo(relay.relay().memory().direct());
        }
    }

    @Test
    void limitsOfTheJvmThatAreTooSmallAreNamedWithWhatToGive() throws Exception {
        plan.check(plan.direct(), plan.heap());
        assertThatThrownBy(() -> plan.check(plan.direct() - 1, plan.heap()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(plan.direct() + " bytes")
                .hasMessageContaining((plan.direct() - 1) + ": give -XX:MaxDirectMemorySize="
                        + MemoryPlan.mebibytes(plan.direct()) + "m");
        assertThatThrownBy(() -> plan.check(plan.direct(), plan.heap() - 1))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("-Xmx" + MemoryPlan.mebibytes(plan.heap()) + "m");
    }
}
