package dev.msgrelay.loadgen.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ClockFiguresTest {
    @Test
    void costAndStepsOfAClockThatTakes40NanosAndStepsBy1000() {
        AtomicLong time = new AtomicLong();
        ClockFigures figures = ClockFigures.measure(() -> time.addAndGet(40) / 1_000 * 1_000);
        assertThat(figures.resolutionNanos()).isEqualTo(1_000);
        assertThat(figures.costNanos()).isEqualTo(40.0);
    }

    @Test
    void aClockThatStandsStillIsFoundOut() {
        assertThat(ClockFigures.measure(() -> 5).resolutionNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void theRealOneMoves() {
        ClockFigures figures = ClockFigures.measure();
        assertThat(figures.resolutionNanos()).isBetween(1L, Long.MAX_VALUE - 1);
        assertThat(figures.costNanos()).isPositive();
    }
}
