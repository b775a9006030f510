package dev.msgrelay.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.cluster.DiskWatch.Progress;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How long the recordings of a node have stood, in virtual time. */
class DiskWatchTest {
    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final DiskWatch watch = new DiskWatch();
    // As the system's clock may: it begins below zero.
    private long now = -TimeUnit.HOURS.toNanos(2);

    private long look(Map<Long, Progress> recordings) {
        now += LOOK;
        return watch.look(recordings, now);
    }

    private long look(long present, long recorded) {
        return look(Map.of(7L, new Progress(present, recorded)));
    }

    /** Lets time pass in which nothing changes; returns what the last look said. */
    private long during(long nanos, long present, long recorded) {
        long last = 0;
        for (long end = now + nanos; now < end; ) {
            last = look(present, recorded);
        }
        return last;
    }

    @Test
    void aRecordingThatHasAllMayRestForEver() {
        assertThat(during(3600 * SECOND, 100, 100)).isZero();
        // The counters are read one after the other: the archive may be ahead of what was read before.
        assertThat(during(3600 * SECOND, 100, 132)).isZero();
    }

    @Test
    void aRecordingThatLacksBytesStandsFromTheFirstLookOn() {
        during(60 * SECOND, 100, 100);
        assertThat(look(132, 100)).isZero();
        assertThat(during(9 * SECOND, 132, 100)).isEqualTo(9 * SECOND);
        assertThat(during(SECOND, 132, 100)).isEqualTo(DiskWatch.PATIENCE_NANOS);
    }

    @Test
    void moreThatComesIsNoProgress() {
        look(132, 100);
        for (long present = 200; present < 240; present++) {
            look(present, 100);
        }
        assertThat(look(1_000, 100)).isEqualTo(41 * LOOK);
    }

    @Test
    void aSlowDiskIsOneThatMoves() {
        for (long recorded = 0; recorded < 100; recorded++) {
            assertThat(during(9 * SECOND, 1_000, recorded)).isLessThan(DiskWatch.PATIENCE_NANOS);
        }
    }

    @Test
    void allThatWasThereIsProgress() {
        during(9 * SECOND, 132, 100);
        assertThat(look(132, 132)).isZero();
        assertThat(look(164, 132)).isZero();
    }

    /** The process was stopped, or its machine: its disk had no time either. */
    @Test
    void aPauseIsNoStand() {
        look(132, 100);
        now += 100 * SECOND;
        assertThat(look(132, 100)).isEqualTo(DiskWatch.MOST_STEP_NANOS);
    }

    @Test
    void oneOfSeveralRecordingsStands() {
        long stands = 0;
        for (long recorded = 0; recorded < 40; recorded++) {
            stands = look(Map.of(
                    1L, new Progress(1_000, recorded),
                    2L, new Progress(1_000, 500),
                    3L, new Progress(recorded, recorded)));
        }
        assertThat(stands).isEqualTo(39 * LOOK);
    }

    /** A snapshot ends, and the next one begins with the same positions. */
    @Test
    void aRecordingThatHasEndedIsForgotten() {
        during(9 * SECOND, 132, 100);
        assertThat(look(Map.of())).isZero();
        assertThat(look(132, 100)).isZero();
        assertThat(look(Map.of(8L, new Progress(132, 100)))).isZero();
    }
}
