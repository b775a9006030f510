package dev.msgrelay.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.config.RelayConfig;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The clock of a client, with the time as a parameter: whatever the system's clock started from. */
class HeartbeatTest {
    private static final long MILLI = 1_000_000;

    private static Heartbeat heartbeat(long begun) {
        return new Heartbeat(
                RelayConfig.builder()
                        .heartbeat(Duration.ofMillis(500))
                        .idleTimeout(Duration.ofMillis(1500))
                        .handshakeTimeout(Duration.ofMillis(200))
                        .build()
                        .clients(),
                begun);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, Long.MAX_VALUE - 700 * MILLI, Long.MIN_VALUE, -3})
    void pingIsDueWhenTheIntervalHasPassedSinceTheLastOne(long begun) {
        Heartbeat heartbeat = heartbeat(begun);
        // It looks at the time before WELCOME as well; then the interval starts with WELCOME.
        heartbeat.tick(begun + 20 * MILLI);
        long now = begun + 50 * MILLI;
        heartbeat.start(now);
        assertThat(heartbeat.pingDue()).isFalse();
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
        Heartbeat heartbeat = heartbeat(begun);
        assertThat(heartbeat.tick(begun + 1500 * MILLI)).isFalse();
        assertThat(heartbeat.tick(begun + 1500 * MILLI + 1)).isTrue();
        heartbeat.start(begun + 1000 * MILLI);
        assertThat(heartbeat.tick(begun + 2500 * MILLI)).isFalse();
        heartbeat.heard(begun + 2500 * MILLI);
        assertThat(heartbeat.tick(begun + 4000 * MILLI)).isFalse();
        assertThat(heartbeat.tick(begun + 4000 * MILLI + 1)).isTrue();
        assertThat(heartbeat.text(CloseReason.IDLE_TIMEOUT)).contains("1500 ms");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE - 100 * MILLI, Long.MIN_VALUE})
    void theHandshakeIsCountedFromTheFirstByte(long begun) {
        Heartbeat heartbeat = heartbeat(begun);
        heartbeat.heard(begun + 150 * MILLI);
        assertThat(heartbeat.handshakeOver(begun + 200 * MILLI)).isFalse();
        assertThat(heartbeat.handshakeOver(begun + 200 * MILLI + 1)).isTrue();
        assertThat(heartbeat.text(CloseReason.HANDSHAKE_TIMEOUT)).contains("200 ms");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 100, 500, 501, 3_600_000})
    void theClientMayWantAnotherInterval(int wanted) {
        Heartbeat heartbeat = heartbeat(7);
        heartbeat.wanted(wanted);
        heartbeat.start(7);
        int interval = wanted == 0 ? 500 : wanted;
        assertThat(heartbeat.intervalMillis()).isEqualTo(interval);
        // Who wants rarer PINGs has the time to answer some of them.
        int idle = Math.max(1500, 3 * interval);
        assertThat(heartbeat.idleMillis()).isEqualTo(idle);
        heartbeat.tick(7 + TimeUnit.MILLISECONDS.toNanos(interval) - 1);
        assertThat(heartbeat.pingDue()).isFalse();
        assertThat(heartbeat.tick(7 + TimeUnit.MILLISECONDS.toNanos(idle))).isFalse();
        assertThat(heartbeat.pingDue()).isTrue();
        assertThat(heartbeat.tick(8 + TimeUnit.MILLISECONDS.toNanos(idle))).isTrue();
    }
}
