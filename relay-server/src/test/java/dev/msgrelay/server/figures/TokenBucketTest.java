package dev.msgrelay.server.figures;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenBucketTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final TokenBucket bucket = new TokenBucket(10, 20);

    private int taken(long now) {
        int count = 0;
        while (bucket.tryTake(now)) {
            count++;
        }
        return count;
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -3, Long.MAX_VALUE - 1, Long.MIN_VALUE})
    void aBurstThenARate(long start) {
        assertThat(taken(start)).isEqualTo(20);
        assertThat(taken(start)).isZero();
        assertThat(taken(start + SECOND / 10 - 1000)).isZero();
        assertThat(taken(start + SECOND / 10)).isEqualTo(1);
        assertThat(taken(start + SECOND)).isEqualTo(9);
        assertThat(taken(start + 100 * SECOND))
                .as("a long pause saves up no more than that")
                .isEqualTo(20);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE - 1_000_000_000})
    void manySmallStepsAreWorthAsMuchAsALargeOne(long start) {
        taken(start);
        int count = 0;
        for (int i = 1; i <= 10_000; i++) {
            count += taken(start + i * (SECOND / 1000));
        }
        assertThat(count).isBetween(99, 100);
    }

    @ParameterizedTest
    @ValueSource(longs = {5})
    void fullWhenNothingWasTakenForLong(long start) {
        assertThat(bucket.full(start)).isTrue();
        bucket.tryTake(start);
        assertThat(bucket.full(start)).isFalse();
        assertThat(bucket.full(start + SECOND / 10)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {100})
    void aClockThatGoesBackGivesNothing(long start) {
        taken(start + SECOND);
        assertThat(taken(start)).isZero();
    }
}
