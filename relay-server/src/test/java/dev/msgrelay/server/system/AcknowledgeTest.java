package dev.msgrelay.server.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TalkingPublisher;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.Workers;
import dev.msgrelay.server.ops.Counter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** ACK says what is in the stream, and where; what is sent again over another connection is taken once. */
class AcknowledgeTest {
    private static final int NAMED = 3;
    private static final int MESSAGES = 4000;

    /** What a publisher was told: the number of each ACK and the sequence. */
    private record Acked(int publisher, long number, long sequence) {}

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#pairs")
    void numbersAndSequencesAreThoseOfTheStream(Setting setting) throws Exception {
        Random seeds = Seeds.random("AcknowledgeTest " + setting);
        List<Acked> acked = new ArrayList<>();
        try (TestRelay relay = TestRelay.start(setting, b -> b.slowSubscriber(Policy.BACKPRESSURE));
                PlainSubscriber subscriber = relay.subscriber()) {
            Workers workers = new Workers();
            for (int p = 0; p < NAMED; p++) {
                int publisher = p;
                Random random = new Random(seeds.nextLong());
                workers.start("named-" + p, () -> publishNamed(relay, publisher, random, acked));
            }
            Random random = new Random(seeds.nextLong());
            workers.start("plain", () -> {
                try (PlainPublisher plain = relay.publisher()) {
                    int number = 0;
                    while (number < MESSAGES) {
                        plain.send(burst(NAMED, number, number += 100, random));
                    }
                }
            });
            workers.join();
            subscriber
                    .awaitMessages((NAMED + 1) * MESSAGES)
                    .received()
                    .assertAllOf(MESSAGES, MESSAGES, MESSAGES, MESSAGES);
            int[] stream = subscriber.received().types();
            long[] last = new long[NAMED];
            for (Acked ack : acked) {
                // The stream was empty when the subscriber came: its messages are 1, 2, 3 and so on.
                assertThat(stream[(int) ack.sequence() - 1])
                        .as(ack.toString())
                        .isEqualTo(Frames.type(ack.publisher(), (int) ack.number() - 1));
                assertThat(ack.number()).isGreaterThan(last[ack.publisher()]);
                last[ack.publisher()] = ack.number();
            }
            assertThat(last).containsOnly(MESSAGES);
            assertThat(relay.stats().get(Counter.DUPLICATES)).isZero();
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
            int number = 0;
            while (number < MESSAGES) {
                int to = Math.min(MESSAGES, number + 1 + random.nextInt(200));
                connection.send(burst(publisher, number, to, random));
                number = to;
            }
            reader.join();
        }
    }

    private static Frames burst(int publisher, int from, int to, Random random) {
        Frames frames = new Frames();
        for (int number = from; number < to; number++) {
            int body = random.nextInt(300) == 0 ? random.nextInt(200_000) : random.nextInt(200);
            frames.frame(Frames.type(publisher, number), body);
        }
        return frames;
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    void everyMessageOnceWhereverTheConnectionIsCut(Setting setting) throws Exception {
        int publishers = 3;
        int messages = 3000;
        Random seeds = Seeds.random("AcknowledgeTest, cuts, " + setting);
        try (TestRelay relay = TestRelay.small(setting, Policy.BACKPRESSURE);
                PlainSubscriber subscriber = relay.subscriber()) {
            Workers workers = new Workers();
            for (int p = 0; p < publishers; p++) {
                int publisher = p;
                Random random = new Random(seeds.nextLong());
                workers.start("publisher-" + p, () -> publishWithCuts(relay, publisher, messages, random));
            }
            workers.join();
            // As many as there should be, and then no more.
            relay.awaitMessagesIn((long) publishers * messages);
            subscriber.awaitMessages(publishers * messages).received().assertAllOf(messages, messages, messages);
            assertThat(relay.stats().get(Counter.MESSAGES_IN)).isEqualTo((long) publishers * messages);
            assertThat(relay.stats().get(Counter.DUPLICATES)).isPositive();
        }
    }

    /** Sends until all is acknowledged, over connections that are cut anywhere, in any way. */
    private static void publishWithCuts(TestRelay relay, int publisher, int messages, Random random) throws Exception {
        String name = "cut-" + publisher;
        int acknowledged = 0;
        for (int connection = 0; acknowledged < messages; connection++) {
            // Towards the end one connection is let live.
            boolean last = connection >= 25;
            try (TalkingPublisher wire = TalkingPublisher.connect(relay, Hello.acks(name, acknowledged + 1))) {
                int to = last ? messages : Math.min(messages, acknowledged + 1 + random.nextInt(400));
                byte[] bytes = burst(publisher, acknowledged, to, random).bytes();
                int cut = last ? bytes.length : random.nextInt(bytes.length + 1);
                wire.send(ByteBuffer.wrap(bytes, 0, cut));
                if (last) {
                    acknowledged = (int) wire.awaitAck(messages).first();
                } else {
                    acknowledged = cut(wire, acknowledged, random);
                }
            }
        }
    }

    /** Ends a connection in one of several ways; answers what it knows to be in the stream. */
    private static int cut(TalkingPublisher wire, int acknowledged, Random random) throws Exception {
        switch (random.nextInt(4)) {
            case 0 -> wire.reset();
            case 1 -> {
                Control welcome = wire.await(Hello.WELCOME);
                wire.reset();
                return (int) Math.max(acknowledged, welcome.accepted());
            }
            case 2 -> {
                wire.halfClose();
                int known = acknowledged;
                for (Control frame = wire.next(); frame != null; frame = wire.next()) {
                    known = frame.type() == Hello.ACK ? (int) frame.first() : known;
                }
                return known;
            }
            default -> {} // left to close, with whatever is still to be read
        }
        return acknowledged;
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    void theNewerConnectionTakesTheName(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting);
                PlainSubscriber subscriber = relay.subscriber();
                TalkingPublisher other = TalkingPublisher.connect(relay, Hello.acks("other", 0));
                TalkingPublisher older = TalkingPublisher.connect(relay, Hello.acks("orders", 0))) {
            other.await(Hello.WELCOME);
            older.await(Hello.WELCOME);
            older.send(new Frames().frame(Frames.type(0, 0), 10).frame(Frames.type(0, 1), 10));
            older.awaitAck(2);
            try (TalkingPublisher newer = TalkingPublisher.connect(relay, Hello.acks("orders", 1))) {
                Control error = older.awaitError();
                assertThat(error.code()).isEqualTo(CloseReason.NAME_TAKEN.code());
                assertThat(error.text()).contains("orders");
                assertThat(newer.await(Hello.WELCOME).accepted()).isEqualTo(2);
                older.send(new Frames().frame(Frames.type(0, 99), 10));
                newer.send(new Frames()
                        .frame(Frames.type(0, 0), 10)
                        .frame(Frames.type(0, 1), 10)
                        .frame(Frames.type(0, 2), 10));
                assertThat(newer.awaitAck(3).sequence()).isEqualTo(3);
                other.send(new Frames().frame(Frames.type(1, 0), 10));
                other.awaitAck(1);
                subscriber.awaitMessages(4).received().assertAllOf(3, 1);
                assertThat(relay.stats().get(Counter.DUPLICATES)).isEqualTo(2);
                assertThat(relay.stats().closes()).containsOnlyKeys(CloseReason.NAME_TAKEN);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    void whoComesBackFromAnotherRelayGoesOnWithItsNumbers(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting)) {
            long epoch;
            try (TalkingPublisher publisher = TalkingPublisher.connect(relay, Hello.acks("orders", 1))) {
                publisher.send(new Frames().frame(1, 10));
                epoch = publisher.await(Hello.WELCOME).epoch();
                assertThat(publisher.await(Hello.ACK).first()).isEqualTo(1);
            }
            Hello elsewhere = Hello.acks("orders", 100).epoch(epoch + 1);
            try (TalkingPublisher publisher = TalkingPublisher.connect(relay, elsewhere)) {
                publisher.send(new Frames().frame(1, 10));
                assertThat(publisher.await(Hello.WELCOME).accepted()).isEqualTo(1);
                Control ack = publisher.await(Hello.ACK);
                assertThat(ack.first()).isEqualTo(100);
                assertThat(ack.sequence()).isEqualTo(2);
            }
            try (TalkingPublisher publisher =
                    TalkingPublisher.connect(relay, Hello.acks("orders", 99).epoch(epoch))) {
                publisher.send(new Frames().frame(1, 10).frame(1, 10).frame(1, 10));
                assertThat(publisher.await(Hello.WELCOME).accepted()).isEqualTo(100);
                assertThat(publisher.await(Hello.ACK).first()).isEqualTo(101);
            }
            assertThat(relay.stats().get(Counter.MESSAGES_IN)).isEqualTo(3);
            assertThat(relay.stats().get(Counter.DUPLICATES)).isEqualTo(2);
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
    void withoutAcksNothingIsAcknowledged(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting);
                TalkingPublisher publisher =
                        TalkingPublisher.connect(relay, Hello.plain().name("orders"))) {
            publisher.send(new Frames().frame(1, 10));
            relay.awaitMessagesIn(1);
            publisher.send(Hello.ping(5));
            assertThat(publisher.next().accepted()).isZero();
            assertThat(publisher.next().type()).isEqualTo(Hello.PONG);
        }
    }
}
