package dev.msgrelay.server.subscribe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.stream.LogReader;
import dev.msgrelay.server.stream.Mark;
import java.nio.ByteBuffer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** One subscriber's beginning and end, where the stream goes on meanwhile. */
class SubscriberConnectionTest {
    private static final long MOST_MILLIS =
            RelayConfig.builder().build().clients().handshakeTimeout().toMillis();
    private static final int BODY = 300;
    private static final int MOST_SENDS = 1_000;

    @AutoClose
    private final FanoutRig rig = new FanoutRig();

    @AutoClose
    private final FanoutRig several = FanoutRig.oneOfSeveral();

    private final FanoutRig.Subscriber subscriber = several.connect();

    /** The core asks connections that are not opened yet, or failed to open. They have no stream and pin nothing. */
    @Test
    void withoutAStreamItHoldsNobodyUp() {
        SubscriberConnection unopened = new SubscriberConnection(rig.services, rig.shared);
        assertThat(unopened.position()).isEqualTo(Long.MAX_VALUE);
        assertThat(unopened.pinnedFrom()).isEqualTo(LogReader.NOTHING);
        assertThat(unopened.replays()).isFalse();
        unopened.release();
    }

    /** More of the stream than this relay has: the subscriber has had it at another one. */
    @Test
    void whoHasHadMoreIsWelcomeWhenThatHasComeHere() {
        several.publishMany(5, 100);
        subscriber.hello(HelloFrame.subscriber().fromSequence(FanoutRig.EPOCH, 8));
        several.pump();
        assertThat(subscriber.wire.take()).isEmpty();
        several.clock.advanceMillis(MOST_MILLIS);
        several.publishMany(2, 100);
        several.pump();
        Control welcome = Control.all(ByteBuffer.wrap(subscriber.wire.take())).get(0);
        assertThat(welcome.next()).isEqualTo(8);
        several.publishMany(1, 100);
        several.pump();
        assertThat(subscriber.wire.take()).hasSize(8 + 100);
    }

    @Test
    void whoHasHadMoreDoesNotWaitForEver() {
        several.publishMany(5, 100);
        subscriber.hello(HelloFrame.subscriber().fromSequence(FanoutRig.EPOCH, Long.MAX_VALUE));
        several.pump();
        several.clock.advanceMillis(MOST_MILLIS + 1);
        several.pump();
        Control error = Control.all(ByteBuffer.wrap(subscriber.wire.take())).get(0);
        assertThat(error.code()).isEqualTo(CloseReason.HANDSHAKE_TIMEOUT.code());
        assertThat(error.text())
                .isEqualTo("sequence " + Long.MAX_VALUE + " has not come to this relay within " + MOST_MILLIS
                        + " ms: the next one here is 6");
        assertThat(several.closed(CloseReason.HANDSHAKE_TIMEOUT)).isEqualTo(1);
    }

    static Stream<HelloFrame.Builder> starts() {
        return Stream.of(
                HelloFrame.subscriber(),
                HelloFrame.subscriber().fromEarliest(),
                HelloFrame.subscriber().fromSequence(FanoutRig.EPOCH, 3));
    }

    /** A loop looks at the head, loses its core, and meanwhile another one writes more than the log holds. */
    @ParameterizedTest
    @MethodSource("starts")
    void aSubscriberThatSaysHelloStartsWhereTheLogStandsNow(HelloFrame.Builder hello) {
        rig.publishMany(10, BODY);
        FanoutRig.Subscriber late = rig.connect();
        Mark old = rig.head();
        late.hello(hello);
        rig.publishMany(4 * FanoutRig.LOG / BODY, BODY);
        int sends = 0;
        while (late.connection.send(old, 1, true)) {
            assertThat(++sends).isLessThan(MOST_SENDS);
        }
        assertThat(rig.closes()).isEmpty();
        assertThat(late.connection.position()).isEqualTo(rig.log.head().position());
    }

    /**
     * Its place is given to the next one: were a timer to keep it, there would be more of them than there is memory
     * for.
     */
    @Test
    void nothingKeepsOneThatIsGoneAndWasToBeToldWhy() {
        FanoutRig.Subscriber full = rig.connect();
        full.block();
        rig.publishMany(5, 100);
        rig.pump();
        full.say(ByteBuffer.wrap(new byte[] {1}));
        assertThat(rig.closed(CloseReason.UNEXPECTED_INPUT)).isEqualTo(1);
        assertThat(full.channel.runScheduledPendingTasks())
                .as("it is told, or closed in the end")
                .isPositive();
        full.channel.pipeline().fireChannelInactive();
        assertThat(rig.table.allGone()).isTrue();
        assertThat(full.channel.runScheduledPendingTasks()).isEqualTo(-1);
    }
}
