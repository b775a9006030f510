package dev.msgrelay.loadgen.shootout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.shootout.MaxRateSearch.Attempt;
import dev.msgrelay.loadgen.shootout.MaxRateSearch.Bounds;
import dev.msgrelay.loadgen.shootout.MaxRateSearch.Ending;
import dev.msgrelay.loadgen.shootout.MaxRateSearch.Result;
import dev.msgrelay.loadgen.shootout.MaxRateSearch.Try;
import java.util.HashSet;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MaxRateSearchTest {
    private static final double RESOLUTION = 0.05;
    private static final long SECOND = 1_000_000_000L;
    private static final Bounds WIDE = new Bounds(1_000, 1, 10_000_000, RESOLUTION, 100, 1_000 * SECOND);

    private final AtomicLong clock = new AtomicLong(-7);

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 17, 999, 1_000, 1_001, 65_432, 1_999_999, 9_700_000})
    void theTrueRateIsFoundToTheResolution(long truth) throws Exception {
        Result result = search(WIDE, upTo(truth));
        assertThat(result.ending()).isEqualTo(Ending.FOUND);
        assertThat(result.rate()).isLessThanOrEqualTo(truth);
        assertThat(truth - result.rate()).isLessThanOrEqualTo((long) Math.ceil(RESOLUTION * result.rate()));
        assertThat(result.attempts())
                .filteredOn(one -> one.rate() == result.rate())
                .hasSize(3)
                .allMatch(Attempt::passed);
        assertThat(result.notes())
                .containsExactly(String.format(
                        Locale.ROOT, "at %,d 3 of 3 runs passed, with p99s from 1.00 to 1.00 ms", result.rate()));
    }

    @Test
    void probesAreFew() throws Exception {
        // 6 doublings to 64,000, which fails twice; twice more 32,000; then 4 or 5 bisections of 2 or 3 each.
        assertThat(search(WIDE, upTo(50_000)).attempts()).hasSizeBetween(15, 24);
    }

    @Test
    void aRateThatFailsTwiceHasFailed() throws Exception {
        Result result = search(WIDE, upTo(1_500));
        assertThat(result.attempts().stream().filter(one -> one.rate() == 2_000))
                .hasSize(2)
                .noneMatch(Attempt::passed);
    }

    @Test
    void aRateThatFailsByAccidentIsTriedUntilThreeOfFourPass() throws Exception {
        Set<Long> disturbed = new HashSet<>();
        Result result =
                search(WIDE, rate -> disturbed.add(rate) ? "somebody else wanted the core" : fail(rate > 50_000));
        assertThat(result.ending()).isEqualTo(Ending.FOUND);
        assertThat((double) result.rate()).isCloseTo(50_000, within(RESOLUTION * 50_000));
        assertThat(result.attempts().stream().filter(one -> one.rate() == 1_000))
                .hasSize(4);
        assertThat(result.notes())
                .contains("1,000 passed 3 of 4 times, 3 have to pass of 4; failed: somebody else wanted the core");
    }

    /** Failed first, passed once: it is not the highest rate for that. */
    @Test
    void aRateThatPassesHalfOfTheTimeDoesNotCount() throws Exception {
        AtomicLong number = new AtomicLong();
        Result result = search(WIDE, rate -> fail(rate > 10_000 || rate > 900 && number.getAndIncrement() % 2 == 0));
        assertThat(result.ending()).isEqualTo(Ending.FOUND);
        assertThat(result.rate()).isBetween(850L, 900L);
    }

    @Test
    void whatPassedOnTheWayUpIsTriedAgainBeforeItCounts() throws Exception {
        AtomicLong number = new AtomicLong();
        // 1000, 2000, 4000 and 8000 pass; from then on nothing over 1500.
        Result result = search(WIDE, rate -> fail(rate > (number.getAndIncrement() < 4 ? 8_000 : 1_500)));
        assertThat(result.ending()).isEqualTo(Ending.FOUND);
        assertThat(result.rate()).isBetween(1_425L, 1_500L);
        assertThat(result.notes())
                .anyMatch(note ->
                        note.equals("4,000 passed 1 of 3 times, 3 have to pass of 4; failed: too slow; too slow"));
    }

    @Test
    void runsThatWereRepeatedAreRunsOfTheSearch() throws Exception {
        Bounds bounds = new Bounds(1_000, 1, 10_000_000, RESOLUTION, 10, 1_000 * SECOND);
        Result result =
                new MaxRateSearch(bounds, (rate, most) -> new Try("", Math.min(3, most), 1_000_000), clock::get).run();
        assertThat(result.attempts()).as("3, 3, 3 and 1 run").hasSize(4);
        assertThat(result.ending()).isEqualTo(Ending.CUT_SHORT);
    }

    @Test
    void aNoisyMachineGivesARateThatPassed() throws Exception {
        for (long seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            Result result = search(WIDE, rate -> fail(rate * (0.8 + 0.4 * random.nextDouble()) > 50_000));
            assertThat(result.ending()).as("seed %d", seed).isIn(Ending.FOUND, Ending.NEVER_PASSED);
            if (result.ending() == Ending.FOUND) {
                assertThat(result.rate()).as("seed %d", seed).isBetween(40_000L, 62_500L);
                assertThat(result.attempts().stream().filter(one -> one.rate() == result.rate() && one.passed()))
                        .as("seed %d", seed)
                        .hasSize(3);
            }
        }
    }

    @Test
    void whatNeverPassesIsSaid() throws Exception {
        Result result = search(WIDE, rate -> "p99 7.0 ms");
        assertThat(result.ending()).isEqualTo(Ending.NEVER_PASSED);
        assertThat(result.rate()).isZero();
        assertThat(last(result).rate()).isEqualTo(1);
    }

    @Test
    void whatAlwaysPassesEndsAtTheHighestRate() throws Exception {
        Result result = search(WIDE, rate -> "");
        assertThat(result.ending()).isEqualTo(Ending.AT_HIGHEST);
        assertThat(result.rate()).isEqualTo(10_000_000);
        assertThat(result.attempts()).allMatch(one -> one.rate() <= 10_000_000);
    }

    @Test
    void probesAreBounded() throws Exception {
        for (int probes = 1; probes <= 20; probes++) {
            Bounds bounds = new Bounds(1_000, 1, 10_000_000, RESOLUTION, probes, 1_000 * SECOND);
            Result result = search(bounds, upTo(50_000));
            assertThat(result.attempts()).hasSizeLessThanOrEqualTo(probes);
            if (result.ending() == Ending.CUT_SHORT) {
                long best = result.attempts().stream()
                        .filter(Attempt::passed)
                        .mapToLong(Attempt::rate)
                        .max()
                        .orElse(0);
                assertThat(result.rate()).as("%d probes", probes).isEqualTo(best);
            }
        }
    }

    @Test
    void aSearchThatIsCutShortWhenAllThatPassedFailedSinceTellsNone() throws Exception {
        Bounds bounds = new Bounds(1_000, 1_000, 1_000, RESOLUTION, 2, 1_000 * SECOND);
        AtomicLong left = new AtomicLong(1);
        Result result = search(bounds, rate -> fail(left.getAndDecrement() <= 0));
        assertThat(result.attempts()).extracting(Attempt::passed).containsExactly(true, false);
        assertThat(result.ending()).isEqualTo(Ending.CUT_SHORT);
        assertThat(result.rate()).isZero();
    }

    @Test
    void timeIsBoundedAndNoProbeIsBegunThatWouldTakeLonger() throws Exception {
        Bounds bounds = new Bounds(1_000, 1, 10_000_000, RESOLUTION, 100, 35 * SECOND);
        Result result = search(bounds, rate -> {
            clock.addAndGet(10 * SECOND);
            return "";
        });
        assertThat(result.attempts()).hasSize(3);
        assertThat(result.ending()).isEqualTo(Ending.CUT_SHORT);
        assertThat(result.rate()).isEqualTo(4_000);
    }

    @Test
    void aProbeThatThrowsEndsTheSearch() {
        assertThatThrownBy(() -> search(WIDE, rate -> {
                    throw new RunException("relay ended");
                }))
                .isInstanceOf(RunException.class)
                .hasMessage("relay ended");
    }

    @Test
    void boundsThatDoNotFitAreRefused() {
        assertThatThrownBy(() -> new Bounds(5, 6, 7, RESOLUTION, 1, 1))
                .hasMessageContaining("start 5 is not within 6..7");
        assertThatThrownBy(() -> new Bounds(8, 6, 7, RESOLUTION, 1, 1))
                .hasMessageContaining("start 8 is not within 6..7");
        assertThatThrownBy(() -> new Bounds(1, 0, 7, RESOLUTION, 1, 1))
                .hasMessageContaining("start 1 is not within 0..7");
        assertThatThrownBy(() -> new Bounds(6, 6, 7, 0, 1, 1)).hasMessageContaining("resolution 0.0");
    }

    private interface Behaviour {
        String failure(long rate) throws RunException;
    }

    private Result search(Bounds bounds, Behaviour behaviour) throws Exception {
        return new MaxRateSearch(bounds, (rate, most) -> new Try(behaviour.failure(rate), 1, 1_000_000), clock::get)
                .run();
    }

    private static Behaviour upTo(long truth) {
        return rate -> fail(rate > truth);
    }

    private static String fail(boolean failed) {
        return failed ? "too slow" : "";
    }

    private static Attempt last(Result result) {
        return result.attempts().get(result.attempts().size() - 1);
    }
}
