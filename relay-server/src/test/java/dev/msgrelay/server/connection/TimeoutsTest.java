package dev.msgrelay.server.connection;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.config.LimitsConfig;
import dev.msgrelay.server.config.RelayConfig;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The clock of a client, with the time as a parameter: whatever the system's clock started from. */
class TimeoutsTest {
    private static final long MILLI = 1_000_000;

    private static final LimitsConfig LIMITS = RelayConfig.builder().build().limits();
    private static final long PERIOD = LIMITS.frameTimeout().toNanos();
    private static final long LEAST = LIMITS.minRate() * TimeUnit.NANOSECONDS.toSeconds(PERIOD);

    private final Timeouts progress = timeouts(RelayConfig.builder());

    private static Timeouts timeouts(RelayConfig.Builder builder) {
        RelayConfig config = builder.build();
        return new Timeouts(config.clients(), config.limits(), null);
    }

    private static Timeouts timeouts() {
        return timeouts(RelayConfig.builder()
                .set(HEARTBEAT, Duration.ofMillis(500))
                .set(IDLE_TIMEOUT, Duration.ofMillis(1500))
                .set(HANDSHAKE_TIMEOUT, Duration.ofMillis(200)));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, Long.MAX_VALUE - 700 * MILLI, Long.MIN_VALUE, -3})
    void pingIsDueWhenTheIntervalHasPassedSinceTheLastOne(long begun) {
        Timeouts timeouts = timeouts();
        // It looks at the time before WELCOME as well; then the interval starts with WELCOME.
        timeouts.silence(begun + 20 * MILLI);
        long now = begun + 550 * MILLI;
        timeouts.silence(now);
        assertThat(timeouts.pingDue()).isTrue();
        timeouts.restart();
        assertThat(timeouts.pingDue()).isFalse();
        timeouts.silence(now);
        timeouts.silence(now + 500 * MILLI - 1);
        assertThat(timeouts.pingDue()).isFalse();
        timeouts.silence(now + 500 * MILLI);
        assertThat(timeouts.pingDue()).isTrue();
        // It goes out late: the next one is counted from there, and has the next id.
        assertThat(timeouts.ping(now + 700 * MILLI)).isEqualTo(1);
        assertThat(timeouts.pingDue()).isFalse();
        timeouts.silence(now + 1200 * MILLI - 1);
        assertThat(timeouts.pingDue()).isFalse();
        timeouts.silence(now + 1200 * MILLI);
        assertThat(timeouts.pingDue()).isTrue();
        assertThat(timeouts.ping(now + 1200 * MILLI)).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE - 700 * MILLI, Long.MIN_VALUE, -3})
    void silenceIsCountedFromTheLastSignOfLife(long begun) {
        Timeouts timeouts = timeouts();
        assertThat(timeouts.silence(begun)).isNull();
        assertThat(timeouts.silence(begun + 1500 * MILLI)).isNull();
        assertThat(timeouts.silence(begun + 1500 * MILLI + 1)).isNotNull();
        timeouts.restart();
        assertThat(timeouts.silence(begun + 1600 * MILLI)).isNull();
        assertThat(timeouts.silence(begun + 3100 * MILLI)).isNull();
        // Input leaves a mark; the next look says when that was.
        timeouts.heard();
        assertThat(timeouts.silence(begun + 3101 * MILLI)).isNull();
        assertThat(timeouts.silence(begun + 4601 * MILLI)).isNull();
        assertThat(timeouts.silence(begun + 4601 * MILLI + 1).text()).contains("1500 ms");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE - 100 * MILLI, Long.MIN_VALUE})
    void aControlFrameThatWasBegunIsToBeCompleted(long begun) {
        Timeouts timeouts = timeouts();
        assertThat(timeouts.handshake(begun, false)).isNull();
        long now = begun + 5000 * MILLI;
        assertThat(timeouts.handshake(now, true)).isNull();
        timeouts.heard();
        assertThat(timeouts.handshake(now + 200 * MILLI, true))
                .as("however lively it is meanwhile")
                .isNull();
        assertThat(timeouts.handshake(now + 200 * MILLI + 1, false)).isNull();
        long later = now + 1000 * MILLI;
        assertThat(timeouts.handshake(later, true)).isNull();
        assertThat(timeouts.handshake(later + 200 * MILLI, true)).isNull();
        assertThat(timeouts.handshake(later + 200 * MILLI + 1, true).text()).contains("200 ms");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 500",
        "100, 100",
        "500, 500",
        "501, 501",
        "60000, 60000",
        "60001, 60000",
        "3600000, 60000",
        "2147483647, 60000"
    })
    void theClientMayWantAnotherInterval(int wanted, int interval) {
        Timeouts timeouts = timeouts();
        timeouts.wanted(wanted);
        timeouts.silence(7);
        assertThat(timeouts.intervalMillis()).isEqualTo(interval);
        // Who wants rarer PINGs has the time to answer some of them.
        int idle = Math.max(1500, 3 * interval);
        assertThat(timeouts.idleMillis()).isEqualTo(idle);
        timeouts.silence(7 + TimeUnit.MILLISECONDS.toNanos(interval) - 1);
        assertThat(timeouts.pingDue()).isFalse();
        assertThat(timeouts.silence(7 + TimeUnit.MILLISECONDS.toNanos(idle))).isNull();
        assertThat(timeouts.pingDue()).isTrue();
        assertThat(timeouts.silence(8 + TimeUnit.MILLISECONDS.toNanos(idle))).isNotNull();
    }

    /** Where the relay's own is longer than the limit of what clients may want, it is the limit. */
    @Test
    void theRelaysOwnIntervalIsAlwaysToBeHad() {
        Timeouts timeouts = timeouts(RelayConfig.builder()
                .set(HEARTBEAT, Duration.ofMinutes(5))
                .set(IDLE_TIMEOUT, Duration.ofMinutes(20))
                .set(MAX_HEARTBEAT, Duration.ofMinutes(1)));
        timeouts.wanted(3_600_000);
        assertThat(timeouts.intervalMillis()).isEqualTo(300_000);
        assertThat(timeouts.idleMillis()).isEqualTo(1_200_000);
    }

    @Test
    void whatBringsTheLeastRateIsLeftAlone() {
        assertThat(look(1, false, LEAST)).isNull();
        assertThat(look(2, false, 2 * LEAST)).isNull();
        assertThat(look(3, false, 3 * LEAST - 1)).contains("" + (LEAST - 1)).contains("the least is " + LEAST);
    }

    @Test
    void whoeverHoldsUpOthersForAWholePeriodHasToHurry() {
        long fast = Timeouts.HURRY * LEAST;
        assertThat(look(1, true, LEAST)).as("the others came within the period").isNull();
        assertThat(look(2, true, LEAST + fast)).isNull();
        assertThat(look(3, true, LEAST + 2 * fast - 1)).contains("the least is " + fast);
    }

    @Test
    void othersThatHaveGoneMeanwhileDoNotCount() {
        assertThat(look(1, true, LEAST)).isNull();
        assertThat(progress.shortfall(PERIOD + PERIOD / 2, true, false, 0, LEAST, 0))
                .isNull();
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
        return progress.shortfall(periods * (PERIOD + 1), true, false, 0, bytes, begun);
    }

    private String look(int periods, boolean holdsUpOthers, long bytes) {
        return progress.shortfall(periods * (PERIOD + 1), true, holdsUpOthers, 0, bytes, 0);
    }
}
