package dev.msgrelay.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Heartbeats, silence and handshakes, with the time passed in. */
class PublisherClockTest {
    private static final long MS = 1_000_000;

    private final PublisherClock clock = new PublisherClock(50 * MS);

    @Test
    void aPingEveryInterval() {
        clock.start(100, 300);
        assertThat(clock.pingDue(1000 * MS)).isFalse();
        assertThat(clock.pingDue(1099 * MS)).isFalse();
        assertThat(clock.pingDue(1100 * MS)).isTrue();
        assertThat(clock.pingDue(1199 * MS)).isFalse();
        assertThat(clock.pingDue(1250 * MS)).isTrue();
        assertThat(clock.pingDue(1349 * MS)).isFalse();
        assertThat(clock.pingDue(1350 * MS)).isTrue();
    }

    @Test
    void silenceCountsFromTheLastInput() {
        clock.start(100, 300);
        assertThat(clock.silentTooLong(1000 * MS, true)).isFalse();
        assertThat(clock.silentTooLong(1299 * MS, true)).isFalse();
        clock.heard();
        assertThat(clock.silentTooLong(1300 * MS, true)).isFalse();
        assertThat(clock.silentTooLong(1599 * MS, true)).isFalse();
        assertThat(clock.silentTooLong(1600 * MS, true)).isTrue();
    }

    @Test
    void whatIsNotReadIsNotSilent() {
        clock.start(100, 300);
        assertThat(clock.silentTooLong(1000 * MS, true)).isFalse();
        assertThat(clock.silentTooLong(2000 * MS, false)).isFalse();
        assertThat(clock.silentTooLong(9000 * MS, false)).isFalse();
        assertThat(clock.silentTooLong(9299 * MS, true)).isFalse();
        assertThat(clock.silentTooLong(9300 * MS, true)).isTrue();
    }

    @Test
    void aHelloThatWasBegunIsToBeCompleted() {
        assertThat(clock.helloTooLong(1000 * MS, false)).isFalse();
        assertThat(clock.helloTooLong(5000 * MS, true)).isFalse();
        assertThat(clock.helloTooLong(5049 * MS, true)).isFalse();
        // It was completed, and another frame is begun later.
        assertThat(clock.helloTooLong(5050 * MS, false)).isFalse();
        assertThat(clock.helloTooLong(6000 * MS, true)).isFalse();
        assertThat(clock.helloTooLong(6050 * MS, true)).isTrue();
    }
}
