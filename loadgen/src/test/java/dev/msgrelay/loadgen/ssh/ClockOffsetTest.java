package dev.msgrelay.loadgen.ssh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class ClockOffsetTest {
    /** The other clock is 1,000 ahead; the trips are lopsided, each in its own way. */
    @Test
    void theShortestRoundTripCountsAndIsWrongByHalfOfItAtMost() {
        ClockOffset offset = ClockOffset.of(List.of(
                new ClockOffset.Sample(100, 1_190, 200), // 90 there, 10 back
                new ClockOffset.Sample(300, 1_305, 320), // 5 there, 15 back
                new ClockOffset.Sample(400, 1_402, 500))); // 2 there, 98 back
        // 1,305 - (300 + 320) / 2
        assertThat(offset).isEqualTo(new ClockOffset(995, 10));
        assertThat(Math.abs(offset.aheadNanos() - 1_000)).isLessThanOrEqualTo(offset.uncertaintyNanos());
    }

    @Test
    void anOddTripIsRoundedToTheUncertainSide() {
        assertThat(ClockOffset.of(List.of(new ClockOffset.Sample(10, -50, 13)))).isEqualTo(new ClockOffset(-61, 2));
    }

    @Test
    void clocksFarApartDoNotOverflow() {
        long sent = Long.MAX_VALUE - 10;
        assertThat(ClockOffset.of(List.of(new ClockOffset.Sample(sent, sent + 5, sent + 8))))
                .isEqualTo(new ClockOffset(1, 4));
    }

    @Test
    void driftIsWhatTheOtherClockGained() {
        assertThat(new ClockOffset(150, 3).driftSince(new ClockOffset(100, 4))).isEqualTo(50);
    }

    @Test
    void theErrorOfARunIsTheWorstOfItsTwoEnds() {
        assertThat(new ClockOffset(100, 4).errorUntil(new ClockOffset(150, 3))).isEqualTo(53);
        assertThat(new ClockOffset(100, 4).errorUntil(new ClockOffset(50, 3))).isEqualTo(53);
        assertThat(new ClockOffset(100, 40).errorUntil(new ClockOffset(110, 3))).isEqualTo(40);
    }

    @Test
    void withoutAnAnswerThereIsNoOffset() {
        assertThatThrownBy(() -> ClockOffset.of(List.of())).hasMessage("no answer to tell the clocks apart by");
    }
}
