package dev.msgrelay.loadgen.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.evidence.Signals.Rates;
import org.junit.jupiter.api.Test;

class RatesTest {
    @Test
    void aScheduleIsKeptToAHundredth() {
        assertThat(new Rates(10_000, 10_000, 10_000, 0, 10).kept()).isTrue();
        assertThat(new Rates(10_000, 9_901, 9_901, 0, 10).kept()).isTrue();
        assertThat(new Rates(10_000, 9_899, 10_000, 0, 10).kept()).isFalse();
        assertThat(new Rates(10_000, 10_000, 9_899, 0, 10).kept())
                .as("what leaves shall also arrive")
                .isFalse();
    }

    @Test
    void whatCrossesTheEdgesOfAShortWindowIsNotMissed() {
        assertThat(new Rates(1_000, 951, 951, 0, 0.4).kept()).isTrue();
        assertThat(new Rates(1_000, 949, 949, 0, 0.4).kept()).isFalse();
    }

    @Test
    void aBurstAtTheEdgeOfAWindowIsNotMissed() {
        assertThat(new Rates(1_000, 941, 941, 0, 10, 50).kept()).isTrue();
        assertThat(new Rates(1_000, 939, 939, 0, 10, 50).kept()).isFalse();
    }

    @Test
    void fullSpeedIsNoSchedule() {
        assertThat(new Rates(0, 10_000_000, 10_000_000, 0, 10).kept()).isFalse();
    }

    @Test
    void whatNobodyCountedWasNotKept() {
        assertThat(new Rates(1_000, Double.NaN, 1_000, 0, 10).kept()).isFalse();
    }
}
