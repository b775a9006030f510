package dev.msgrelay.server.core;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.server.harness.Seeds;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The fuzz target itself, with random frames: it is run for longer by hand. */
class RunScanFuzzTargetTest {
    private static final int CASES = 20_000;
    private static final int MOST_BYTES = 600;

    @Test
    void holdsForRandomFrames() {
        Random random = Seeds.random("RunScanFuzzTargetTest");
        for (int i = 0; i < CASES; i++) {
            byte[] data = new byte[random.nextInt(MOST_BYTES)];
            // Types and lengths of few different bytes: many whole frames, some of them alike.
            for (int k = 0; k < data.length; k++) {
                data[k] = (byte) (random.nextInt(8) == 0 ? random.nextInt() : random.nextInt(20) == 0 ? 12 : 0);
            }
            RunScanFuzzTarget.fuzzerTestOneInput(data);
        }
    }

    @Test
    void wouldNoticeADifference() {
        RunScan other = new RunScan(100, 300);
        other.scan(java.nio.ByteBuffer.allocateDirect(16), 0, 16, 0);
        assertThatThrownBy(() -> new ReferenceScan(new byte[8], 8, 0, 100, 300).assertSame(other, "two frames, one"))
                .isInstanceOf(AssertionError.class);
    }
}
