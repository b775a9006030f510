package dev.msgrelay.loadgen.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CgroupTest {
    @TempDir
    private Path root;

    private Tree files;

    @BeforeEach
    void aTree() {
        files = new Tree(root);
    }

    @Test
    void versionTwoWithinAContainer() {
        Cgroup cgroup = Cgroup.read(files.with("proc/self/cgroup", "0::/")
                .with("sys/fs/cgroup/cpu.max", "150000 100000")
                .with("sys/fs/cgroup/memory.max", "536870912")
                .tree());
        assertThat(cgroup.cpus()).hasValue(1.5);
        assertThat(cgroup.memoryBytes()).hasValue(536_870_912L);
    }

    @Test
    void theTightestOnTheWayUpCounts() {
        Cgroup cgroup = Cgroup.read(files.with("proc/self/cgroup", "0::/user.slice/session.scope")
                .with("sys/fs/cgroup/user.slice/session.scope/cpu.max", "max 100000")
                .with("sys/fs/cgroup/user.slice/session.scope/memory.max", "2000000000")
                .with("sys/fs/cgroup/user.slice/cpu.max", "50000 100000")
                .with("sys/fs/cgroup/user.slice/memory.max", "1000000000")
                .tree());
        assertThat(cgroup.cpus()).hasValue(0.5);
        assertThat(cgroup.memoryBytes()).hasValue(1_000_000_000L);
    }

    @Test
    void versionOne() {
        files.with("proc/self/cgroup", "9:name=systemd:/\n4:memory:/jobs/1\n1:cpu,cpuacct:/jobs\n0::/")
                .with("sys/fs/cgroup/cpu/jobs/cpu.cfs_quota_us", "200000")
                .with("sys/fs/cgroup/cpu/jobs/cpu.cfs_period_us", "100000")
                .with("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1")
                .with("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000")
                .with("sys/fs/cgroup/memory/jobs/1/memory.limit_in_bytes", "9223372036854771712")
                .with("sys/fs/cgroup/memory/jobs/memory.limit_in_bytes", "800000000");
        Cgroup cgroup = Cgroup.read(files.tree());
        assertThat(cgroup.cpus()).hasValue(2.0);
        assertThat(cgroup.memoryBytes()).hasValue(800_000_000L);
    }

    @Test
    void noLimitIsNone() {
        Cgroup cgroup = Cgroup.read(files.with("proc/self/cgroup", "0::/\nnonsense")
                .with("sys/fs/cgroup/cpu.max", "max 100000")
                .with("sys/fs/cgroup/memory.max", "max")
                .tree());
        assertThat(cgroup.cpus()).isEmpty();
        assertThat(cgroup.memoryBytes()).isEmpty();
    }

    @Test
    void whereThereIsNoProcThereIsNothing() {
        Cgroup cgroup = Cgroup.read(files.tree());
        assertThat(cgroup.cpus()).isEmpty();
        assertThat(cgroup.memoryBytes()).isEmpty();
    }
}
