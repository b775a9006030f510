package dev.msgrelay.client.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.client.Frames;
import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.testing.scripted.FrameText;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class IdleEndTest {
    private static final Endpoint RELAY = Endpoint.tcp("relay.example", 7400);
    private static final long SECOND = 1_000_000_000;

    private long now = Long.MAX_VALUE - SECOND;
    private final IdleEnd idle = new IdleEnd(Optional.of(Duration.ofSeconds(5)), () -> now);

    @Test
    void silenceBeginsWithTheFirstConnection() throws Exception {
        assertThat(after(60, 0)).as("connecting is not silence").isFalse();
        idle.event(connected());
        assertThat(after(4, 0)).isFalse();
        idle.event(lost());
        idle.event(connected());
        assertThat(after(1, 0)).isTrue();
    }

    @Test
    void whereTheFirstConnectionFailsItBeginsWithTheStart() {
        assertThat(after(4, 0)).isFalse();
        idle.event(lost());
        assertThat(after(1, 0)).isTrue();
    }

    @Test
    void silenceBeginsAnewWithEachMessage() throws Exception {
        idle.event(connected());
        assertThat(after(4, 0)).isFalse();
        assertThat(after(3, 1)).isFalse();
        assertThat(after(4, 0)).isFalse();
        assertThat(after(1, 0)).isTrue();
    }

    @Test
    void theEndTellsWhatDidNotCome() throws Exception {
        idle.event(connected());
        assertThatCode(() -> idle.check(true, "")).doesNotThrowAnyException();
        assertThatThrownBy(() -> idle.check(false, ""))
                .isInstanceOfSatisfying(
                        CodedException.class, e -> assertThat(e.exitCode()).isEqualTo(4))
                .hasMessage("no message for 5s");
        assertThatThrownBy(() -> idle.check(true, ", and message 9 is not reached"))
                .isInstanceOfSatisfying(
                        CodedException.class, e -> assertThat(e.exitCode()).isEqualTo(4))
                .hasMessage("no message for 5s, and message 9 is not reached");
        idle.event(lost());
        assertThatThrownBy(() -> idle.check(true, ""))
                .isNotInstanceOf(CodedException.class)
                .hasMessageStartingWith("no message for 5s: ")
                .hasMessageContaining("reset");
    }

    /** Between two sendings every wait would be the end, also behind messages that came. */
    @Test
    void anIntervalAsLongAsTheSilenceIsRefused() throws Exception {
        idle.event(connected(4_999));
        assertThat(after(1, 1)).isFalse();
        idle.event(connected(5_000));
        assertThat(after(0, 1)).isTrue();
        assertThatThrownBy(() -> idle.check(true, ""))
                .isNotInstanceOf(CodedException.class)
                .hasMessage(
                        "--idle 5s is not over the interval that the relay grants, 5s: nothing comes between two of its"
                                + " sendings");
        idle.event(connected(0));
        assertThat(after(1, 0)).as("no interval").isFalse();
    }

    private boolean after(int seconds, int messages) {
        now += seconds * SECOND;
        idle.polled(messages);
        return idle.isOver();
    }

    private static SessionEvent lost() {
        return new SessionEvent.Lost(RELAY, new IOException("reset"), Duration.ZERO);
    }

    private static SessionEvent connected() throws Exception {
        return connected(0);
    }

    private static SessionEvent connected(int intervalMillis) throws Exception {
        ByteBuffer frame = intervalMillis == 0
                ? Frames.welcome(1)
                : FrameText.encode("WELCOME policy=5 features=8 interval=" + intervalMillis);
        return new SessionEvent.Connected(RELAY, WelcomeFrame.decode(frame.position(8)), false);
    }
}
