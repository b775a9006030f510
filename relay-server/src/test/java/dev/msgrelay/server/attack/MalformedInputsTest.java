package dev.msgrelay.server.attack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.MalformedInputs;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.TestRelay;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
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
            int errors = 0;
            int count = 0;
            while (count < INPUTS / 2) {
                errors += attack(port.of(relay), inputs, count);
                count += AT_ONCE;
                if (count % 1000 == 0) {
                    pair.push(20_000, 100, 3000);
                }
            }
            pair.end(count + " " + what);
            int all = count;
            Await.until(() -> all + " ends are counted: " + relay.stats(), () -> AttackRelay.closes(relay) == all);
            System.out.println(
                    errors + " were told an error; closed: " + relay.stats().closes());
            // Otherwise it would not have been looked at what is done with them.
            assertThat(errors).isBetween(count / 10, count - 1);
            AttackRelay.assertNoFault(relay);
            memory.assertWithinBudget(relay);
            pair.finish();
        }
    }

    /** Some at once; answers how many were told an error. */
    private static int attack(SocketAddress port, Supplier<byte[]> inputs, int number) throws IOException {
        List<PlainPublisher> connections = new ArrayList<>();
        int errors = 0;
        try {
            for (int i = 0; i < AT_ONCE; i++) {
                PlainPublisher connection = PlainPublisher.connect(port);
                connections.add(connection);
                send(connection, inputs.get());
            }
            for (int i = 0; i < AT_ONCE; i++) {
                errors += endsWithError(connections.get(i), number + i) ? 1 : 0;
            }
        } finally {
            for (PlainPublisher connection : connections) {
                connection.close();
            }
        }
        return errors;
    }

    private static void send(PlainPublisher connection, byte[] input) {
        try {
            connection.send(ByteBuffer.wrap(input)).halfClose();
        } catch (IOException closedAlready) {
            // What was said before that is looked at all the same.
        }
    }

    private static boolean endsWithError(PlainPublisher connection, int number) {
        try {
            return MalformedInputs.endsWithError(connection.readToEnd(), number);
        } catch (IOException reset) {
            return false;
        }
    }
}
