package dev.msgrelay.loadgen.shootout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.shootout.MaxRateSearch.Attempt;
import dev.msgrelay.loadgen.shootout.MaxRateSearch.Bounds;
import dev.msgrelay.loadgen.shootout.MaxRateSearch.Ending;
import dev.msgrelay.loadgen.shootout.MaxRateSearch.Probe;
import dev.msgrelay.loadgen.shootout.MaxRateSearch.Result;
import java.util.HashSet;
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
        assertThat(last(result)).isEqualTo(new Attempt(result.rate(), ""));
        assertThat(result.notes()).isEmpty();
    }

    @Test
    void probesAreFew() throws Exception {
        // 6 doublings to 64,000, twice; then 4 or 5 bisections, half of them twice; then the confirmation.
        assertThat(search(WIDE, upTo(50_000)).attempts()).hasSizeBetween(10, 18);
    }

    @Test
    void aFailingProbeIsRepeatedOnceAndNoMore() throws Exception {
        Result result = search(WIDE, upTo(1_500));
        assertThat(result.attempts().stream().filter(one -> one.rate() == 2_000))
                .hasSize(2)
                .noneMatch(Attempt::passed);
    }

    @Test
    void aProbeThatFailsByAccidentCostsNothingButARepeat() throws Exception {
        Set<Long> disturbed = new HashSet<>();
        Result result =
                search(WIDE, rate -> disturbed.add(rate) ? "somebody else wanted the core" : fail(rate > 50_000));
        assertThat(result.ending()).isEqualTo(Ending.FOUND);
        assertThat((double) result.rate()).isCloseTo(50_000, within(RESOLUTION * 50_000));
        assertThat(result.notes())
                .contains("1,000 failed once (somebody else wanted the core) and passed when repeated");
    }

    @Test
    void aNoisyMachineGivesARateThatPassed() throws Exception {
        for (long seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            Result result = search(WIDE, rate -> fail(rate * (0.8 + 0.4 * random.nextDouble()) > 50_000));
            assertThat(result.ending()).as("seed %d", seed).isIn(Ending.FOUND, Ending.NOT_CONFIRMED);
            if (result.ending() == Ending.FOUND) {
                assertThat(result.rate()).as("seed %d", seed).isBetween(40_000L, 62_500L);
                assertThat(last(result).passed()).as("seed %d", seed).isTrue();
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

    /** 1000, 2000 and 4000 pass, 8000 fails; then bisection, and a confirmation at what now fails. */
    @Test
    void aSearchThatIsCutShortTellsNoRateThatFailedSinceOrWasNeverTried() throws Exception {
        int confirmation = search(WIDE, upTo(5_000)).attempts().size();
        for (int probes = confirmation; probes <= confirmation + 3; probes++) {
            Bounds bounds = new Bounds(1_000, 1, 10_000_000, RESOLUTION, probes, 1_000 * SECOND);
            AtomicLong left = new AtomicLong(confirmation - 1);
            Result result = search(bounds, rate -> fail(rate > (left.getAndDecrement() > 0 ? 5_000 : 10)));
            assertThat(result.ending()).as("%d probes", probes).isEqualTo(Ending.CUT_SHORT);
            Attempt ofIt = result.attempts().stream()
                    .filter(one -> one.rate() == result.rate())
                    .reduce((before, after) -> after)
                    .orElseThrow();
            assertThat(ofIt.passed()).as("%d probes", probes).isTrue();
        }
    }

    @Test
    void aSearchThatIsCutShortWhenAllThatPassedFailedSinceTellsNone() throws Exception {
        Bounds bounds = new Bounds(1_000, 1_000, 1_000, RESOLUTION, 2, 1_000 * SECOND);
        AtomicLong left = new AtomicLong(1);
        Result result = search(bounds, rate -> fail(left.getAndDecrement() <= 0));
        assertThat(result.attempts()).containsExactly(new Attempt(1_000, ""), new Attempt(1_000, "too slow"));
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
    void aMachineThatGetsSlowerMovesTheResultDownAndSaysSo() throws Exception {
        AtomicLong left = new AtomicLong(12);
        Result result = search(WIDE, rate -> fail(rate > (left.getAndDecrement() > 0 ? 50_000 : 47_000)));
        assertThat(result.ending()).isEqualTo(Ending.FOUND);
        assertThat(result.rate()).isLessThanOrEqualTo(47_000);
        assertThat(result.notes()).isNotEmpty().allMatch(note -> note.startsWith("not monotonic: "));
    }

    @Test
    void aResultThatCannotBeConfirmedIsNone() throws Exception {
        AtomicLong left = new AtomicLong(12);
        Result result = search(WIDE, rate -> fail(rate > (left.getAndDecrement() > 0 ? 50_000 : 10)));
        assertThat(result.ending()).isEqualTo(Ending.NOT_CONFIRMED);
        assertThat(result.rate()).isZero();
        assertThat(result.notes()).hasSize(4);
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

    private Result search(Bounds bounds, Probe probe) throws Exception {
        return new MaxRateSearch(bounds, probe, clock::get).run();
    }

    private static Probe upTo(long truth) {
        return rate -> fail(rate > truth);
    }

    private static String fail(boolean failed) {
        return failed ? "too slow" : "";
    }

    private static Attempt last(Result result) {
        return result.attempts().get(result.attempts().size() - 1);
    }
}
