package dev.msgrelay.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class IdleTest {
    private final Idle idle = new Idle();

    private long[] next(int times) {
        return LongStream.range(0, times).map(i -> idle.nextNanos()).toArray();
    }

    @Test
    void waitsLongerTheLongerThereIsNothing() {
        assertThat(next(8)).containsExactly(0, 0, 20_000, 40_000, 80_000, 160_000, 320_000, 640_000);
        assertThat(next(17)).containsOnly(1_000_000);
        assertThat(next(100)).containsOnly(4_000_000);
    }

    @Test
    void workBeginsItAnew() {
        next(100);
        idle.idle(1);
        assertThat(next(3)).containsExactly(0, 0, 20_000);
        idle.idle(0);
        assertThat(next(1)).containsExactly(80_000);
    }
}
