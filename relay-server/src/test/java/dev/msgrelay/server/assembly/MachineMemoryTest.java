package dev.msgrelay.server.assembly;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.host.MemoryLimit;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a relay takes, and what the system allows. The heaps are those of bin/relay-server with its defaults. */
class MachineMemoryTest {
    private static final long MIB = 1 << 20;
    private static final String PLACE = "/sys/fs/cgroup/a/memory.max";
    private static final String AT_REST =
            "244 MiB of memory (144 of Java heap, 40 of direct memory, 60 of the JVM itself)";
    private static final String AT_MOST =
            "456 MiB of memory (240 of Java heap, 116 of direct memory, 100 of the JVM itself)";

    private final RelayConfig config = RelayConfig.builder().build();

    private static MachineLimits limited(long bytes) {
        return new MachineLimits(Optional.of(new MemoryLimit(bytes, PLACE)), 144 * MIB, 240 * MIB);
    }

    private static List<String> warnings(MachineLimits machine, RelayConfig config) throws IOException {
        List<String> warnings = new ArrayList<>();
        machine.checkMemory(config, warnings::add);
        return warnings;
    }

    @Test
    void belowWhatItTakesAtOnceItDoesNotStart() {
        MachineLimits machine = limited(244 * MIB - 1);
        assertThat(machine.holds(config)).isFalse();
        assertThatThrownBy(() -> warnings(machine, config))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("the relay takes " + AT_REST + " when it starts, may take " + AT_MOST
                        + ", and the limit is 243 MiB (" + PLACE + "): ");
    }

    @Test
    void belowItsSumItWarns() throws Exception {
        assertThat(limited(244 * MIB).holds(config)).isTrue();
        assertThat(warnings(limited(244 * MIB), config))
                .singleElement(STRING)
                .startsWith("the relay may take " + AT_MOST + ", and the limit is 244 MiB (" + PLACE + "): ");
        assertThat(warnings(limited(456 * MIB - 1), config))
                .singleElement(STRING)
                .contains(AT_MOST, " 455 MiB");
    }

    @Test
    void aLimitThatIsEnoughIsNotNamed() throws Exception {
        assertThat(warnings(limited(456 * MIB), config)).isEmpty();
        MachineLimits unlimited = new MachineLimits(Optional.empty(), 144 * MIB, 240 * MIB);
        assertThat(warnings(unlimited, config)).isEmpty();
        assertThat(unlimited.holds(config)).isTrue();
    }

    @Test
    void theSumFollowsTheOptions() throws Exception {
        RelayConfig larger = RelayConfig.builder().set(LOG_SIZE, 512 << 20).build();
        assertThatThrownBy(() -> warnings(limited(600 * MIB), larger))
                .hasMessageContaining(
                        " 740 MiB of memory (144 of Java heap, 536 of direct memory, 60 of the JVM itself)");
        RelayConfig node = RelayConfig.builder().cluster(Path.of("c"), 1).build();
        assertThat(warnings(limited(600 * MIB), node))
                .singleElement(STRING)
                .contains("384 of shared memory, 100 of the JVM itself)");
    }
}
