package dev.msgrelay.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WriteSizeTest {
    private static final int LARGEST = 262_144;

    @ParameterizedTest
    @CsvSource({"1500, false, 1448", "1500, true, 1428", "9000, false, 8948", "65536, false, 65483"})
    void isAWholeNumberOfSegments(int mtu, boolean ipv6, int segment) {
        int size = WriteSize.ofMtu(mtu, ipv6);
        assertThat(size % segment).isZero();
        assertThat(size).isBetween(LARGEST - segment, LARGEST);
    }

    @Test
    void anMtuThatSaysNothingMeansJustLarge() {
        assertThat(WriteSize.ofMtu(40, false)).isEqualTo(LARGEST);
    }
}
