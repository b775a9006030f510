package dev.msgrelay.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.config.RelayConfig;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Heartbeats, silence and handshakes, with the time passed in. */
class PublisherClockTest {
    private static final long MS = 1_000_000;

    private final PublisherClock clock = new PublisherClock(RelayConfig.builder()
            .heartbeat(Duration.ofMillis(100))
            .idleTimeout(Duration.ofMillis(300))
            .handshakeTimeout(Duration.ofMillis(50))
            .build()
            .clients());

    @Test
    void aPingEveryInterval() {
        clock.hello(0);
        assertThat(clock.intervalMillis()).isEqualTo(100);
        assertThat(pingAt(1000)).isFalse();
        assertThat(pingAt(1099)).isFalse();
        assertThat(pingAt(1100)).isTrue();
        assertThat(pingAt(1199)).isFalse();
        assertThat(pingAt(1250)).isTrue();
        assertThat(pingAt(1349)).isFalse();
        assertThat(pingAt(1350)).isTrue();
    }

    private boolean pingAt(long millis) {
        clock.heard();
        clock.silentTooLong(millis * MS, true);
        boolean due = clock.pingDue();
        if (due) {
            clock.ping(millis * MS);
        }
        return due;
    }

    @Test
    void whoWantsRarePingsMayBeSilentForLonger() {
        clock.hello(1000);
        assertThat(clock.intervalMillis()).isEqualTo(1000);
        assertThat(clock.idleMillis()).isEqualTo(3000);
    }

    @Test
    void silenceCountsFromTheLastInput() {
        clock.hello(0);
        assertThat(clock.silentTooLong(1000 * MS, true)).isFalse();
        assertThat(clock.silentTooLong(1300 * MS, true)).isFalse();
        clock.heard();
        assertThat(clock.silentTooLong(1301 * MS, true)).isFalse();
        assertThat(clock.silentTooLong(1601 * MS, true)).isFalse();
        assertThat(clock.silentTooLong(1602 * MS, true)).isTrue();
        assertThat(clock.text(CloseReason.IDLE_TIMEOUT)).contains("300 ms");
    }

    @Test
    void whatIsNotReadIsNotSilent() {
        clock.hello(0);
        assertThat(clock.silentTooLong(1000 * MS, true)).isFalse();
        assertThat(clock.silentTooLong(2000 * MS, false)).isFalse();
        assertThat(clock.silentTooLong(9000 * MS, false)).isFalse();
        assertThat(clock.silentTooLong(9300 * MS, true)).isFalse();
        assertThat(clock.silentTooLong(9301 * MS, true)).isTrue();
    }

    @Test
    void aHelloThatWasBegunIsToBeCompleted() {
        assertThat(clock.helloTooLong(1000 * MS, false)).isFalse();
        assertThat(clock.helloTooLong(5000 * MS, true)).isFalse();
        assertThat(clock.helloTooLong(5050 * MS, true)).isFalse();
        // It was completed, and another frame is begun later.
        assertThat(clock.helloTooLong(5051 * MS, false)).isFalse();
        assertThat(clock.helloTooLong(6000 * MS, true)).isFalse();
        assertThat(clock.helloTooLong(6051 * MS, true)).isTrue();
        assertThat(clock.text(CloseReason.HANDSHAKE_TIMEOUT)).contains("50 ms");
    }
}
