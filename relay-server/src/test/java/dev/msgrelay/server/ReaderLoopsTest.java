package dev.msgrelay.server;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import com.lmax.disruptor.Sequence;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.connection.SessionState;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TalkingPublisher;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.net.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Plain publishers are read on loops of their own, and their runs go through the ring; those with acknowledgements are
 * not.
 */
class ReaderLoopsTest {
    private static final int PLAIN = 3;
    private static final int BURSTS = 40;
    private static final int BURST = 50;

    private static TestRelay relay(int loops, int readers) throws Exception {
        return TestRelay.start(new Setting(Transport.NIO, false, loops), b -> b.set(READER_LOOPS, readers)
                .set(SLOW_SUBSCRIBER, Policy.BACKPRESSURE));
    }

    private static List<String> threads(TestRelay relay, SessionState state) {
        return Sessions.of(relay.relay()).stream()
                .filter(c -> c.kind() == Role.PUBLISHER && c.state() == state)
                .map(Sessions::thread)
                .toList();
    }

    /** The last cell of the ring that the core has taken; -1: none yet. */
    private static long consumed(TestRelay relay) {
        return Sessions.<Sequence>get(relay.relay().engine().ring(), "consumed").get();
    }

    private static Frames burst(int publisher, int from, Random random) {
        Frames frames = new Frames();
        for (int number = from; number < from + BURST; number++) {
            int body = random.nextInt(300) == 0 ? random.nextInt(200_000) : random.nextInt(200);
            frames.frame(Frames.type(publisher, number), body);
        }
        return frames;
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1, 2", "2, 1", "3, 2"})
    void everyByteComesInTheOrderOfItsPublisher(int loops, int readers) throws Exception {
        Random random = Seeds.random("ReaderLoopsTest " + loops + " " + readers);
        List<PlainPublisher> publishers = new ArrayList<>();
        try (TestRelay relay = relay(loops, readers);
                PlainSubscriber subscriber = relay.subscriber();
                TalkingPublisher acked = TalkingPublisher.connect(relay, Hello.acks("acked", 1))) {
            assertThat(acked.next().type()).isEqualTo(Hello.WELCOME);
            for (int p = 0; p < PLAIN; p++) {
                publishers.add(relay.publisher());
            }
            // Taken by the core, in place.
            for (int p = 0; p < PLAIN; p++) {
                publishers.get(p).send(new Frames().frame(Frames.type(p, 0), 20));
            }
            relay.awaitMessagesIn(PLAIN);
            Await.until(
                    () -> "they move: " + threads(relay, SessionState.PLAIN),
                    () -> threads(relay, SessionState.PLAIN).stream().allMatch(t -> t.startsWith("relay-reader-")));
            assertThat(threads(relay, SessionState.PLAIN).stream().distinct()).hasSize(readers);
            long before = consumed(relay);
            for (int i = 0; i < BURSTS; i++) {
                for (int p = 0; p < PLAIN; p++) {
                    publishers.get(p).send(burst(p, 1 + i * BURST, random));
                }
                acked.send(burst(PLAIN, i * BURST, random));
            }
            int messages = BURSTS * BURST;
            acked.awaitAck(messages);
            subscriber.awaitMessages(PLAIN * (messages + 1) + messages);
            subscriber.received().assertAllOf(messages + 1, messages + 1, messages + 1, messages);
            assertThat(consumed(relay)).isGreaterThan(before);
            assertThat(threads(relay, SessionState.OPEN)).containsExactly(Sessions.CORE);
            for (PlainPublisher publisher : publishers) {
                publisher.close();
            }
        }
    }

    @Test
    void withoutThemTheCoreReadsEverybody() throws Exception {
        try (TestRelay relay = relay(3, 0);
                PlainPublisher publisher = relay.publisher()) {
            publisher.send(new Frames().frame(1, 20));
            relay.awaitMessagesIn(1);
            publisher.send(new Frames().frame(2, 20));
            relay.awaitMessagesIn(2);
            assertThat(threads(relay, SessionState.PLAIN)).containsExactly(Sessions.CORE);
            assertThat(consumed(relay)).isEqualTo(-1);
        }
    }
}
