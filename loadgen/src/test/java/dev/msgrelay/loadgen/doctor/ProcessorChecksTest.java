package dev.msgrelay.loadgen.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.host.Tree;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProcessorChecksTest {
    @TempDir
    private Path root;

    @ParameterizedTest
    @CsvSource({"1, WARNING", "2, NOTE", "3, NOTE", "4, FINE", "64, FINE"})
    void fewCoresAreShared(int cores, Level level) {
        Finding finding = ProcessorChecks.cores(cores, "model");
        assertThat(finding.level()).isEqualTo(level);
        assertThat(finding.figures()).containsEntry("cores", cores);
    }

    @ParameterizedTest
    @CsvSource({
        "45,     FINE,    45 ns,   share a cache",
        "99,     FINE,    99 ns,   share a cache",
        "100,    NOTE,    100 ns,  not near",
        "150,    WARNING, 150 ns,  far apart",
        "230,    WARNING, 230 ns,  far apart",
        "89112,  WARNING, 89.1 us, busy with something else",
        "NaN,    NOTE,    unknown, one core only"
    })
    void aLongHopIsTold(double nanos, Level level, String value, String meaning) {
        Finding finding = ProcessorChecks.hop(nanos);
        assertThat(finding.level()).isEqualTo(level);
        assertThat(finding.value()).isEqualTo(value);
        assertThat(finding.meaning()).contains(meaning);
    }

    @Test
    void aVirtualMachineShowsInOneOfThreePlaces() {
        Tree files = new Tree(root);
        assertThat(ProcessorChecks.virtual(files.tree()).value()).isEqualTo("unknown");
        files.with("proc/cpuinfo", "model name : X\nflags\t\t: fpu vme sse");
        assertThat(ProcessorChecks.virtual(files.tree()).level()).isEqualTo(Level.FINE);
        assertThat(ProcessorChecks.virtual(files.tree()).value()).isEqualTo("no");
        files.with("proc/cpuinfo", "model name : X\nflags\t\t: fpu vme hypervisor sse");
        assertThat(ProcessorChecks.virtual(files.tree()).level()).isEqualTo(Level.NOTE);
        assertThat(ProcessorChecks.virtual(files.tree()).value()).isEqualTo("yes (the CPU's flags say so)");
        files.with("sys/class/dmi/id/sys_vendor", "QEMU").with("sys/class/dmi/id/product_name", "Standard PC");
        assertThat(ProcessorChecks.virtual(files.tree()).value()).isEqualTo("yes (QEMU Standard PC)");
        files.with("sys/hypervisor/type", "xen");
        assertThat(ProcessorChecks.virtual(files.tree()).value()).isEqualTo("yes (xen)");
    }

    @Test
    void onlyOneGovernorKeepsTheClockUp() {
        String file = "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
        Tree files = new Tree(root);
        assertThat(ProcessorChecks.governor(files.tree()).level()).isEqualTo(Level.NOTE);
        files.with(file, "performance");
        assertThat(ProcessorChecks.governor(files.tree()).level()).isEqualTo(Level.FINE);
        files.with(file, "powersave");
        assertThat(ProcessorChecks.governor(files.tree()).level()).isEqualTo(Level.WARNING);
        assertThat(ProcessorChecks.governor(files.tree()).value()).isEqualTo("powersave");
    }

    @Test
    void turboIsToldByEitherDriverOneOfThemTheOtherWayRound() {
        Tree files = new Tree(root);
        assertThat(ProcessorChecks.turbo(files.tree()).value()).isEqualTo("unknown");
        files.with("sys/devices/system/cpu/cpufreq/boost", "1");
        assertThat(ProcessorChecks.turbo(files.tree()).value()).isEqualTo("on");
        files.with("sys/devices/system/cpu/cpufreq/boost", "0");
        assertThat(ProcessorChecks.turbo(files.tree()).value()).isEqualTo("off");
        files.with("sys/devices/system/cpu/intel_pstate/no_turbo", "0");
        assertThat(ProcessorChecks.turbo(files.tree()).level()).isEqualTo(Level.NOTE);
        files.with("sys/devices/system/cpu/intel_pstate/no_turbo", "1");
        assertThat(ProcessorChecks.turbo(files.tree()).level()).isEqualTo(Level.FINE);
    }
}
