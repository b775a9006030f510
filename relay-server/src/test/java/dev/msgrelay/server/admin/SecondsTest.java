package dev.msgrelay.server.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.figures.RelayStats;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Rates, and the times of positions, from made-up figures of a second each. */
class SecondsTest {
    private final Seconds seconds = new Seconds();

    private void at(int second, long bytes, long logBytes) {
        Map<Counter, Long> values = Map.of(
                Counter.MESSAGES_IN,
                bytes / 10,
                Counter.BYTES_IN,
                bytes,
                Counter.MESSAGES_OUT,
                bytes / 5,
                Counter.BYTES_OUT,
                2 * bytes,
                Counter.CORE_CPU_MILLIS,
                second * 250L,
                Counter.LOG_BYTES,
                logBytes);
        RelayStats stats = new RelayStats(values, Map.of(), List.of(), Map.of(), Optional.empty(), null, null);
        seconds.add(Instant.EPOCH.plusSeconds(second), TimeUnit.SECONDS.toNanos(second), stats);
    }

    @Test
    void theFirstSecondHasNoRates() {
        assertThat(seconds.since(0)).isZero();
        at(5, 1000, 1000);
        assertThat(seconds.rates()).isEmpty();
        at(7, 3000, 3000);
        assertThat(seconds.rates())
                .containsExactly(new Seconds.Rate(Instant.EPOCH.plusSeconds(7), 100, 1000, 200, 2000, 0.25));
    }

    @Test
    void twoMinutesOfRatesAreKept() {
        for (int second = 0; second <= 500; second++) {
            at(second, 10L * second, 100);
        }
        assertThat(seconds.rates()).hasSize(120);
        assertThat(seconds.rates().getFirst().time()).isEqualTo(Instant.EPOCH.plusSeconds(381));
    }

    @Test
    void aPositionBetweenTwoSamplesHasItsShareOfTheTime() {
        at(0, 0, 0);
        at(1, 1000, 1000);
        at(2, 3000, 3000);
        assertThat(seconds.since(3000)).isZero();
        assertThat(seconds.since(2000)).isEqualTo(0.5);
        assertThat(seconds.since(1000)).isEqualTo(1);
        assertThat(seconds.since(500)).isEqualTo(1.5);
        // Before the first sample nothing is known.
        assertThat(seconds.since(-7)).isEqualTo(2);
    }

    /** A message behind an hour of silence is young, and one before it is old. */
    @Test
    void silenceBelongsToWhatCameBeforeIt() {
        at(0, 0, 0);
        at(1, 1000, 1000);
        for (int second = 2; second <= 3601; second++) {
            at(second, 1000, 1000);
        }
        at(3602, 2000, 2000);
        assertThat(seconds.since(1500)).isEqualTo(0.5);
        assertThat(seconds.since(500)).isEqualTo(3601.5);
    }

    /** What the log has dropped is forgotten; what it has keeps its time, to the share that its samples are apart. */
    @Test
    void aLongLogHasCoarserTimes() {
        for (int second = 0; second <= 10_000; second++) {
            at(second, 100L * second, Math.min(100L * second, 500_000));
        }
        assertThat(seconds.since(500_000)).isEqualTo(5_000, within(100.0));
        assertThat(seconds.since(999_000)).isEqualTo(10, within(100.0));
        // Before the log: the last sample before it is the oldest that is known.
        assertThat(seconds.since(0)).isEqualTo(5_000, within(200.0));
    }
}
