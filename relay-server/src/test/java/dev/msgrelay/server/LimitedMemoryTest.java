package dev.msgrelay.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.engine.MachineMemory;
import dev.msgrelay.server.host.SystemTree;
import dev.msgrelay.server.journal.recover.RecoveryProgress;
import dev.msgrelay.testing.Tree;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A start, and a check, in a container that allows less than the relay's sum. */
class LimitedMemoryTest {
    private final RelayConfig config =
            RelayConfig.builder().publishPort(0).subscribePort(0).build();

    @TempDir
    private Path root;

    private SystemTree limited(long bytes) {
        return new SystemTree(new Tree(root)
                .with("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw")
                .with("proc/self/cgroup", "0::/")
                .with("sys/fs/cgroup/memory.max", Long.toString(bytes))
                .root());
    }

    @Test
    void anEmbeddedRelayDoesNotStartWhereItWouldBeKilled() {
        SystemTree system = limited(64 << 20);
        assertThatThrownBy(() -> RelayServer.start(config, system, RecoveryProgress.NOBODY))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the limit is 64 MiB (/sys/fs/cgroup/memory.max)");
        assertThatThrownBy(() -> RelayServer.check(config, system)).hasMessageContaining("the limit is 64 MiB");
    }

    @Test
    void belowTheSumItStartsAndWarns() throws Exception {
        // Above what this JVM and a relay take at first, and 100 MiB below the sum.
        long bytes = MachineMemory.here(new SystemTree(root)).heapAtStart() + (116 << 20);
        SystemTree system = limited(bytes);
        assertThat(RelayServer.check(config, system))
                .singleElement()
                .asString()
                .contains("the limit is " + (bytes >> 20) + " MiB");
        RelayServer.start(config, system, RecoveryProgress.NOBODY).close();
    }
}
