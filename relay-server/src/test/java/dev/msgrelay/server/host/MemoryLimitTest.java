package dev.msgrelay.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.testing.Tree;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MemoryLimitTest {
    private static final String V1 = """
            31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
            32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu
            35 31 0:32 %s /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
            42 31 0:39 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw""";
    private static final String V2 = "30 23 0:26 %s /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate";
    private static final String NO_LIMIT = "9223372036854771712";

    @TempDir
    private Path root;

    private Tree tree(String mounts, String mountRoot, String groups) {
        return new Tree(root)
                .with("proc/self/mountinfo", String.format(Locale.ROOT, mounts, mountRoot))
                .with("proc/self/cgroup", groups);
    }

    private Optional<MemoryLimit> lowest() {
        return MemoryLimit.lowest(new SystemTree(root));
    }

    @ParameterizedTest
    @CsvSource({
        // The host; a container without a namespace of its own, and one with it.
        "/, /a/b, sys/fs/cgroup/memory/a/b",
        "/docker/abc, /docker/abc, sys/fs/cgroup/memory",
        "/, /, sys/fs/cgroup/memory"
    })
    void version1(String mounted, String group, String directory) {
        tree(V1, mounted, "9:name=systemd:/\n4:cpu:/other\n2:memory:" + group + "\n0::/")
                .with(directory + "/memory.limit_in_bytes", "268435456")
                // Of the other version, which does not limit memory here.
                .with("sys/fs/cgroup/unified/memory.max", "1048576");
        assertThat(lowest()).contains(new MemoryLimit(256 << 20, "/" + directory + "/memory.limit_in_bytes"));
    }

    @Test
    void version2() {
        tree(V2, "/", "0::/system.slice/relay.service")
                .with("sys/fs/cgroup/system.slice/relay.service/memory.max", "268435456")
                .with("sys/fs/cgroup/system.slice/relay.service/memory.high", "max");
        assertThat(lowest())
                .contains(new MemoryLimit(256 << 20, "/sys/fs/cgroup/system.slice/relay.service/memory.max"));
    }

    @Test
    void theLowestUpTheTree() {
        Tree tree = tree(V2, "/", "0::/pod/inner/innermost")
                .with("sys/fs/cgroup/pod/inner/innermost/memory.max", "max")
                .with("sys/fs/cgroup/pod/inner/memory.max", "400")
                .with("sys/fs/cgroup/pod/memory.max", "300");
        assertThat(lowest()).contains(new MemoryLimit(300, "/sys/fs/cgroup/pod/memory.max"));
        tree.with("sys/fs/cgroup/pod/inner/memory.high", "200");
        assertThat(lowest()).contains(new MemoryLimit(200, "/sys/fs/cgroup/pod/inner/memory.high"));
        tree.with("proc/meminfo", "MemTotal:       1 kB\nMemFree:        0 kB")
                .with("sys/fs/cgroup/pod/inner/memory.high", "1025")
                .with("sys/fs/cgroup/pod/inner/memory.max", "1025")
                .with("sys/fs/cgroup/pod/memory.max", "1025");
        assertThat(lowest()).contains(new MemoryLimit(1024, "MemTotal in /proc/meminfo"));
    }

    @ParameterizedTest
    @CsvSource({"max", NO_LIMIT, "9223372036854775807", "-1", "0", "x", "''"})
    void noLimit(String text) {
        tree(V1, "/", "2:memory:/a").with("sys/fs/cgroup/memory/a/memory.limit_in_bytes", text);
        assertThat(lowest()).isEmpty();
        tree(V2, "/", "0::/a").with("sys/fs/cgroup/a/memory.max", text).with("proc/meminfo", "MemTotal: " + text);
        assertThat(lowest()).isEmpty();
    }

    @Test
    void nothingIsTold() {
        assertThat(lowest()).isEmpty();
    }
}
