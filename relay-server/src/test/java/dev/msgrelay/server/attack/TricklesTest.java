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
import dev.msgrelay.server.harness.Workers;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A byte every quarter of a second, within whatever can be begun: it is given up in time, it is told so, and nobody else notices. */
class TricklesTest {
    private static final Duration FRAME_TIMEOUT = Duration.ofMillis(1000);
    private static final Duration HANDSHAKE_TIMEOUT = Duration.ofMillis(1500);
    private static final long BETWEEN_BYTES_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final int MIN_RATE = 1000;
    private static final int LATER = HealthyPair.FIRST_OTHER + 2;

    private static final CloseReason[] FRAME = {CloseReason.FRAME_TIMEOUT};
    /** Nobody can tell a HELLO from another frame before its header is there. */
    private static final CloseReason[] HELLO = {CloseReason.HANDSHAKE_TIMEOUT, CloseReason.FRAME_TIMEOUT};

    /** A connection that gets {@code rest} a piece at a time, behind what it has sent at once. */
    private record Trickle(String what, SocketChannel channel, ByteBuffer rest, CloseReason... ends) {}

    private TestRelay relay;
    private HealthyPair pair;
    private final Crowd crowd = new Crowd();
    private final List<Trickle> trickles = new ArrayList<>();

    @BeforeEach
    void start() throws Exception {
        relay = AttackRelay.start(
                b -> b.frameTimeout(FRAME_TIMEOUT).minRate(MIN_RATE).handshakeTimeout(HANDSHAKE_TIMEOUT));
        pair = AttackRelay.pair(relay);
    }

    @AfterEach
    void end() throws Exception {
        crowd.close();
        pair.close();
        relay.close();
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void aHeader() throws Exception {
        byte[] two = then(
                new Frames().frame(Frames.type(LATER, 0), 10).bytes(),
                new Frames().header(1, 10).bytes());
        begin("the first header", relay.publish(), new Frames().header(1, 5000).bytes(), 0, FRAME);
        begin("a later header", relay.publish(), two, 18, FRAME);
        pair.begin();
        SocketChannel silent = crowd.connect(relay.publish());
        // Whole, and then nothing for longer than any of the timeouts: that is no frame under way.
        Crowd.offer(
                silent,
                new Frames()
                        .frame(Frames.type(HealthyPair.FIRST_OTHER + 1, 0), 10)
                        .buffer());
        areGivenUp("headers");
        relay.awaitPublishers(3);
        pair.finish();
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void aBody() throws Exception {
        byte[] body = new Frames().header(1, 5000).raw(new byte[5000]).bytes();
        begin("a body", relay.publish(), body, 8, FRAME);
        begin("the end of a body", relay.publish(), body, 4000, FRAME);
        pair.begin();
        areGivenUp("bodies");
        relay.awaitPublishers(2);
        pair.finish();
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void aHello() throws Exception {
        byte[] publisher = Hello.acks("trickle", 0).bytes();
        byte[] subscriber =
                HelloFrame.subscriber().name("trickle").build().encode().array();
        begin("a HELLO to publish", relay.publish(), publisher, 0, HELLO);
        begin("the end of a HELLO to publish", relay.publish(), publisher, 20, HELLO);
        begin("a HELLO to subscribe", relay.subscribe(), subscriber, 0, HELLO);
        begin("the end of a HELLO to subscribe", relay.subscribe(), subscriber, 20, HELLO);
        pair.begin();
        areGivenUp("HELLOs");
        pair.finish();
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void whatIsSaidBehindHello() throws Exception {
        byte[] publisher = Hello.acks("trickle", 0).bytes();
        byte[] subscriber =
                HelloFrame.subscriber().name("trickle").build().encode().array();
        byte[] subscribe =
                new SubscribeFrame(1, TypeRanges.of(1, 2, 5, 6, 9, 10)).encode().array();
        begin("a PING", relay.publish(), then(publisher, Hello.ping(1)), publisher.length, FRAME);
        begin("a SUBSCRIBE", relay.subscribe(), then(subscriber, subscribe), subscriber.length, FRAME);
        pair.begin();
        areGivenUp("frames behind HELLO");
        pair.finish();
    }

    private void areGivenUp(String what) throws Exception {
        Workers attack = new Workers().start("trickles", this::trickle);
        pair.goesOn();
        attack.join();
        pair.end(trickles.size() + " " + what + ", a byte at a time");
        AttackRelay.assertNoFault(relay);
        assertThat(relay.closed(CloseReason.FRAME_TIMEOUT) + relay.closed(CloseReason.HANDSHAKE_TIMEOUT))
                .as("%s", relay.stats())
                .isEqualTo(trickles.size());
        for (Trickle trickle : trickles) {
            assertThat(lastWord(trickle.channel)).as(trickle.what).isIn((Object[]) trickle.ends);
        }
    }

    private void trickle() {
        long start = System.nanoTime();
        Await.until(() -> "all are given up: " + relay.stats(), () -> {
            int due = 1 + (int) ((System.nanoTime() - start) / BETWEEN_BYTES_NANOS);
            trickles.forEach(t -> step(t.channel, t.rest, due));
            return AttackRelay.closes(relay) >= trickles.size();
        });
    }

    private void begin(String what, SocketAddress to, byte[] bytes, int atOnce, CloseReason... ends) throws Exception {
        SocketChannel channel = crowd.connect(to);
        Crowd.offer(channel, ByteBuffer.wrap(bytes, 0, atOnce));
        // The last byte never comes.
        trickles.add(new Trickle(
                what,
                channel,
                ByteBuffer.wrap(bytes, atOnce, bytes.length - 1 - atOnce).slice(),
                ends));
    }

    /** Until so many bytes of {@code rest} have been sent. */
    private static void step(SocketChannel channel, ByteBuffer rest, int due) {
        if (rest.position() < due && rest.hasRemaining()) {
            ByteBuffer part = rest.slice(rest.position(), Math.min(due - rest.position(), rest.remaining()));
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

    private static byte[] then(byte[] first, byte[] second) {
        return new Frames().raw(first).raw(second).bytes();
    }
}
