package dev.msgrelay.server.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.harness.Control;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Where several relays have one stream: a subscriber that has had more of it at another one than this one has. */
class ReadAheadTest {
    private static final long MOST_MILLIS =
            RelayConfig.builder().build().clients().handshakeTimeout().toMillis();

    private final FanoutRig rig = FanoutRig.oneOfSeveral();
    private final FanoutRig.Subscriber subscriber = rig.connect();

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void isWelcomeWhenThatHasComeHere() {
        rig.publishMany(5, 100);
        subscriber.hello(HelloFrame.subscriber().fromSequence(FanoutRig.EPOCH, 8));
        rig.pump();
        assertThat(subscriber.wire.take()).isEmpty();
        rig.clock.advanceMillis(MOST_MILLIS);
        rig.publishMany(2, 100);
        rig.pump();
        Control welcome = Control.all(ByteBuffer.wrap(subscriber.wire.take())).get(0);
        assertThat(welcome.next()).isEqualTo(8);
        rig.publishMany(1, 100);
        rig.pump();
        assertThat(subscriber.wire.take()).hasSize(8 + 100);
    }

    @Test
    void doesNotWaitForEver() {
        rig.publishMany(5, 100);
        subscriber.hello(HelloFrame.subscriber().fromSequence(FanoutRig.EPOCH, Long.MAX_VALUE));
        rig.pump();
        rig.clock.advanceMillis(MOST_MILLIS + 1);
        rig.pump();
        Control error = Control.all(ByteBuffer.wrap(subscriber.wire.take())).get(0);
        assertThat(error.code()).isEqualTo(CloseReason.HANDSHAKE_TIMEOUT.code());
        assertThat(error.text())
                .isEqualTo("sequence " + Long.MAX_VALUE + " has not come to this relay within " + MOST_MILLIS
                        + " ms: the next one here is 6");
        assertThat(rig.closed(CloseReason.HANDSHAKE_TIMEOUT)).isEqualTo(1);
    }
}
