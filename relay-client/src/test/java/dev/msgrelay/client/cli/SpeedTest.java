package dev.msgrelay.client.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SpeedTest {
    @Test
    void theArticlesLine() {
        assertThat(new Speed(10_000_000, 1_080_000_000, 503_000_000).line())
                .isEqualTo("Time for 10000000 msg: 503; speed: 19880715 msg/s; 2147.1 MB/s");
    }

    @Test
    void json() {
        assertThat(new Speed(10_000_000, 1_080_000_000, 503_000_000).json("report"))
                .isEqualTo("{\"event\":\"report\",\"messages\":10000000,\"bytes\":1080000000,\"ms\":503,"
                        + "\"msgPerSec\":19880715,\"mbPerSec\":2147.1}");
    }

    @Test
    void noTimeAtAllDividesByNothing() {
        assertThat(new Speed(0, 0, 0).line()).isEqualTo("Time for 0 msg: 0; speed: 0 msg/s; 0.0 MB/s");
    }
}
