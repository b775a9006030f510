package dev.msgrelay.loadgen.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.host.Cgroup;
import dev.msgrelay.loadgen.host.TreeTest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResourceChecksTest extends TreeTest {
    @Test
    void aContainersLimitsAreTold() {
        Cgroup none = new Cgroup(OptionalDouble.empty(), OptionalLong.empty());
        assertThat(ResourceChecks.limits(none, 4, true).value()).isEqualTo("none");
        assertThat(ResourceChecks.limits(none, 4, true).level()).isEqualTo(Level.FINE);
        assertThat(ResourceChecks.limits(none, 4, false).value()).isEqualTo("unknown");

        Finding tight = ResourceChecks.limits(new Cgroup(OptionalDouble.of(1.5), OptionalLong.of(512L << 20)), 2, true);
        assertThat(tight.level()).isEqualTo(Level.WARNING);
        assertThat(tight.value()).isEqualTo("1.50 cores, 536.9 MB of memory");
        assertThat(tight.meaning()).contains("until the next period", "1.0 GB");

        Finding roomy = ResourceChecks.limits(new Cgroup(OptionalDouble.empty(), OptionalLong.of(8L << 30)), 2, true);
        assertThat(roomy.level()).isEqualTo(Level.FINE);
        assertThat(roomy.value()).isEqualTo("8.6 GB of memory");
    }

    @ParameterizedTest
    @CsvSource({
        "MemAvailable:   976563 kB, FINE,    1.0 GB available",
        "MemAvailable:   976562 kB, WARNING, 1000.0 MB available",
        "MemFree:        976562 kB, NOTE,    unknown",
        "MemAvailable:   lots,      NOTE,    unknown",
    })
    void memory(String line, Level level, String value) {
        Finding finding = ResourceChecks.memory(
                files.with("proc/meminfo", "MemTotal: 1 kB\n" + line).tree());
        assertThat(finding.level()).isEqualTo(level);
        assertThat(finding.value()).isEqualTo(value);
    }

    @ParameterizedTest
    @CsvSource({
        "4096,      1048576,   FINE,       'about 3,996 connections'",
        "unlimited, unlimited, FINE,       all connections",
        "4095,      4096,      NOTE,       'about 3,995 connections'",
        "64,        64,        NOTE,       about 0 connections",
        "63,        63,        IMPOSSIBLE, not enough for a JVM",
    })
    void openFiles(String soft, String hard, Level level, String meaning) {
        files.with(
                "proc/self/limits",
                "Limit                     Soft Limit           Hard Limit           Units\n"
                        + "Max processes             96365                96365                processes\n"
                        + "Max open files            " + soft + "                 " + hard + "               files");
        Finding finding = ResourceChecks.openFiles(files.tree(), OptionalLong.of(7));
        assertThat(finding.level()).isEqualTo(level);
        assertThat(finding.meaning()).contains(meaning);
        assertThat(finding.value()).isEqualTo("soft " + soft + ", hard " + hard);
    }

    @Test
    void withoutProcTheJvmIsAskedForOpenFiles() {
        assertThat(ResourceChecks.openFiles(files.tree(), OptionalLong.of(10_240))
                        .value())
                .isEqualTo("soft 10240, hard 10240");
        assertThat(ResourceChecks.openFiles(files.tree(), OptionalLong.empty()).value())
                .isEqualTo("unknown");
    }

    @Test
    void socketsNeedADirectoryWithAShortPath() throws Exception {
        assertThat(ResourceChecks.temporaryDirectory(root.resolve("none")).level())
                .isEqualTo(Level.WARNING);
        Path longer = Files.createDirectories(root.resolve("x".repeat(100)));
        Finding finding = ResourceChecks.temporaryDirectory(longer);
        assertThat(finding.level()).isEqualTo(Level.WARNING);
        assertThat(finding.meaning()).contains(longer.toString().length() + " bytes", "over the 59");
    }
}
