package dev.msgrelay.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.cluster.JournalWatch.Verdict;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The end of a node whose journal does not get to its disk, in virtual time. */
class JournalWatchTest {
    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(250);

    private final JournalWatch watch = new JournalWatch();
    private long now = 1;

    /** Lets time pass in which nothing changes; returns the last verdict. */
    private Verdict during(long nanos, long appended, long forced) {
        Verdict last = null;
        for (long end = now + nanos; now < end; now += LOOK) {
            last = watch.judge(appended, forced, now);
        }
        return last;
    }

    @Test
    void aJournalThatHasAllMayRestForEver() {
        assertThat(during(TimeUnit.HOURS.toNanos(1), 100, 100)).isEqualTo(Verdict.FINE);
        assertThat(during(TimeUnit.HOURS.toNanos(1), 100, Long.MAX_VALUE)).isEqualTo(Verdict.FINE);
    }

    @Test
    void aJournalThatIsBehindAndGetsOnIsFine() {
        for (long forced = 1; forced < 100; forced++) {
            assertThat(during(JournalWatch.ASK_NANOS - LOOK, 1_000, forced)).isEqualTo(Verdict.FINE);
        }
    }

    @Test
    void aJournalThatWasNotAskedIsAskedFirst() {
        during(LOOK, 100, 50);
        assertThat(during(JournalWatch.ASK_NANOS, 200, 50)).isEqualTo(Verdict.ASK);
        assertThat(during(LOOK, 200, 200)).isEqualTo(Verdict.FINE);
    }

    @Test
    void aJournalThatForcesNothingAlthoughItIsAskedIsTheEnd() {
        during(LOOK, 100, 50);
        assertThat(during(JournalWatch.END_NANOS - LOOK, 200, 50)).isEqualTo(Verdict.ASK);
        assertThat(during(2 * LOOK, 300, 50)).isEqualTo(Verdict.END);
    }

    /** The process stood still, or had no processor: the disk had no chance either. */
    @Test
    void aPauseIsNoEnd() {
        during(LOOK, 100, 50);
        now += TimeUnit.MINUTES.toNanos(1);
        assertThat(during(LOOK, 100, 50)).isEqualTo(Verdict.ASK);
        assertThat(during(LOOK, 100, 100)).isEqualTo(Verdict.FINE);
    }
}
