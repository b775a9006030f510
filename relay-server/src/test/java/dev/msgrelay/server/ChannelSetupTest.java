package dev.msgrelay.server;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.assembly.RelayEngine;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TestRelay;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFuture;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Channels that were accepted become connections. */
class ChannelSetupTest {
    /** One for which there is no memory any more once its memory for reads is chosen. */
    private static final class TooMuchLater extends EmbeddedChannel {
        private boolean made;

        TooMuchLater() {
            made = true;
        }

        @Override
        public ChannelFuture closeFuture() {
            if (made) {
                throw new OutOfMemoryError("none left");
            }
            return super.closeFuture();
        }
    }

    /** One for which there is no memory any more. */
    private static final class TooMuch extends EmbeddedChannel {
        @Override
        public ChannelConfig config() {
            return new DefaultChannelConfig(this) {
                // Not yet while it is being made.
                private boolean made;

                {
                    made = true;
                }

                @Override
                public ChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator reads) {
                    if (made) {
                        throw new OutOfMemoryError("none left");
                    }
                    return this;
                }
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    void oneThatCannotBeEquippedLeavesItsPlace(Role role) throws Exception {
        try (TestRelay relay = TestRelay.start(Setting.NIO_TCP, b -> b.set(MAX_CONNECTIONS, 1))) {
            TooMuch accepted = new TooMuch();
            assertThatExceptionOfType(OutOfMemoryError.class)
                    .isThrownBy(() -> relay.relay().engine().place(accepted, role, Optional.empty()));
            try (PlainSubscriber next = relay.subscriber()) {
                relay.awaitSubscribers(1);
                assertThat(next.end()).isNull();
            }
        }
    }

    @Test
    void aSubscriberThatCannotBeEquippedTakesNoSeat() throws Exception {
        try (TestRelay relay = TestRelay.start(Setting.NIO_TCP)) {
            RelayEngine engine = relay.relay().engine();
            TooMuchLater accepted = new TooMuchLater();
            assertThatExceptionOfType(OutOfMemoryError.class)
                    .isThrownBy(() -> engine.place(accepted, Role.SUBSCRIBER, Optional.empty()));
            assertThat(Sessions.groups(engine)[0].seats()).isZero();
        }
    }
}
