package dev.msgrelay.server.attack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.Sessions;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.MalformedInputs;
import dev.msgrelay.server.harness.MalformedInputs.End;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.TestRelay;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
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
    private static final int INPUTS = Integer.getInteger("attack.inputs", 10_000);
    private static final int MANY = 100_000;
    /** Connections that are open at once. */
    private static final int AT_ONCE = 50;

    @Test
    void onThePublishPort() throws Exception {
        onThePublishPort(INPUTS / 2);
    }

    @Tag("thorough")
    @Test
    void manyOnThePublishPort() throws Exception {
        onThePublishPort(MANY / 2);
    }

    private static void onThePublishPort(int count) throws Exception {
        Random random = Seeds.random("MalformedInputsTest, publish port");
        MalformedInputs inputs = new MalformedInputs(random);
        attack("malformed inputs on the publish port", 0, count, TestRelay::publish, inputs::toPublishPort);
    }

    /** Each behind a message, which has moved its publisher to the loop that reads: what it sends goes through the ring. */
    @Test
    void onALoopThatReads() throws Exception {
        Random random = Seeds.random("MalformedInputsTest, publish port, a reader loop");
        MalformedInputs inputs = new MalformedInputs(random);
        attack(
                "malformed inputs on the publish port, with a loop that reads",
                1,
                INPUTS / 10,
                TestRelay::publish,
                inputs::toPublishPort);
    }

    @Test
    void onTheSubscribePort() throws Exception {
        onTheSubscribePort(INPUTS / 2);
    }

    @Tag("thorough")
    @Test
    void manyOnTheSubscribePort() throws Exception {
        onTheSubscribePort(MANY / 2);
    }

    private static void onTheSubscribePort(int count) throws Exception {
        Random random = Seeds.random("MalformedInputsTest, subscribe port");
        MalformedInputs inputs = new MalformedInputs(random);
        attack("malformed inputs on the subscribe port", 0, count, TestRelay::subscribe, inputs::toSubscribePort);
    }

    private interface Port {
        SocketAddress of(TestRelay relay);
    }

    private static void attack(String what, int readers, int most, Port port, Supplier<byte[]> inputs)
            throws Exception {
        try (MemoryWatch memory = new MemoryWatch();
                TestRelay relay = AttackRelay.startSmall(readers, b -> b.maxBody(10_000));
                HealthyPair pair = AttackRelay.pair(relay)) {
            pair.received().passOverStrangers();
            pair.begin();
            Map<End, Integer> ends = new EnumMap<>(End.class);
            int count = 0;
            while (count < most) {
                attack(relay, readers > 0, port, inputs, count, ends);
                count += AT_ONCE;
                if (count % 500 == 0) {
                    pair.push(20_000, 100, 3000);
                }
            }
            pair.end(count + " " + what);
            int all = count;
            Await.until(() -> all + " ends are counted: " + relay.stats(), () -> AttackRelay.closes(relay) == all);
            Map<CloseReason, Long> closes = relay.stats().closes();
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
            AttackRelay.assertNoFault(relay);
            memory.assertWithinBudget(relay);
            pair.finish();
        }
    }

    /** Some at once; counts how the answers to them end. */
    private static void attack(
            TestRelay relay, boolean moved, Port port, Supplier<byte[]> inputs, int number, Map<End, Integer> ends)
            throws IOException {
        List<PlainPublisher> connections = new ArrayList<>();
        try {
            for (int i = 0; i < AT_ONCE; i++) {
                PlainPublisher connection = PlainPublisher.connect(port.of(relay));
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
        return relay.stats().publishers() == AT_ONCE + HealthyPair.PUBLISHERS
                && Sessions.of(relay.relay()).stream()
                        .filter(c -> c.kind() == Role.PUBLISHER)
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
