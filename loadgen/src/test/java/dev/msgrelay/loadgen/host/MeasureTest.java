package dev.msgrelay.loadgen.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.condition.OS.LINUX;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;

class MeasureTest {
    @Test
    void cpuTimeGrowsWithWork() {
        long pid = ProcessHandle.current().pid();
        long before = ProcessFigures.cpuNanos(pid);
        assertThat(before).isPositive();
        long deadline = System.nanoTime() + 120_000_000_000L;
        while (ProcessFigures.cpuNanos(pid) == before && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
        assertThat(ProcessFigures.cpuNanos(pid)).isGreaterThan(before);
    }

    @Test
    @EnabledOnOs(LINUX)
    void residentMemoryOfAJvmIsMoreThanAFewMegabytes() {
        assertThat(ProcessFigures.peakResidentBytes(ProcessHandle.current().pid()))
                .isGreaterThan(10L << 20);
        assertThat(ProcessFigures.peakResidentBytes(Long.MAX_VALUE)).isEqualTo(ProcessFigures.UNKNOWN);
    }

    @Test
    void aHopTakesSomeTime() throws InterruptedException {
        assertThat(CoreHop.measureNanos()).isPositive();
    }
}
