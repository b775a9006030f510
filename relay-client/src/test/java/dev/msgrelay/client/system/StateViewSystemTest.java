package dev.msgrelay.client.system;

import static dev.msgrelay.server.config.RelayOption.*;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.StateView;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.LocalPublisher;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.testing.scripted.CuttingProxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A view of the relay's state, over connections that are cut while types change: at each move it is the stream. */
class StateViewSystemTest {
    private static final int MESSAGES = 6_000;
    private static final int TYPES = 30;

    /** @param body empty: the type is removed */
    private record Sent(int type, String body) {}

    private final long seed = new Random().nextLong();
    private final Random random = new Random(seed);
    // The publisher's thread adds a message before it publishes it.
    private final List<Sent> stream = new CopyOnWriteArrayList<>();
    private final Map<Integer, String> expected = new HashMap<>();
    private final StateView view = new StateView(1 << 20, this::moved);
    private TypeRanges types;
    private int applied;
    private int moves;

    @ParameterizedTest
    @ValueSource(strings = {"all", "3,10-19"})
    void isTheStreamAtEachMove(String wanted) throws Exception {
        System.out.println("isTheStreamAtEachMove " + wanted + ": seed " + seed);
        types = TypeRanges.parse(wanted);
        RelayConfig config = RelayConfig.builder(0, 0)
                .set(LOG_SIZE, 8 << 20)
                .set(STATE, 4 << 20)
                .build();
        try (RelayServer relay = RelayServer.start(config);
                LocalPublisher publisher = relay.newLocalPublisher();
                CuttingProxy proxy =
                        new CuttingProxy(Endpoint.of(relay.subscribeAddress()), new Random(seed + 1), 3_000, 40)) {
            publish(publisher, MESSAGES / 3);
            SubscriberOptions options = SubscriberOptions.builder(proxy.endpoint())
                    .reconnect(SubscriberSystemTest.QUICK)
                    .heartbeat(Duration.ofMillis(100))
                    .fromState()
                    .types(types)
                    .view(view)
                    .onEvent(event -> {})
                    .onGap(gap -> assertThat(gap.isLoss()).isFalse())
                    .build();
            Thread publishes = new Thread(() -> publish(publisher, 2 * MESSAGES / 3));
            publishes.start();
            try (RelaySubscriber subscriber = RelaySubscriber.open(options)) {
                while (view.next() <= MESSAGES) {
                    subscriber.poll((sequence, type, body) -> {});
                }
            }
            publishes.join();
            assertThat(proxy.cuts()).isPositive();
            assertThat(moves).isPositive();
            assertThat(view.whole()).isTrue();
        }
    }

    private void publish(LocalPublisher publisher, int messages) {
        for (int i = 0; i < messages; i++) {
            String body = random.nextInt(8) == 0 ? "" : "v" + i;
            Sent sent = new Sent(1 + random.nextInt(TYPES), body);
            stream.add(sent);
            ByteBuffer bytes = ByteBuffer.wrap(body.getBytes(UTF_8));
            assertThat(publisher.publish(
                            sent.type, bytes, Duration.ofSeconds(120).toNanos()))
                    .isSameAs(PublishOutcome.ACCEPTED);
        }
    }

    private void moved(long next, Set<Integer> changed) {
        if (next - 1 < applied) {
            // A cut before the first message: all begins anew.
            expected.clear();
            applied = 0;
        }
        for (; applied < next - 1; applied++) {
            Sent sent = stream.get(applied);
            if (sent.body.isEmpty() || !types.contains(sent.type)) {
                expected.remove(sent.type);
            } else {
                expected.put(sent.type, sent.body);
            }
        }
        Map<Integer, String> seen = new HashMap<>();
        view.types()
                .forEach(type -> seen.put(
                        type, UTF_8.decode(view.get(type).orElseThrow()).toString()));
        assertThat(seen).as("before %d, seed %d", next, seed).isEqualTo(expected);
        assertThat(changed).allMatch(types::contains);
        moves++;
    }
}
