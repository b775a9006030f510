package dev.msgrelay.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.config.LimitsConfig;
import dev.msgrelay.server.config.RelayConfig;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FrameProgressTest {
    private static final LimitsConfig LIMITS = RelayConfig.builder().build().limits();
    private static final long PERIOD = LIMITS.frameTimeout().toNanos();
    private static final long LEAST = LIMITS.minRate() * TimeUnit.NANOSECONDS.toSeconds(PERIOD);

    private final FrameProgress progress = new FrameProgress(LIMITS, 0);

    @Test
    void whatBringsTheLeastRateIsLeftAlone() {
        assertThat(look(1, false, LEAST)).isNull();
        assertThat(look(2, false, 2 * LEAST)).isNull();
        assertThat(look(3, false, 3 * LEAST - 1)).contains("" + (LEAST - 1)).contains("the least is " + LEAST);
    }

    @Test
    void whoeverHoldsUpOthersForAWholePeriodHasToHurry() {
        long fast = FrameProgress.HURRY * LEAST;
        assertThat(look(1, true, LEAST)).as("the others came within the period").isNull();
        assertThat(look(2, true, LEAST + fast)).isNull();
        assertThat(look(3, true, LEAST + 2 * fast - 1)).contains("the least is " + fast);
    }

    @Test
    void othersThatHaveGoneMeanwhileDoNotCount() {
        assertThat(look(1, true, LEAST)).isNull();
        assertThat(progress.look(PERIOD + PERIOD / 2, true, false, 0, LEAST, 0)).isNull();
        assertThat(look(2, true, 2 * LEAST)).isNull();
    }

    /** At the least rate a record of 16 KiB takes longer than the period, and brings no data until it is whole. */
    @Test
    void whatHasComeOfARecordIsProgress() {
        int least = (int) LEAST;
        assertThat(looksAtRecord(1, 0, least)).isNull();
        assertThat(looksAtRecord(2, 2 * LEAST, 0)).isNull();
        assertThat(looksAtRecord(3, 2 * LEAST, least)).isNull();
        assertThat(looksAtRecord(4, 2 * LEAST, 2 * least - 1)).isNotNull();
    }

    @Test
    void recordsThatBringNoDataAreNoProgress() {
        int record = 16 << 10;
        assertThat(looksAtRecord(1, 0, record)).isNull();
        assertThat(looksAtRecord(2, 0, record)).isNotNull();
    }

    private String looksAtRecord(int periods, long bytes, int begun) {
        return progress.look(periods * (PERIOD + 1), true, false, 0, bytes, begun);
    }

    private String look(int periods, boolean holdsUpOthers, long bytes) {
        return progress.look(periods * (PERIOD + 1), true, holdsUpOthers, 0, bytes, 0);
    }
}
