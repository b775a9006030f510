package dev.msgrelay.server.flow;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HeldTimeTest {
    private final HeldTime time = new HeldTime();

    @Test
    void nothingWasHeld() {
        assertThat(time.nanos(1_000)).isZero();
        time.end(2_000);
        assertThat(time.nanos(3_000)).isZero();
    }

    @Test
    void aHoldThatLastsCounts() {
        time.begin(100);
        assertThat(time.nanos(130)).isEqualTo(30);
        assertThat(time.nanos(150)).isEqualTo(50);
    }

    @Test
    void holdsAddUp() {
        time.begin(100);
        time.end(110);
        time.begin(1_000);
        time.end(1_005);
        assertThat(time.nanos(9_000)).isEqualTo(15);
    }

    @Test
    void aSecondBeginningIsPartOfTheFirst() {
        time.begin(100);
        time.begin(200);
        time.end(300);
        time.end(400);
        assertThat(time.nanos(500)).isEqualTo(200);
    }

    @Test
    void theClockMayBeNegative() {
        time.begin(-50);
        time.end(-20);
        assertThat(time.nanos(0)).isEqualTo(30);
    }
}
