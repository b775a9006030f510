package dev.msgrelay.server.system;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Received;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TalkingPublisher;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.Workers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Everyone gets everything in one order; ACK says what is in the stream, and where. */
class AcknowledgeTest {
    private static final int NAMED = 2;
    private static final int MESSAGES = 4000;

    /** What a publisher was told: the number of each ACK and the sequence. */
    private record Acked(int publisher, long number, long sequence) {}

    /** Publishers 0 and 1 have names, 2 and 3 are plain. */
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#pairs")
    void everyoneGetsEverythingInOneOrderThatAcksTell(Setting setting) throws Exception {
        Random seeds = Seeds.random("AcknowledgeTest " + setting);
        List<Acked> acked = new ArrayList<>();
        try (TestRelay relay = TestRelay.start(setting, b -> b.set(SLOW_SUBSCRIBER, Policy.BACKPRESSURE));
                PlainSubscriber first = relay.subscriber();
                PlainSubscriber second = relay.subscriber();
                PlainSubscriber third = relay.subscriber()) {
            Workers workers = new Workers();
            for (int p = 0; p < 4; p++) {
                int publisher = p;
                Random random = new Random(seeds.nextLong());
                workers.start("publisher-" + p, () -> {
                    if (publisher < NAMED) {
                        publishNamed(relay, publisher, random, acked);
                    } else {
                        try (TalkingPublisher plain = TalkingPublisher.connect(relay.publish())) {
                            publish(plain, publisher, random);
                        }
                    }
                });
            }
            workers.join();
            int[] stream = first.awaitMessages(4 * MESSAGES).received().types();
            for (PlainSubscriber subscriber : List.of(first, second, third)) {
                Received received = subscriber.awaitMessages(4 * MESSAGES).received();
                received.assertAllOf(MESSAGES, MESSAGES, MESSAGES, MESSAGES);
                assertThat(received.types()).isEqualTo(stream);
            }
            long[] last = new long[NAMED];
            for (Acked ack : acked) {
                // The stream was empty when the subscribers came: its messages are 1, 2, 3 and so on.
                assertThat(stream[(int) ack.sequence() - 1])
                        .as(ack.toString())
                        .isEqualTo(Frames.type(ack.publisher(), (int) ack.number() - 1));
                assertThat(ack.number()).isGreaterThan(last[ack.publisher()]);
                last[ack.publisher()] = ack.number();
            }
            assertThat(last).containsOnly(MESSAGES);
            assertThat(relay.stats().get(Counter.DUPLICATES)).isZero();
            assertThat(relay.stats().get(Counter.MESSAGES_IN)).isEqualTo(4 * MESSAGES);
        }
    }

    private static void publishNamed(TestRelay relay, int publisher, Random random, List<Acked> acked)
            throws Exception {
        try (TalkingPublisher connection =
                TalkingPublisher.connect(relay, Hello.acks("publisher-" + publisher, publisher % 2))) {
            assertThat(connection.next().type()).isEqualTo(Hello.WELCOME);
            Workers reader = new Workers().start("acks-" + publisher, () -> {
                Control ack = null;
                while (ack == null || ack.first() < MESSAGES) {
                    ack = connection.await(Hello.ACK);
                    synchronized (acked) {
                        acked.add(new Acked(publisher, ack.first(), ack.sequence()));
                    }
                }
            });
            publish(connection, publisher, random);
            reader.join();
        }
    }

    /** Bursts of random sizes: mostly small messages, now and then a large one, written in pieces of any length. */
    private static void publish(TalkingPublisher connection, int publisher, Random random) throws Exception {
        int number = 0;
        while (number < MESSAGES) {
            Frames burst = new Frames();
            for (int to = Math.min(MESSAGES, number + 1 + random.nextInt(400)); number < to; number++) {
                int body = random.nextInt(400) == 0 ? random.nextInt(300_000) : random.nextInt(200);
                burst.frame(Frames.type(publisher, number), body);
            }
            byte[] bytes = burst.bytes();
            int at = 0;
            while (at < bytes.length) {
                int piece = Math.min(bytes.length - at, 1 + random.nextInt(100_000));
                connection.send(ByteBuffer.wrap(bytes, at, piece));
                at += piece;
            }
        }
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    void aGapIsRefused(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting)) {
            // A name that is not known may start anywhere.
            try (TalkingPublisher publisher = TalkingPublisher.connect(relay, Hello.acks("orders", 4711))) {
                publisher.send(new Frames().frame(1, 10));
                assertThat(publisher.await(Hello.WELCOME).accepted()).isZero();
                assertThat(publisher.await(Hello.ACK).first()).isEqualTo(4711);
            }
            try (TalkingPublisher publisher = TalkingPublisher.connect(relay, Hello.acks("orders", 4713))) {
                publisher.send(new Frames().frame(1, 10));
                Control error = publisher.awaitError();
                assertThat(error.code()).isEqualTo(CloseReason.MESSAGE_GAP.code());
                assertThat(error.text()).contains("4713", "4712");
            }
            assertThat(relay.closed(CloseReason.MESSAGE_GAP)).isEqualTo(1);
            assertThat(relay.stats().get(Counter.MESSAGES_IN)).isEqualTo(1);
            try (TalkingPublisher publisher = TalkingPublisher.connect(relay, Hello.acks("orders", 4712))) {
                assertThat(publisher.await(Hello.WELCOME).accepted()).isEqualTo(4711);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    void aStrangerIsRefused(Setting setting) throws Exception {
        Hello stranger = Hello.acks("orders", 0).producer(0x1111, 0x2223);
        try (TestRelay relay = TestRelay.start(setting);
                PlainSubscriber subscriber = relay.subscriber()) {
            try (TalkingPublisher owner = TalkingPublisher.connect(relay, owner(1))) {
                owner.await(Hello.WELCOME);
                owner.send(new Frames().frame(Frames.type(0, 0), 20));
                assertThat(owner.awaitAck(1).first()).isEqualTo(1);
                assertRefused(relay, stranger);
                assertRefused(relay, Hello.acks("orders", 1).producer(0x1111, 0x2223));
                // An old client without an id is another stranger.
                assertRefused(relay, Hello.acks("orders", 2));
                owner.send(new Frames().frame(Frames.type(0, 1), 20));
                assertThat(owner.awaitAck(2).first()).isEqualTo(2);
            }
            relay.awaitPublishers(0);
            assertRefused(relay, stranger);
            try (TalkingPublisher again = TalkingPublisher.connect(relay, owner(0))) {
                assertThat(again.await(Hello.WELCOME).accepted()).isEqualTo(2);
                again.send(new Frames().frame(Frames.type(0, 2), 20)).awaitAck(3);
            }
            subscriber.awaitMessages(3).received().assertAllOf(3);
            assertThat(relay.closed(CloseReason.NAME_HELD)).isEqualTo(4);
            assertThat(relay.closed(CloseReason.NAME_TAKEN)).isZero();
        }
    }

    private static Hello owner(long number) {
        return Hello.acks("orders", number).producer(0x1111, 0x2222);
    }

    private static void assertRefused(TestRelay relay, Hello hello) throws IOException {
        try (TalkingPublisher refused = TalkingPublisher.connect(relay, hello)) {
            // Messages right behind HELLO are nobody's.
            refused.send(new Frames().frame(Frames.type(1, 0), 20));
            Control answer = refused.next();
            assertThat(answer.type()).as("the answer to HELLO").isEqualTo(Hello.ERROR);
            assertThat(answer.code()).isEqualTo(CloseReason.NAME_HELD.code());
        }
    }

    // ---- sizes ---------------------------------------------------------------------------------------------------

    private static final int MAX_BODY = 1 << 20;
    private static final int PACKET = 1460;
    private static final int[] SIZES = IntStream.concat(
                    IntStream.of(0, 1, 2, 7, 8, 51, 52, 53, 2 * PACKET, MAX_BODY - 1, MAX_BODY),
                    IntStream.of(PACKET, 64 << 10, 256 << 10, 512 << 10).flatMap(AcknowledgeTest::around))
            .toArray();

    /** The sizes at which a body, and a frame with its header, cross a border. */
    private static IntStream around(int border) {
        return IntStream.of(border - 9, border - 8, border - 7, border - 1, border, border + 1);
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#pairs")
    void throughASocket(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting);
                PlainSubscriber subscriber = relay.subscriber();
                PlainPublisher publisher = relay.publisher()) {
            // Each size alone, and again between small ones; the first pass one by one, so that each ends a read.
            int number = 0;
            for (int size : SIZES) {
                publisher.send(new Frames().frame(Frames.type(0, number++), size));
                subscriber.awaitMessages(number);
            }
            for (int size : SIZES) {
                Frames frames = new Frames().frame(Frames.type(0, number++), 3);
                frames.frame(Frames.type(0, number++), size).frame(Frames.type(0, number++), 100);
                publisher.send(frames);
            }
            subscriber.awaitMessages(number).received().assertAllOf(number);
            assertThat(subscriber.received().lengths()).startsWith(SIZES);
        }
    }
}
