package dev.msgrelay.server.attack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.SubscribeFrame;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.config.RelayOption;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.Workers;
import dev.msgrelay.testing.ThisMachine;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A byte every quarter of a second, within whatever can be begun: it is given up, told so, and nobody else notices. */
class TricklesTest {
    private static final Duration FRAME_TIMEOUT = Duration.ofMillis(1000);
    private static final Duration HANDSHAKE_TIMEOUT = Duration.ofMillis(1500);
    private static final long BETWEEN_BYTES_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final int MIN_RATE = 1000;

    private static final CloseReason[] FRAME = {CloseReason.FRAME_TIMEOUT};
    /** Nobody can tell a HELLO from another frame before its header is there. */
    private static final CloseReason[] HELLO = {CloseReason.HANDSHAKE_TIMEOUT, CloseReason.FRAME_TIMEOUT};

    /** A connection that gets {@code rest} a piece at a time, behind what it has sent at once. */
    private record Trickle(String what, SocketChannel channel, ByteBuffer rest, CloseReason... ends) {}

    private final List<Trickle> trickles = new ArrayList<>();

    @Test
    void whateverIsBegunIsGivenUp() throws Exception {
        Frames header = new Frames().header(1, 5000);
        Frames second =
                new Frames().frame(Frames.type(HealthyPair.FIRST_OTHER, 0), 10).header(1, 10);
        Frames body = new Frames().header(1, 5000).raw(new byte[5000]);
        Frames publisher = new Frames().raw(Hello.acks("trickle", 0).bytes());
        Frames ping = new Frames().raw(Hello.acks("trickle, too", 0).bytes());
        int ofPublisher = ping.size();
        ping.raw(Hello.ping(1));
        byte[] hello = HelloFrame.subscriber().name("trickle").build().encode().array();
        Frames subscriber = new Frames().raw(hello);
        TypeRanges types = TypeRanges.of(1, 2, 5, 6, 9, 10);
        Frames subscribe = new Frames()
                .raw(hello)
                .raw(new SubscribeFrame(1, types).encode().array());
        try (Attack attack = new Attack(b -> b.set(RelayOption.FRAME_TIMEOUT, FRAME_TIMEOUT)
                .set(RelayOption.MIN_RATE, MIN_RATE)
                .set(RelayOption.HANDSHAKE_TIMEOUT, HANDSHAKE_TIMEOUT))) {
            SocketAddress publish = attack.relay.publish();
            begin(attack, "the first header", publish, header, 0, FRAME);
            begin(attack, "a later header", publish, second, 18, FRAME);
            begin(attack, "a body", publish, body, 8, FRAME);
            begin(attack, "the end of a body", publish, body, 4000, FRAME);
            begin(attack, "a HELLO to publish", publish, publisher, 0, HELLO);
            begin(attack, "the end of a HELLO to publish", publish, publisher, 20, HELLO);
            begin(attack, "a PING", publish, ping, ofPublisher, FRAME);
            begin(attack, "a HELLO to subscribe", attack.relay.subscribe(), subscriber, 0, HELLO);
            begin(attack, "the end of a HELLO to subscribe", attack.relay.subscribe(), subscriber, 20, HELLO);
            begin(attack, "a SUBSCRIBE", attack.relay.subscribe(), subscribe, hello.length, FRAME);
            attack.pair.begin();
            // Whole, and then nothing for longer than any of the timeouts: that is no frame under way.
            Frames whole = new Frames().frame(Frames.type(HealthyPair.FIRST_OTHER + 1, 0), 10);
            Crowd.offer(attack.crowd.connect(publish), whole.buffer());
            Workers trickling = new Workers().start("trickles", () -> trickle(attack));
            attack.pair.goesOn();
            trickling.join();
            attack.end(trickles.size() + " frames, a byte at a time");
            assertThat(attack.relay.closed(CloseReason.FRAME_TIMEOUT)
                            + attack.relay.closed(CloseReason.HANDSHAKE_TIMEOUT))
                    .as("%s", attack.relay.stats())
                    .isEqualTo(trickles.size());
            for (Trickle trickle : trickles) {
                assertThat(lastWord(trickle.channel)).as(trickle.what).isIn((Object[]) trickle.ends);
            }
            attack.relay.awaitPublishers(HealthyPair.PUBLISHERS + 1);
            attack.pair.finish();
        }
    }

    private void begin(Attack attack, String what, SocketAddress to, Frames frames, int atOnce, CloseReason... ends)
            throws Exception {
        SocketChannel channel = attack.crowd.connect(to);
        Crowd.offer(channel, frames.buffer().limit(atOnce));
        // The last byte never comes.
        ByteBuffer rest = frames.buffer().slice(atOnce, frames.size() - 1 - atOnce);
        trickles.add(new Trickle(what, channel, rest, ends));
    }

    private void trickle(Attack attack) {
        long start = System.nanoTime();
        Await.until(() -> "all are given up: " + attack.relay.stats(), () -> {
            int due = 1 + (int) ((System.nanoTime() - start) / BETWEEN_BYTES_NANOS);
            trickles.forEach(t -> Crowd.offer(t.channel, t.rest.limit(Math.min(due, t.rest.capacity()))));
            return attack.closes() >= trickles.size();
        });
    }

    /** The reason in the ERROR at the end of what the relay has said; null: there is none. */
    private static CloseReason lastWord(SocketChannel channel) throws Exception {
        channel.configureBlocking(true);
        // A subscriber gets the stream until its HELLO is complete.
        ByteBuffer all = ByteBuffer.allocate(16 << 20);
        while (channel.read(all) >= 0 && all.hasRemaining()) {
            // WELCOME and PINGs are small.
        }
        List<Control> said = Control.all(all.flip());
        Control last = said.get(said.size() - 1);
        return last.type() == Hello.ERROR ? CloseReason.ofCode(last.code()) : null;
    }

    // ---- frames that are announced, and not sent -----------------------------------------------------------------

    private static final int LARGE = 1 << 20;
    private static final int ATTACKERS = 1000;
    /** More than twice as many as there is memory for, so that the line moves on twice. */
    private static final int BEGUN = 80;

    /** Memory for 31 of them, and nobody else has to wait for it: not even one whose frames are cut by reads. */
    @Test
    void announcedAndNotSent() throws Exception {
        ThisMachine.needFiles(2 * ATTACKERS);
        try (Attack attack = new Attack(b -> b.set(RelayOption.FRAME_TIMEOUT, Duration.ofSeconds(2)))) {
            TestRelay relay = attack.relay;
            attack.pair.begin();
            attack.crowd
                    .connect(relay.publish(), ATTACKERS)
                    .offer(new Frames().header(1, LARGE).bytes());
            Await.until(
                    () -> "all were accepted: " + relay.stats(),
                    () -> relay.stats().publishers() + attack.closes() >= ATTACKERS);
            attack.pair.push(4 << 20);
            attack.endWithinBudget("1,000 announced bodies");
            attack.crowd.leave();
            relay.awaitPublishers(HealthyPair.PUBLISHERS);
            attack.pair.push(4 << 20);
            attack.pair.finish();
        }
    }

    /** Some of each body is sent, so that nobody can tell the attackers from honest ones before their time is over. */
    @Tag("thorough")
    @Test
    void begunAndNotFinished() throws Exception {
        byte[] begun = new Frames().header(1, LARGE).raw(new byte[100_000]).bytes();
        try (Attack attack = new Attack(b -> b.set(RelayOption.FRAME_TIMEOUT, Duration.ofSeconds(1)))) {
            attack.pair.begin();
            attack.crowd.connect(attack.relay.publish(), BEGUN).offer(begun);
            attack.pair.push(4 << 20);
            attack.endWithinBudget(BEGUN + " begun bodies");
            attack.crowd.awaitEnds("their time is over");
            assertThat(attack.relay.closed(CloseReason.FRAME_TIMEOUT)).isEqualTo(BEGUN);
            attack.pair.finish();
        }
    }
}
