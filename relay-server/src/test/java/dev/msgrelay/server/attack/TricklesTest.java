package dev.msgrelay.server.attack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.SubscribeFrame;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.TestRelay;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Ten bytes a second, within everything that can be begun: each is given up in time, and told so. */
@Tag("alone")
class TricklesTest {
    private static final Duration FRAME_TIMEOUT = Duration.ofMillis(800);
    private static final Duration HANDSHAKE_TIMEOUT = Duration.ofMillis(1200);
    private static final int MIN_RATE = 1000;
    private static final int LATER = HealthyPair.FIRST_OTHER + 2;
    private static final long BETWEEN_BYTES_MILLIS = 100;
    /** Four times the least that is allowed. */
    private static final int HONEST_PIECE = (int) (4 * MIN_RATE * BETWEEN_BYTES_MILLIS / 1000);

    /** A connection that gets a byte at a time from {@code rest}, behind what it has sent at once. */
    private record Trickle(String what, SocketChannel channel, ByteBuffer rest, CloseReason... ends) {}

    @Test
    void everywhere() throws Exception {
        byte[] publisherHello = Hello.acks("trickle", 0).bytes();
        byte[] otherHello = Hello.acks("trickle too", 0).bytes();
        byte[] subscriberHello =
                HelloFrame.subscriber().name("trickle").build().encode().array();
        byte[] subscribe =
                new SubscribeFrame(1, TypeRanges.of(1, 2, 5, 6, 9, 10)).encode().array();
        byte[] body = new Frames().header(1, 5000).raw(new byte[5000]).bytes();
        CloseReason[] frame = {CloseReason.FRAME_TIMEOUT};
        CloseReason[] handshake = {CloseReason.HANDSHAKE_TIMEOUT, CloseReason.FRAME_TIMEOUT};
        try (TestRelay relay = AttackRelay.start(
                        b -> b.frameTimeout(FRAME_TIMEOUT).minRate(MIN_RATE).handshakeTimeout(HANDSHAKE_TIMEOUT));
                HealthyPair pair = AttackRelay.pair(relay);
                Crowd crowd = new Crowd()) {
            SocketAddress in = relay.publish();
            SocketAddress out = relay.subscribe();
            List<Trickle> trickles = new ArrayList<>(List.of(
                    trickle("the first header", crowd, in, body, 0, frame),
                    trickle(
                            "a later header",
                            crowd,
                            in,
                            twice(new Frames().frame(Frames.type(LATER, 0), 10).bytes()),
                            18,
                            frame),
                    trickle("a body", crowd, in, body, 8, frame),
                    trickle("the end of a body", crowd, in, body, 4000, frame),
                    trickle("a HELLO to publish", crowd, in, publisherHello, 0, handshake),
                    trickle("the end of a HELLO to publish", crowd, in, publisherHello, 20, handshake),
                    trickle(
                            "a PING of a publisher",
                            crowd,
                            in,
                            then(otherHello, Hello.ping(1)),
                            otherHello.length,
                            frame),
                    trickle("a HELLO to subscribe", crowd, out, subscriberHello, 0, handshake),
                    trickle("the end of a HELLO to subscribe", crowd, out, subscriberHello, 20, handshake),
                    trickle(
                            "a SUBSCRIBE",
                            crowd,
                            out,
                            then(subscriberHello, subscribe),
                            subscriberHello.length,
                            frame)));
            pair.begin();
            SocketChannel honest = crowd.connect(in);
            SocketChannel silent = crowd.connect(in);
            // Whole, and then nothing for longer than any of the timeouts: that is no frame under way.
            Crowd.offer(
                    silent,
                    new Frames()
                            .frame(Frames.type(HealthyPair.FIRST_OTHER + 1, 0), 10)
                            .buffer());
            ByteBuffer honestLeft = new Frames()
                    .frame(Frames.type(HealthyPair.FIRST_OTHER, 0), 40 * HONEST_PIECE)
                    .buffer();
            long start = System.nanoTime();
            int[] steps = {0};
            Await.until(() -> "all are given up: " + relay.stats(), () -> {
                int due = (int) ((System.nanoTime() - start) / 1_000_000 / BETWEEN_BYTES_MILLIS);
                for (; steps[0] < due; steps[0]++) {
                    trickles.forEach(t -> step(t.channel, t.rest, 1));
                    step(honest, honestLeft, HONEST_PIECE);
                }
                return AttackRelay.closes(relay) >= trickles.size() && !honestLeft.hasRemaining();
            });
            pair.end("trickles");
            long frames = relay.closed(CloseReason.FRAME_TIMEOUT);
            long handshakes = relay.closed(CloseReason.HANDSHAKE_TIMEOUT);
            assertThat(frames + handshakes).as("%s", relay.stats()).isEqualTo(trickles.size());
            assertThat(frames).isGreaterThanOrEqualTo(6);
            for (Trickle trickle : trickles) {
                assertThat(lastWord(trickle.channel)).as(trickle.what).isIn((Object[]) trickle.ends);
            }
            Await.until("the honest one's frame", () -> pair.received().countOf(HealthyPair.FIRST_OTHER) == 1);
            relay.awaitPublishers(4);
            pair.finish();
        }
    }

    private static Trickle trickle(
            String what, Crowd crowd, SocketAddress to, byte[] bytes, int atOnce, CloseReason... ends)
            throws Exception {
        SocketChannel channel = crowd.connect(to);
        Crowd.offer(channel, ByteBuffer.wrap(bytes, 0, atOnce));
        return new Trickle(what, channel, ByteBuffer.wrap(bytes, atOnce, bytes.length - 1 - atOnce), ends);
    }

    private static void step(SocketChannel channel, ByteBuffer rest, int bytes) {
        if (rest.hasRemaining()) {
            ByteBuffer part = rest.slice(rest.position(), Math.min(bytes, rest.remaining()));
            Crowd.offer(channel, part);
            rest.position(rest.position() + part.position());
        }
    }

    /** The reason in the ERROR at the end of what the relay has said; null: there is none. */
    private static CloseReason lastWord(SocketChannel channel) throws Exception {
        channel.configureBlocking(true);
        // A subscriber gets the stream until its HELLO is complete.
        ByteBuffer all = ByteBuffer.allocate(16 << 20);
        while (channel.read(all) >= 0 && all.hasRemaining()) {
            // WELCOME and PINGs are small.
        }
        all.flip();
        CloseReason last = null;
        while (all.remaining() >= 8) {
            int type = all.getInt();
            int length = all.getInt();
            last = type == Hello.ERROR ? CloseReason.ofCode(all.getShort(all.position())) : null;
            all.position(all.position() + length);
        }
        return last;
    }

    private static byte[] twice(byte[] bytes) {
        return then(bytes, bytes);
    }

    private static byte[] then(byte[] first, byte[] second) {
        return new Frames().raw(first).raw(second).bytes();
    }
}
