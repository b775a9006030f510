package dev.msgrelay.server.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.MalformedInputs;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TalkingPublisher;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.Workers;
import dev.msgrelay.server.ops.RelayStats;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random and mutated input on the publish port: nothing hangs, every end is counted, and a neighbour that keeps to the rules
 * gets every ACK.
 */
class PublishFuzzTest {
    private static final int CASES = 150;
    private static final int NEIGHBOUR = 3;
    /** A body that no case has, by its type. */
    private static final int BODY = 40;

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    void whateverComes(Setting setting) throws Exception {
        Random random = Seeds.random("PublishFuzzTest " + setting);
        MalformedInputs inputs = new MalformedInputs(random);
        try (TestRelay relay = TestRelay.start(setting, b -> b.maxBody(10_000));
                TalkingPublisher subscriber = TalkingPublisher.connect(relay.subscribe());
                TalkingPublisher neighbour = TalkingPublisher.connect(relay, Hello.acks("neighbour", 1))) {
            relay.awaitSubscribers(1);
            AtomicInteger received = new AtomicInteger();
            Workers reading = new Workers().start("reading", () -> read(subscriber, received));
            neighbour.await(Hello.WELCOME);
            int sent = 0;
            for (int i = 0; i < CASES; i++) {
                byte[] bytes = inputs.toPublishPort();
                long before = ends(relay.stats());
                attack(relay, bytes, random);
                Await.until(
                        "the end of case " + i + " is counted: " + relay.stats(), () -> ends(relay.stats()) > before);
                assertThat(ends(relay.stats())).as("case " + i).isEqualTo(before + 1);
                neighbour.send(new Frames().frame(Frames.type(NEIGHBOUR, sent++), BODY));
                if (i % 20 == 0) {
                    assertThat(neighbour.awaitAck(sent).first()).isEqualTo(sent);
                }
            }
            neighbour.awaitAck(sent);
            int all = sent;
            Await.until("they reach the subscriber", () -> received.get() >= all || reading.failed());
            relay.relay().close();
            reading.join();
            assertThat(received).hasValue(sent);
        }
    }

    /** Counts the neighbour's messages, which come in their order. */
    private static void read(TalkingPublisher subscriber, AtomicInteger received) throws IOException {
        for (Control frame = subscriber.next(); frame != null; frame = subscriber.next()) {
            if (frame.type() == Hello.ERROR) {
                continue;
            }
            assertThat(frame.type() & 0xFFFFFF00)
                    .as("a reserved type is never relayed")
                    .isNotEqualTo(0x80000000);
            int type = Frames.type(NEIGHBOUR, received.get());
            if (frame.body().equals(new Frames().frame(type, BODY).buffer().position(8))) {
                assertThat(frame.type()).isEqualTo(type);
                received.incrementAndGet();
            }
        }
    }

    private static long ends(RelayStats stats) {
        return stats.closes().values().stream().mapToLong(Long::longValue).sum();
    }

    /** Sends, and reads whatever comes until the relay closes, or closes itself. */
    private static void attack(TestRelay relay, byte[] bytes, Random random) throws IOException {
        try (TalkingPublisher publisher = TalkingPublisher.connect(relay.publish())) {
            try {
                int cut = random.nextInt(bytes.length + 1);
                publisher.send(ByteBuffer.wrap(bytes, 0, cut));
                publisher.send(ByteBuffer.wrap(bytes, cut, bytes.length - cut));
                if (random.nextInt(4) > 0) {
                    publisher.halfClose();
                    Control last = null;
                    for (Control frame = publisher.next(); frame != null; frame = publisher.next()) {
                        assertThat(last == null || last.type() != Hello.ERROR)
                                .as("nothing behind ERROR")
                                .isTrue();
                        last = frame;
                    }
                }
            } catch (IOException reset) {
                // The relay has closed while this was sending: it is counted all the same.
            }
        }
    }
}
