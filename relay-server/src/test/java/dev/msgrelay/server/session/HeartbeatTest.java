package dev.msgrelay.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.config.RelayConfig;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The clock of a client, with the time as a parameter: whatever the system's clock started from. */
class HeartbeatTest {
    private static final long MILLI = 1_000_000;

    private static Heartbeat heartbeat(RelayConfig.Builder builder) {
        RelayConfig config = builder.build();
        return new Heartbeat(config.clients(), config.limits());
    }

    private static Heartbeat heartbeat() {
        return heartbeat(RelayConfig.builder()
                .heartbeat(Duration.ofMillis(500))
                .idleTimeout(Duration.ofMillis(1500))
                .handshakeTimeout(Duration.ofMillis(200)));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, Long.MAX_VALUE - 700 * MILLI, Long.MIN_VALUE, -3})
    void pingIsDueWhenTheIntervalHasPassedSinceTheLastOne(long begun) {
        Heartbeat heartbeat = heartbeat();
        // It looks at the time before WELCOME as well; then the interval starts with WELCOME.
        heartbeat.tick(begun + 20 * MILLI);
        long now = begun + 550 * MILLI;
        heartbeat.tick(now);
        assertThat(heartbeat.pingDue()).isTrue();
        heartbeat.restart();
        assertThat(heartbeat.pingDue()).isFalse();
        heartbeat.tick(now);
        heartbeat.tick(now + 500 * MILLI - 1);
        assertThat(heartbeat.pingDue()).isFalse();
        heartbeat.tick(now + 500 * MILLI);
        assertThat(heartbeat.pingDue()).isTrue();
        // It goes out late: the next one is counted from there, and has the next id.
        assertThat(heartbeat.ping(now + 700 * MILLI)).isEqualTo(1);
        assertThat(heartbeat.pingDue()).isFalse();
        heartbeat.tick(now + 1200 * MILLI - 1);
        assertThat(heartbeat.pingDue()).isFalse();
        heartbeat.tick(now + 1200 * MILLI);
        assertThat(heartbeat.pingDue()).isTrue();
        assertThat(heartbeat.ping(now + 1200 * MILLI)).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE - 700 * MILLI, Long.MIN_VALUE, -3})
    void silenceIsCountedFromTheLastSignOfLife(long begun) {
        Heartbeat heartbeat = heartbeat();
        assertThat(heartbeat.tick(begun)).isNull();
        assertThat(heartbeat.tick(begun + 1500 * MILLI)).isNull();
        assertThat(heartbeat.tick(begun + 1500 * MILLI + 1)).isNotNull();
        heartbeat.restart();
        assertThat(heartbeat.tick(begun + 1600 * MILLI)).isNull();
        assertThat(heartbeat.tick(begun + 3100 * MILLI)).isNull();
        // Input leaves a mark; the next look says when that was.
        heartbeat.heard();
        assertThat(heartbeat.tick(begun + 3101 * MILLI)).isNull();
        assertThat(heartbeat.tick(begun + 4601 * MILLI)).isNull();
        assertThat(heartbeat.tick(begun + 4601 * MILLI + 1).text()).contains("1500 ms");
    }

    /** A control frame that was begun: its time starts when it is seen first, and one that is complete ends it. */
    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE - 100 * MILLI, Long.MIN_VALUE})
    void aControlFrameThatWasBegunIsToBeCompleted(long begun) {
        Heartbeat heartbeat = heartbeat();
        assertThat(heartbeat.handshake(begun, false)).isNull();
        long now = begun + 5000 * MILLI;
        assertThat(heartbeat.handshake(now, true)).isNull();
        heartbeat.heard();
        assertThat(heartbeat.handshake(now + 200 * MILLI, true))
                .as("however lively it is meanwhile")
                .isNull();
        assertThat(heartbeat.handshake(now + 200 * MILLI + 1, false)).isNull();
        long later = now + 1000 * MILLI;
        assertThat(heartbeat.handshake(later, true)).isNull();
        assertThat(heartbeat.handshake(later + 200 * MILLI, true)).isNull();
        assertThat(heartbeat.handshake(later + 200 * MILLI + 1, true).text()).contains("200 ms");
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
        Heartbeat heartbeat = heartbeat();
        heartbeat.wanted(wanted);
        heartbeat.tick(7);
        assertThat(heartbeat.intervalMillis()).isEqualTo(interval);
        // Who wants rarer PINGs has the time to answer some of them.
        int idle = Math.max(1500, 3 * interval);
        assertThat(heartbeat.idleMillis()).isEqualTo(idle);
        heartbeat.tick(7 + TimeUnit.MILLISECONDS.toNanos(interval) - 1);
        assertThat(heartbeat.pingDue()).isFalse();
        assertThat(heartbeat.tick(7 + TimeUnit.MILLISECONDS.toNanos(idle))).isNull();
        assertThat(heartbeat.pingDue()).isTrue();
        assertThat(heartbeat.tick(8 + TimeUnit.MILLISECONDS.toNanos(idle))).isNotNull();
    }

    /** Where the relay's own is longer than the limit of what clients may want, it is the limit. */
    @Test
    void theRelaysOwnIntervalIsAlwaysToBeHad() {
        Heartbeat heartbeat = heartbeat(RelayConfig.builder()
                .heartbeat(Duration.ofMinutes(5))
                .idleTimeout(Duration.ofMinutes(20))
                .maxHeartbeat(Duration.ofMinutes(1)));
        heartbeat.wanted(3_600_000);
        assertThat(heartbeat.intervalMillis()).isEqualTo(300_000);
        assertThat(heartbeat.idleMillis()).isEqualTo(1_200_000);
    }
}
