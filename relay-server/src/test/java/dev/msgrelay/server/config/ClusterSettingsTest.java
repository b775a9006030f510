package dev.msgrelay.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What all nodes of a cluster have to do alike is no setting of one of them. */
class ClusterSettingsTest {
    private static RelayConfig.Builder node() {
        return RelayConfig.builder().cluster(Path.of("cluster.conf"), 1);
    }

    @Test
    void aClusterHoldsNamesForAsLongAsItsLogSays() {
        assertThat(RelayConfig.builder().build().limits().nameHold()).isEqualTo(LimitsConfig.DEFAULT_NAME_HOLD);
        assertThat(node().build().limits().nameHold()).isEqualTo(ClusterConfig.NAME_HOLD);
        assertThat(node().nameHold(ClusterConfig.NAME_HOLD).build().limits().nameHold())
                .isEqualTo(ClusterConfig.NAME_HOLD);
    }

    @Test
    void anotherTimeForNamesIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node().nameHold(Duration.ofSeconds(10)).build())
                .withMessage(
                        "name hold 10000 ms does not go with cluster: all nodes hold a name for 30000 ms, so leave it"
                                + " out");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node().nameHold(Duration.ofMinutes(5)).build())
                .withMessageContaining("name hold 300000 ms does not go with cluster");
    }
}
