package dev.msgrelay.loadgen.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.host.CpuGroups.Quota;
import dev.msgrelay.server.host.SystemTree;
import dev.msgrelay.testing.Tree;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Recorded files of both versions: where the group of a process is, and what its limit has done. */
class CpuGroupsTest {
    private static final String V1 = """
            31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
            32 31 0:29 %s /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,%s
            35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
            42 31 0:39 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw""";
    private static final String V2 = "30 23 0:26 %s /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate";

    @TempDir
    private Path root;

    private Tree tree(String mounts, String groups) {
        return new Tree(root).with("proc/self/mountinfo", mounts).with("proc/self/cgroup", groups);
    }

    private static String stat1(long periods, long throttled, long nanos) {
        return "nr_periods " + periods + "\nnr_throttled " + throttled + "\nthrottled_time " + nanos
                + "\nnr_bursts 0\nburst_time 0";
    }

    @ParameterizedTest
    @CsvSource({
        "/, cpu, 1:cpu:/case",
        "/, 'cpu,cpuacct', '4:cpu,cpuacct:/case'",
        "/, 'cpuacct,cpu', '4:cpuacct,cpu:/case'"
    })
    void version1(String mounted, String controllers, String group) {
        Tree tree = tree(
                        String.format(Locale.ROOT, V1, mounted, controllers),
                        "9:name=systemd:/\n4:memory:/other\n" + group + "\n0::/")
                .with("sys/fs/cgroup/cpu/case/cpu.cfs_quota_us", "60000")
                .with("sys/fs/cgroup/cpu/case/cpu.cfs_period_us", "100000")
                .with("sys/fs/cgroup/cpu/case/cpu.stat", stat1(128, 36, 1_227_625_650))
                .with("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1")
                .with("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000");
        assertThat(CpuGroups.of(new SystemTree(tree.root())).lowest())
                .contains(new Quota("/sys/fs/cgroup/cpu/case", 0.6, 128, 36, 1_227_625_650));
    }

    @ParameterizedTest
    @CsvSource({
        // The host, a container with a namespace of its own, one without, and one that sees its group from beside.
        "/, /kubepods.slice/pod1, sys/fs/cgroup/kubepods.slice/pod1",
        "/, /, sys/fs/cgroup",
        "/docker/abc, /docker/abc, sys/fs/cgroup",
        "/docker/abc, /docker/abc/inner, sys/fs/cgroup/inner",
        "/docker/abc, /other, sys/fs/cgroup",
        "/, /../pod2, sys/fs/cgroup"
    })
    void version2(String mounted, String group, String directory) {
        Tree tree = tree(String.format(Locale.ROOT, V2, mounted), "0::" + group)
                .with(directory + "/cpu.max", "150000 100000")
                .with(
                        directory + "/cpu.stat",
                        "usage_usec 9\nuser_usec 5\nsystem_usec 4\nnr_periods 80\nnr_throttled 2\nthrottled_usec 1500");
        assertThat(CpuGroups.of(new SystemTree(tree.root())).lowest())
                .contains(new Quota("/" + directory, 1.5, 80, 2, 1_500_000));
    }

    @ParameterizedTest
    @CsvSource({"max 100000", "max", "-1", "x y", "0 100000", "60000 0", "60000"})
    void noLimit(String limit) {
        Tree tree = tree(String.format(Locale.ROOT, V2, "/"), "0::/a").with("sys/fs/cgroup/a/cpu.max", limit);
        assertThat(CpuGroups.of(new SystemTree(tree.root())).lowest()).isEmpty();
    }

    /** Without the controller there are no periods to count; a kernel older than it has no such file at all. */
    @Test
    void aLimitThatSaysNothingOfItself() {
        Tree tree = tree(String.format(Locale.ROOT, V2, "/"), "0::/a").with("sys/fs/cgroup/a/cpu.max", "50000 100000");
        assertThat(CpuGroups.of(new SystemTree(tree.root())).lowest())
                .contains(new Quota("/sys/fs/cgroup/a", 0.5, 0, 0, 0));
        tree.with("sys/fs/cgroup/a/cpu.stat", "usage_usec 9\nnr_throttled many");
        assertThat(CpuGroups.of(new SystemTree(tree.root())).lowest()).isEmpty();
    }

    @Test
    void noGroups() {
        assertThat(CpuGroups.of(new SystemTree(root)).groups().directories()).isEmpty();
        assertThat(CpuGroups.of(new SystemTree(
                                tree("rubbish - x\n\n", "rubbish\n::\n").root()))
                        .groups()
                        .directories())
                .isEmpty();
    }

    /** The outer group's limit holds for the inner one, and may be the one that is reached. */
    @Test
    void theGroupsAround() {
        Tree tree = tree(String.format(Locale.ROOT, V2, "/"), "0::/pod/inner")
                .with("sys/fs/cgroup/pod/inner/cpu.max", "50000 100000")
                .with("sys/fs/cgroup/pod/inner/cpu.stat", "nr_periods 10\nnr_throttled 4\nthrottled_usec 100")
                .with("sys/fs/cgroup/pod/cpu.max", "200000 100000")
                .with("sys/fs/cgroup/pod/cpu.stat", "nr_periods 10\nnr_throttled 0\nthrottled_usec 0");
        CpuGroups groups = CpuGroups.of(new SystemTree(tree.root()));
        List<Quota> before = groups.quotas();
        assertThat(groups.lowest().orElseThrow().cores()).isEqualTo(0.5);
        assertThat(CpuGroups.within(before, before)).isEqualTo(new Quota("/sys/fs/cgroup/pod/inner", 0.5, 0, 0, 0));
        tree.with("sys/fs/cgroup/pod/cpu.stat", "nr_periods 30\nnr_throttled 5\nthrottled_usec 70");
        assertThat(CpuGroups.within(before, groups.quotas()))
                .isEqualTo(new Quota("/sys/fs/cgroup/pod", 2, 20, 5, 70_000));
        assertThat(CpuGroups.within(List.of(), groups.quotas()).throttled())
                .as("nothing is known of the window's begin")
                .isZero();
        assertThat(CpuGroups.within(before, List.of())).isNull();
    }
}
