package dev.msgrelay.server.attack;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.Sessions;
import dev.msgrelay.server.connection.SessionState;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.MalformedInputs;
import dev.msgrelay.server.harness.MalformedInputs.End;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.TalkingPublisher;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.testing.ThisMachine;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Malformed inputs by the ten thousand, each all that a connection sends: every one of them ends, is counted, and is
 * answered with whole frames. {@code -Dattack.inputs=1000000} asks for more.
 */
@Timeout(value = 14, unit = TimeUnit.MINUTES) // For more of them than by default.
class MalformedInputsTest {
    private static final int INPUTS = (int) ThisMachine.setting("attack.inputs", 10_000);
    private static final int MANY = 100_000;
    private static final int AT_ONCE = 50;

    @Test
    void onThePublishPort() throws Exception {
        attack("the publish port", 0, INPUTS / 2, TestRelay::publish, MalformedInputs::toPublishPort);
    }

    @Tag("thorough")
    @Test
    void manyOnThePublishPort() throws Exception {
        attack("the publish port", 0, MANY / 2, TestRelay::publish, MalformedInputs::toPublishPort);
    }

    /**
     * Each behind a message, which has moved its publisher to the loop that reads: what it sends goes through the ring.
     */
    @Test
    void onALoopThatReads() throws Exception {
        attack("a loop that reads", 1, INPUTS / 10, TestRelay::publish, MalformedInputs::toPublishPort);
    }

    @Test
    void onTheSubscribePort() throws Exception {
        attack("the subscribe port", 0, INPUTS / 2, TestRelay::subscribe, MalformedInputs::toSubscribePort);
    }

    @Tag("thorough")
    @Test
    void manyOnTheSubscribePort() throws Exception {
        attack("the subscribe port", 0, MANY / 2, TestRelay::subscribe, MalformedInputs::toSubscribePort);
    }

    /** Beside the pair there is a publisher that gets each of its ACKs. */
    private static void attack(
            String where,
            int readers,
            int most,
            Function<TestRelay, SocketAddress> port,
            Function<MalformedInputs, byte[]> input)
            throws Exception {
        MalformedInputs inputs = new MalformedInputs(Seeds.random("MalformedInputsTest, " + where));
        try (Attack attack = new Attack(readers, b -> Attack.small(b).set(MAX_BODY, 10_000));
                TalkingPublisher acked = TalkingPublisher.connect(attack.relay, Hello.acks("neighbour", 1))) {
            attack.pair.received().passOverStrangers();
            attack.pair.begin();
            acked.await(Hello.WELCOME);
            Map<End, Integer> ends = new EnumMap<>(End.class);
            int count = 0;
            for (int acks = 1; count < most; acks++) {
                attack(attack.relay, readers > 0, port.apply(attack.relay), () -> input.apply(inputs), count, ends);
                count += AT_ONCE;
                acked.send(new Frames().frame(Frames.type(HealthyPair.FIRST_OTHER, acks - 1), 10));
                assertThat(acked.awaitAck(acks).first()).isEqualTo(acks);
                if (count % 500 == 0) {
                    attack.pair.push(20_000, 100, 3000);
                }
            }
            int all = count;
            Await.until(() -> all + " ends are counted: " + attack.relay.stats(), () -> attack.closes() == all);
            attack.endWithinBudget(count + " malformed inputs on " + where);
            Map<CloseReason, Long> closes = attack.relay.stats().closes();
            System.out.println("answers end with " + ends + "; closed: " + closes);
            // Otherwise it would not have been looked at what is done with them.
            assertThat(ends.get(End.ERROR)).isBetween(count / 10, count - 1);
            // Nobody breaks a connection here.
            assertThat(closes).doesNotContainKey(CloseReason.CONNECTION_LOST);
            // A subscriber that ends its side while its socket is full has gone.
            long cutOff = Stream.of(
                            CloseReason.MEMORY_LIMIT,
                            CloseReason.STALLED_SUBSCRIBER,
                            CloseReason.SLOW_SUBSCRIBER,
                            CloseReason.PEER_CLOSED)
                    .mapToLong(reason -> closes.getOrDefault(reason, 0L))
                    .sum();
            assertThat((long) ends.getOrDefault(End.CUT, 0))
                    .as("answers that end within a message, %s", closes)
                    .isLessThanOrEqualTo(cutOff);
            attack.pair.finish();
        }
    }

    /** Some at once; counts how the answers to them end. */
    private static void attack(
            TestRelay relay,
            boolean moved,
            SocketAddress port,
            Supplier<byte[]> inputs,
            int number,
            Map<End, Integer> ends)
            throws IOException {
        List<PlainPublisher> connections = new ArrayList<>();
        try {
            for (int i = 0; i < AT_ONCE; i++) {
                PlainPublisher connection = PlainPublisher.connect(port);
                connections.add(connection);
                if (moved) {
                    connection.send(new Frames().frame(0, 10));
                }
            }
            if (moved) {
                Await.until("all are on the loop that reads", () -> moved(relay));
            }
            for (PlainPublisher connection : connections) {
                send(connection, inputs.get());
            }
            for (int i = 0; i < AT_ONCE; i++) {
                ends.merge(end(connections.get(i), number + i), 1, Integer::sum);
            }
        } finally {
            for (PlainPublisher connection : connections) {
                connection.close();
            }
        }
    }

    private static boolean moved(TestRelay relay) {
        return relay.stats().publishers() == AT_ONCE + HealthyPair.PUBLISHERS + 1
                && Sessions.of(relay.relay()).stream()
                        .filter(c -> c.kind() == Role.PUBLISHER && c.state() == SessionState.PLAIN)
                        .noneMatch(c -> Sessions.thread(c).equals(Sessions.CORE));
    }

    private static void send(PlainPublisher connection, byte[] input) {
        try {
            connection.send(ByteBuffer.wrap(input)).halfClose();
        } catch (IOException closedAlready) {
            // What was said before that is looked at all the same.
        }
    }

    private static End end(PlainPublisher connection, int number) {
        try {
            return MalformedInputs.endOf(connection.readToEnd(), number);
        } catch (IOException reset) {
            return End.WHOLE;
        }
    }
}
