package dev.msgrelay.server.attack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.harness.Await;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Malformed inputs by the hundred thousand, each all that a connection sends: every one of them ends, is counted, and is
 * answered with whole frames. {@code -Dattack.inputs=1000000} asks for more.
 */
@Timeout(value = 14, unit = TimeUnit.MINUTES) // For more of them than by default.
class MalformedInputsTest {
    private static final int INPUTS = Integer.getInteger("attack.inputs", 100_000);
    /** Connections that are open at once. */
    private static final int AT_ONCE = 50;

    @Test
    void onThePublishPort() throws Exception {
        Random random = Seeds.random("MalformedInputsTest, publish port");
        MalformedInputs inputs = new MalformedInputs(random);
        attack("malformed inputs on the publish port", TestRelay::publish, inputs::toPublishPort);
    }

    @Test
    void onTheSubscribePort() throws Exception {
        Random random = Seeds.random("MalformedInputsTest, subscribe port");
        MalformedInputs inputs = new MalformedInputs(random);
        attack("malformed inputs on the subscribe port", TestRelay::subscribe, inputs::toSubscribePort);
    }

    private interface Port {
        SocketAddress of(TestRelay relay);
    }

    private static void attack(String what, Port port, Supplier<byte[]> inputs) throws Exception {
        try (MemoryWatch memory = new MemoryWatch();
                TestRelay relay = AttackRelay.startSmall(b -> b.maxBody(10_000));
                HealthyPair pair = AttackRelay.pair(relay)) {
            pair.received().passOverStrangers();
            pair.begin();
            Map<End, Integer> ends = new EnumMap<>(End.class);
            int count = 0;
            while (count < INPUTS / 2) {
                attack(port.of(relay), inputs, count, ends);
                count += AT_ONCE;
                if (count % 1000 == 0) {
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
            // A subscriber that ends its side while its socket is full is gone, and counted as lost by the write.
            long cutOff = Stream.of(
                            CloseReason.MEMORY_LIMIT,
                            CloseReason.STALLED_SUBSCRIBER,
                            CloseReason.SLOW_SUBSCRIBER,
                            CloseReason.CONNECTION_LOST)
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
    private static void attack(SocketAddress port, Supplier<byte[]> inputs, int number, Map<End, Integer> ends)
            throws IOException {
        List<PlainPublisher> connections = new ArrayList<>();
        try {
            for (int i = 0; i < AT_ONCE; i++) {
                PlainPublisher connection = PlainPublisher.connect(port);
                connections.add(connection);
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
