package dev.msgrelay.loadgen.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.host.Finding.Level;
import dev.msgrelay.server.host.SystemTree;
import dev.msgrelay.testing.Tree;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DoctorTest {
    private static final Map<String, Function<SystemTree, Finding>> CHECKS = Map.of(
            "virtual", Doctor::virtual,
            "load", tree -> Doctor.load(tree, 2),
            "memory", Doctor::memory,
            "files", Doctor::openFiles,
            "tcp", tree -> Doctor.congestionControl(tree, 2, Optional.empty()));

    @TempDir
    private Path root;

    @ParameterizedTest(name = "{0}: {2}")
    @CsvSource({
        "virtual, proc/cpuinfo, 'flags : fpu hypervisor', NOTE, yes",
        "virtual, proc/cpuinfo, 'flags : fpu vme', FINE, no",
        "load, proc/loadavg, 0.20 0.1 0.1, FINE, 0.20 on 2 cores",
        "load, proc/loadavg, 1.70 0.1 0.1, WARNING, 1.70 on 2 cores",
        "load, proc/loadavg, none, NOTE, unknown",
        "memory, proc/meminfo, 'MemAvailable: 4000000 kB', FINE, 4.1 GB available",
        "memory, proc/meminfo, 'MemAvailable: 500000 kB', WARNING, 0.5 GB available",
        "files, proc/self/limits, 'Max open files 20000 20000 files', FINE, 20000",
        "files, proc/self/limits, 'Max open files 1024 4096 files', NOTE, 1024",
        "files, proc/self/limits, 'Max open files 32 32 files', IMPOSSIBLE, 32",
        "files, proc/self/limits, 'Max open files unlimited unlimited files', FINE, unlimited",
        "tcp, proc/sys/net/ipv4/tcp_congestion_control, cubic, FINE, cubic",
        "tcp, proc/sys/net/ipv4/tcp_congestion_control, bbr, NOTE, bbr",
    })
    void aFileOfTheSystemIsAFinding(String check, String file, String content, Level level, String value) {
        Finding finding = CHECKS.get(check)
                .apply(new SystemTree(new Tree(root).with(file, content).root()));
        assertThat(finding.level()).isEqualTo(level);
        assertThat(finding.value()).isEqualTo(value);
        assertThat(finding.meaning()).isNotBlank();
    }

    @Test
    void aFileThatIsNotThereIsUnknown() {
        SystemTree empty = new SystemTree(root);
        assertThat(CHECKS.values()).allSatisfy(check -> {
            assertThat(check.apply(empty).value()).isEqualTo("unknown");
            assertThat(check.apply(empty).level()).isEqualTo(Level.NOTE);
        });
    }

    @Test
    void aQuotaOfCpuTime() {
        Tree tree = new Tree(root)
                .with("proc/self/cgroup", "0::/pod")
                .with("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw");
        assertThat(Doctor.quota(CpuGroups.of(new SystemTree(tree.root()))).line())
                .startsWith("fine        CPU quota: none; ");
        tree.with("sys/fs/cgroup/pod/cpu.max", "60000 100000")
                .with("sys/fs/cgroup/pod/cpu.stat", "nr_periods 1280\nnr_throttled 36\nthrottled_usec 1227625");
        Finding finding = Doctor.quota(CpuGroups.of(new SystemTree(tree.root())));
        assertThat(finding.level()).isEqualTo(Level.WARNING);
        assertThat(finding.value())
                .isEqualTo("0.60 cores, reached in 36 of 1,280 periods: throttled for 1.23 s, over all cores");
        assertThat(finding.meaning()).contains("lift the limit of /sys/fs/cgroup/pod");
        assertThat(Doctor.quota(CpuGroups.of(new SystemTree(root.resolve("none"))))
                        .value())
                .isEqualTo("unknown");
    }

    @Test
    void coresAndTheirDistance() {
        assertThat(Doctor.cores(1, "x").level()).isEqualTo(Level.WARNING);
        assertThat(Doctor.cores(2, "x").level()).isEqualTo(Level.NOTE);
        assertThat(Doctor.cores(8, "x").value()).isEqualTo("8 (x)");
        assertThat(Doctor.hop(50).level()).isEqualTo(Level.FINE);
        assertThat(Doctor.hop(230).meaning()).contains("far apart");
        assertThat(Doctor.hop(5_000).meaning()).contains("busy");
        assertThat(Doctor.hop(Double.NaN).value()).isEqualTo("unknown");
    }

    @Test
    void aClockThatStandsStillTimesNothing() {
        assertThat(Doctor.clock(() -> 7).level()).isEqualTo(Level.IMPOSSIBLE);
        AtomicLong now = new AtomicLong();
        assertThat(Doctor.clock(() -> now.addAndGet(20)).line())
                .startsWith("fine        clock: ")
                .contains("steps of 20 ns");
        assertThat(Doctor.clock(() -> now.addAndGet(2_000)).level()).isEqualTo(Level.WARNING);
    }

    @Test
    void aDefaultThatBrakesLoopbackIsToldWithARemedyAndOtherwiseNone() {
        SystemTree bbr = new SystemTree(new Tree(root)
                .with("proc/sys/net/ipv4/tcp_congestion_control", "bbr")
                .root());
        Finding braked = Doctor.congestionControl(bbr, 2, Optional.of(new LoopbackSpeeds("cubic", 2e9, 5e9)));
        assertThat(braked.line().replaceAll("\n +", " "))
                .startsWith(
                        "note        TCP congestion control: bbr, by which loopback has 0.40 of its speed by cubic; ")
                .contains("sysctl net.ipv4.tcp_congestion_control=cubic");
        assertThat(braked.ratio()).isEqualTo(0.4);
        Finding free = Doctor.congestionControl(bbr, 2, Optional.of(new LoopbackSpeeds("cubic", 4.5e9, 5e9)));
        assertThat(free.level()).isEqualTo(Level.FINE);
        assertThat(free.line()).doesNotContain("sysctl", "hide");
        SystemTree busy = new SystemTree(
                new Tree(root).with("proc/loadavg", "1.70 0.1 0.1").root());
        Finding hidden = Doctor.congestionControl(busy, 2, Optional.of(new LoopbackSpeeds("cubic", 4.5e9, 5e9)));
        assertThat(hidden.level()).isEqualTo(Level.NOTE);
        assertThat(hidden.meaning()).contains("other programs hide one");
        assertThat(Doctor.congestionControl(bbr, 2, Optional.empty()).ratio()).isNaN();
    }

    @Test
    void optionsOfTheEnvironmentAreNamed() {
        assertThat(Doctor.options(Map.of("PATH", "/bin")).level()).isEqualTo(Level.FINE);
        assertThat(Doctor.options(Map.of("JAVA_TOOL_OPTIONS", "-Xint")).value()).isEqualTo("JAVA_TOOL_OPTIONS=-Xint");
    }

    @Test
    void oneThatIsImpossibleMakesRunsImpossible() {
        List<Finding> doubtful = List.of(Doctor.cores(8, "x"), Doctor.hop(230));
        assertThat(Doctor.summary(doubtful))
                .isEqualTo("yes, runs are possible, but figures taken now are doubtful: 1 warning");
        assertThat(Doctor.sorted(doubtful)).first().isEqualTo(Doctor.hop(230));
        assertThat(Doctor.summary(List.of(Doctor.cores(8, "x")))).startsWith("yes: ");
        assertThat(Doctor.summary(List.of(Doctor.clock(() -> 7)))).startsWith("no: ");
        assertThat(Doctor.cores(3, "a long name of a processor").line().lines())
                .hasSize(2)
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(80));
        assertThat(Doctor.runsArePossible(List.of(Doctor.clock(() -> 7)))).isFalse();
        assertThat(Doctor.lanes(new LaneTools("", "no command tc here")).meaning())
                .startsWith("no command tc here: needs ip, tc");
    }
}
