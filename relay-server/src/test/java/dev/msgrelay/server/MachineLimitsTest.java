package dev.msgrelay.server;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.server.assembly.MachineLimits;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.host.SystemTree;
import dev.msgrelay.server.journal.recover.RecoveryProgress;
import dev.msgrelay.testing.Tree;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A start, and a check, where the system allows less than the relay needs. */
class MachineLimitsTest {
    private final RelayConfig config = RelayConfig.builder(0, 0).build();

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
        long bytes = MachineLimits.here(new SystemTree(root)).heapAtStart() + (116 << 20);
        SystemTree system = limited(bytes);
        assertThat(RelayServer.check(config, system))
                .singleElement()
                .asString()
                .contains("the limit is " + (bytes >> 20) + " MiB");
        RelayServer.start(config, system, RecoveryProgress.NOBODY).close();
    }

    private static RelayConfig ofConnections(int most) {
        return RelayConfig.builder(0, 0).set(MAX_CONNECTIONS, most).build();
    }

    @Test
    void withTooFewFilesToOpenItStartsAndWarns() throws Exception {
        SystemTree system = new SystemTree(new Tree(root)
                .with("proc/self/limits", "Max open files            1063                 524288               files")
                .root());
        assertThat(RelayServer.check(ofConnections(1000), system))
                .singleElement()
                .asString()
                .startsWith("ulimit -n is 1063, and 1000 connections (--max-connections) may need 1064");
        RelayServer.start(ofConnections(1000), system, RecoveryProgress.NOBODY).close();
        assertThat(RelayServer.check(ofConnections(999), system)).isEmpty();
    }

    private SystemTree withFilesUpTo(String limit) {
        return new SystemTree(new Tree(root)
                .with(
                        "proc/self/limits",
                        "Limit                     Soft Limit           Hard Limit           Units\n"
                                + "Max cpu time              unlimited            unlimited            seconds\n"
                                + "Max file size             " + limit + "              unlimited            bytes")
                .root());
    }

    @Test
    void aSegmentOfTheJournalIsNoLongerThanAFileMayBe() throws Exception {
        RelayConfig kept = RelayConfig.builder(0, 0)
                .set(JOURNAL, root.resolve("journal"))
                .set(JOURNAL_SEGMENT, 64 << 20)
                .build();
        SystemTree tooShort = withFilesUpTo("67108863");
        String why = "ulimit -f (RLIMIT_FSIZE) is 67108863 bytes, and a segment of the journal is a file of 67108864"
                + " bytes (--journal-segment). ";
        assertThatThrownBy(() -> RelayServer.start(kept, tooShort, RecoveryProgress.NOBODY))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(why);
        assertThatThrownBy(() -> RelayServer.check(kept, tooShort)).hasMessageStartingWith(why);
        assertThat(root.resolve("journal")).doesNotExist();
        assertThat(RelayServer.check(config, tooShort)).as("without a journal").isEmpty();
        assertThat(RelayServer.check(kept, withFilesUpTo("67108864"))).isEmpty();
        assertThat(RelayServer.check(kept, withFilesUpTo("unlimited"))).isEmpty();
    }

    @Test
    void aJournalInMemoryIsWarnedOf() throws Exception {
        Path directory = root.toRealPath().resolve("journal");
        RelayConfig kept = RelayConfig.builder(0, 0).set(JOURNAL, directory).build();
        SystemTree system = new SystemTree(new Tree(root)
                .with("proc/self/mountinfo", Tree.mount(root.toRealPath(), "tmpfs"))
                .root());
        assertThat(RelayServer.check(kept, system))
                .containsExactly("journal " + directory + " is on tmpfs (" + root.toRealPath()
                        + "), which is memory: it does not survive the machine");
        assertThat(RelayServer.check(config, system)).as("without a journal").isEmpty();
        RelayServer.start(kept, system, RecoveryProgress.NOBODY).close();
    }

    @Test
    void aClustersLogHasFilesOfItsOwnLength() {
        RelayConfig node = RelayConfig.builder().cluster(Path.of("c"), 1).build();
        assertThatThrownBy(() -> RelayServer.check(node, withFilesUpTo("67108863")))
                .hasMessageStartingWith(
                        "ulimit -f (RLIMIT_FSIZE) is 67108863 bytes, and a cluster's log has files of 67108864 bytes. ");
    }
}
