package dev.msgrelay.loadgen.measure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PathMtuTest {
    @Test
    void aSegmentIsTheMtuLessItsHeaders() {
        assertThat(PathMtu.segment(65_536)).isEqualTo(65_483);
        assertThat(PathMtu.segment(9_000)).isEqualTo(8_948);
        assertThat(PathMtu.segment(1_500)).isEqualTo(1_448);
    }

    @Test
    void aWriteIsAWholeNumberOfSegments() {
        assertThat(PathMtu.wholeSegments(65_536, 128 << 10)).isEqualTo(2 * 65_483);
        assertThat(PathMtu.wholeSegments(9_000, 128 << 10)).isEqualTo(14 * 8_948);
        assertThat(PathMtu.wholeSegments(1_500, 128 << 10)).isEqualTo(90 * 1_448);
    }

    @Test
    void itIsOneAtLeast() {
        assertThat(PathMtu.wholeSegments(65_536, 1_000)).isEqualTo(65_483);
    }
}
