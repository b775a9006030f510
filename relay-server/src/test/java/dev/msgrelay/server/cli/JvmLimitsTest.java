package dev.msgrelay.server.cli;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.assembly.MemoryPlan;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.host.SystemTree;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.testing.Tree;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The JVM's limits follow from the options. */
class JvmLimitsTest {
    @Test
    void theLimitsAreEnough() {
        MemoryPlan plan = MemoryPlan.of(RelayConfig.builder()
                .set(LOG_SIZE, 512 << 20)
                .set(MAX_CONNECTIONS, 200_000)
                .build());
        List<String> limits = JvmLimits.of("--log-size", "512m", "--max-connections=200000");
        assertThat(mebibytes(limits, "-XX:MaxDirectMemorySize=")).isEqualTo(MemoryPlan.mebibytes(plan.direct()));
        // The JVM counts one survivor space less, which is a tenth of the young generation.
        assertThat(mebibytes(limits, "-Xmx") - mebibytes(limits, "-Xmn") / 10)
                .isGreaterThanOrEqualTo(MemoryPlan.mebibytes(plan.heap()));
        assertThat(mebibytes(limits, "-Xmx") - mebibytes(limits, "-Xmn"))
                .as("what lives for long fits into the old generation")
                .isGreaterThanOrEqualTo(MemoryPlan.mebibytes(plan.heap()));
    }

    /** A relay with long messages needs no further option, and gets the memory for all of it. */
    @Test
    void theLimitsFollowTheLongestBody() {
        MemoryPlan plan =
                MemoryPlan.of(RelayConfig.builder().set(MAX_BODY, 64 << 20).build());
        assertThat(plan.of(Part.FRAMES)).isGreaterThanOrEqualTo(128 << 20);
        assertThat(mebibytes(JvmLimits.of("--max-body=64m"), "-XX:MaxDirectMemorySize="))
                .isEqualTo(MemoryPlan.mebibytes(plan.direct()));
    }

    /** A JVM that touched its heap would be killed before the relay can name the limit. */
    @Test
    void whereTheRelayDoesNotFitTheHeapIsNotTouched(@TempDir Path root) {
        Tree tree = new Tree(root)
                .with("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw")
                .with("proc/self/cgroup", "0::/");
        SystemTree system = new SystemTree(root);
        String untouched = "-XX:-AlwaysPreTouch";
        assertThat(JvmLimits.here(system)).isEqualTo(JvmLimits.of());
        tree.with("sys/fs/cgroup/memory.max", Long.toString(300 << 20));
        assertThat(JvmLimits.here(system)).isEqualTo(JvmLimits.of());
        assertThat(JvmLimits.here(system, "--log-size=256m"))
                .startsWith(JvmLimits.of("--log-size=256m").toArray(String[]::new))
                .endsWith(untouched);
        tree.with("sys/fs/cgroup/memory.max", Long.toString(200 << 20));
        assertThat(JvmLimits.here(system)).endsWith(untouched);
        tree.with("sys/fs/cgroup/memory.max", Long.toString(64 << 20));
        assertThat(JvmLimits.refusal(system)).isEmpty();
        tree.with("sys/fs/cgroup/memory.max", "67108863");
        assertThat(JvmLimits.refusal(system))
                .contains("the limit of memory is 67108863 bytes (/sys/fs/cgroup/memory.max), and a JVM alone takes 64"
                        + " MiB");
    }

    private static long mebibytes(List<String> limits, String flag) {
        String value =
                limits.stream().filter(l -> l.startsWith(flag)).findFirst().orElseThrow();
        return Long.parseLong(value.substring(flag.length(), value.length() - 1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--log-size=512x", "--log-size=1", "--no-such-option", "--log-size", "@no-such-file", "--help"})
    void wrongOptionsAreTheRelaysBusiness(String wrong) {
        assertThat(JvmLimits.of(wrong)).isEqualTo(JvmLimits.of());
    }
}
