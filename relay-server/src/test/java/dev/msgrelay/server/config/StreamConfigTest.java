package dev.msgrelay.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.protocol.FrameLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StreamConfigTest {
    @ParameterizedTest
    @ValueSource(
            ints = {1, 1 << 20, (1 << 20) + 1, 2_097_143, 2_097_144, 3_000_000, 32 << 20, FrameLayout.MAX_MAX_BODY})
    void theLongestBodyMakesItsRoom(int maxBody) {
        StreamConfig stream = StreamConfig.of(1500, 0, 0, maxBody);
        assertThat(stream.maxBody()).isEqualTo(maxBody);
        assertThat(stream.ringBytes()).isGreaterThanOrEqualTo(StreamConfig.DEFAULT_RING_BYTES);
        assertThat(stream.logBytes()).isGreaterThanOrEqualTo(StreamConfig.DEFAULT_LOG_BYTES);
        // Twice the longest frame in the ring, four times in the log.
        assertThat((long) stream.ringBytes()).isGreaterThanOrEqualTo(2L * FrameLayout.frameLength(maxBody));
        assertThat((long) stream.logBytes()).isGreaterThanOrEqualTo(4L * FrameLayout.frameLength(maxBody));
    }

    @Test
    void aBodyOfTheDefaultLengthChangesNothing() {
        assertThat(StreamConfig.of(1500, 0, 0, FrameLayout.DEFAULT_MAX_BODY))
                .isEqualTo(new StreamConfig(
                        1500, StreamConfig.DEFAULT_RING_BYTES, StreamConfig.DEFAULT_LOG_BYTES, 1 << 20));
    }

    @Test
    void aSizeThatWasAskedForIsKeptOrRefusedByName() {
        assertThat(StreamConfig.of(1500, 8 << 20, 32 << 20, 2_000_000))
                .isEqualTo(new StreamConfig(1500, 8 << 20, 32 << 20, 2_000_000));
        assertThatThrownBy(() -> StreamConfig.of(1500, 4 << 20, 0, 3_000_000))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("ring size 4194304 is too small: it must hold twice the longest run of 3000008 bytes"
                        + " (max body 3000000); without a ring size it does");
        assertThatThrownBy(() -> StreamConfig.of(1500, 0, 8 << 20, 3_000_000))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("log size 8388608 is not within ")
                .hasMessageEndingWith(" (max body 3000000)");
    }
}
