package dev.msgrelay.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.log.Mark;
import dev.msgrelay.server.log.PacketLog;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.ByteBuffer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A loop looks at the head, loses its core, and meanwhile another one writes more than the log holds. */
class OldHeadTest {
    private static final int LOG = 16_384;
    private static final int CHUNK = 1_024;
    private static final int PACKET = 300;
    private static final int BODY = 300;
    private static final int STRIDE = 1 << 16;
    private static final int MOST_SENDS = 1_000;

    private final BackpressureGate gate = new BackpressureGate(1 << 20, null);
    private final PacketLog log = new PacketLog(UnpooledByteBufAllocator.DEFAULT, LOG, CHUNK, PACKET, gate);
    private final Connections connections = new Connections();
    private final SessionContext context = new SessionContext(
            log,
            LOG,
            gate,
            1_000_000_000L,
            new RelayIdentity(7, "relay", 1024),
            RelayConfig.builder().build().clients(),
            connections);
    private final SubscriberSession session = new SubscriberSession(context, new SubscriberGroup(log, null));
    private final EmbeddedChannel channel = new EmbeddedChannel();

    @BeforeEach
    void connect() {
        publish(10);
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 1));
        channel.pipeline().addLast(session);
        channel.pipeline().fireChannelActive();
    }

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
        log.close();
    }

    static Stream<HelloFrame.Builder> starts() {
        return Stream.of(
                HelloFrame.subscriber(),
                HelloFrame.subscriber().fromEarliest(),
                HelloFrame.subscriber().fromSequence(7, 3));
    }

    @ParameterizedTest
    @MethodSource("starts")
    void aSubscriberThatSaysHelloStartsWhereTheLogStandsNow(HelloFrame.Builder hello) {
        Mark old = new Mark();
        log.head().read(old);
        channel.writeInbound(Unpooled.wrappedBuffer(hello.build().encode()));
        publish(4 * LOG / BODY);
        int sends = 0;
        while (session.send(old, STRIDE, 1, true)) {
            channel.releaseOutbound();
            assertThat(++sends).isLessThan(MOST_SENDS);
        }
        assertThat(connections.closes()).isEmpty();
        assertThat(session.cursor()).isEqualTo(log.head().position());
    }

    private void publish(int messages) {
        ByteBuffer frame = new Frames().frame(1, BODY).nativeBuffer();
        for (int i = 0; i < messages; i++) {
            log.append(frame, 0, frame.remaining(), 1);
            log.publish();
            log.packetStartsAt(0, 0);
        }
    }
}
