package dev.msgrelay.loadgen.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.host.ClockFigures;
import dev.msgrelay.loadgen.host.TreeTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KernelChecksTest extends TreeTest {
    @Test
    void otherSystemsThanLinuxTellLess() {
        assertThat(KernelChecks.kernel("Linux", "6.1").level()).isEqualTo(Level.FINE);
        assertThat(KernelChecks.kernel("Mac OS X", "15").level()).isEqualTo(Level.NOTE);
    }

    @ParameterizedTest
    @CsvSource({"tsc, FINE", "arch_sys_counter, FINE", "kvm-clock, NOTE", "hpet, WARNING", "acpi_pm, WARNING"})
    void clockSources(String source, Level level) {
        files.with("sys/devices/system/clocksource/clocksource0/current_clocksource", source);
        Finding finding = KernelChecks.clockSource(files.tree());
        assertThat(finding.value()).isEqualTo(source);
        assertThat(finding.level()).isEqualTo(level);
    }

    @ParameterizedTest
    @CsvSource({
        "1,    25,  FINE,       '25 ns a call, steps of 1 ns'",
        "999,  99,  FINE,       '99 ns a call, steps of 999 ns'",
        "1,    100, WARNING,    '100 ns a call, steps of 1 ns'",
        "1000, 25,  WARNING,    '25 ns a call, steps of 1,000 ns'",
        "9223372036854775807, 25, IMPOSSIBLE, does not move",
    })
    void clocks(long resolution, double cost, Level level, String value) {
        Finding finding = KernelChecks.nanoTime(new ClockFigures(resolution, cost));
        assertThat(finding.level()).isEqualTo(level);
        assertThat(finding.value()).isEqualTo(value);
    }

    @Test
    void autogroupMakesARunOneOfSeveral() {
        assertThat(KernelChecks.autogroup(files.tree()).value()).isEqualTo("unknown");
        files.with("proc/sys/kernel/sched_autogroup_enabled", "1");
        assertThat(KernelChecks.autogroup(files.tree()).level()).isEqualTo(Level.NOTE);
        files.with("proc/sys/kernel/sched_autogroup_enabled", "0");
        assertThat(KernelChecks.autogroup(files.tree()).level()).isEqualTo(Level.FINE);
    }

    @ParameterizedTest
    @CsvSource({
        "[always] madvise never, always, NOTE",
        "always [madvise] never, madvise, FINE",
        "always madvise [never], never, FINE",
        "garbage, unknown, NOTE",
    })
    void hugePages(String content, String value, Level level) {
        files.with("sys/kernel/mm/transparent_hugepage/enabled", content);
        Finding finding = KernelChecks.hugePages(files.tree());
        assertThat(finding.value()).isEqualTo(value);
        assertThat(finding.level()).isEqualTo(level);
    }

    @ParameterizedTest
    @CsvSource({
        "0.99 2 3 1/1 5, 4, FINE,    0.99 on 4 cores",
        "1.00 0 0 1/1 5, 4, NOTE,    1.00 on 4 cores",
        "2.00 0 0 1/1 5, 4, WARNING, 2.00 on 4 cores",
        "0.99 0 0 1/1 5, 1, WARNING, 0.99 on 1 core",
        "what,           4, NOTE,    unknown",
    })
    void loadIsPutInProportionToTheCores(String content, int cores, Level level, String value) {
        files.with("proc/loadavg", content);
        Finding finding = KernelChecks.load(files.tree(), cores);
        assertThat(finding.level()).isEqualTo(level);
        assertThat(finding.value()).isEqualTo(value);
    }
}
