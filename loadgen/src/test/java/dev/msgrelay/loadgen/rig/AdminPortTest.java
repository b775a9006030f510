package dev.msgrelay.loadgen.rig;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class AdminPortTest {
    @Test
    void theRelaysCoresFollowFromTwoLooks() {
        AdminPort.Look first = new AdminPort.Look(
                1_000_000_000L, AdminPort.figures("# TYPE x\nprocess_cpu_seconds_total 7.5\nrelay_ring_cells 3\n"));
        AdminPort.Look last = new AdminPort.Look(5_000_000_000L, Map.of("process_cpu_seconds_total", 10.5));
        assertThat(last.coresSince(first)).isEqualTo(0.75);
        assertThat(first.of("ring_cells")).isEqualTo(3);
        assertThat(last.coresSince(new AdminPort.Look(0, Map.of()))).isNaN();
    }
}
