package dev.msgrelay.client.system;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.Gap;
import dev.msgrelay.client.ReconnectPolicy;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.LocalPublisher;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.testing.FreePort;
import dev.msgrelay.testing.scripted.CuttingProxy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The subscriber against the relay itself. */
class SubscriberSystemTest {
    static final ReconnectPolicy QUICK =
            ReconnectPolicy.endless().withDelays(Duration.ofMillis(1), Duration.ofMillis(20));

    private static final int TYPES = 6;
    private static final long BOUND_NANOS = Duration.ofSeconds(120).toNanos();

    private final List<Long> had = new ArrayList<>();
    private final List<Gap> gaps = new ArrayList<>();
    private final List<SessionEvent> events = new ArrayList<>();

    @Test
    void readsFromTheEarliestChoosesTypesAndChangesThem() throws Exception {
        try (RelayServer relay = start(config -> config);
                LocalPublisher publisher = relay.newLocalPublisher()) {
            publish(publisher, 1, 600);
            try (RelaySubscriber subscriber = open(relay, options -> options.name("audit")
                    .fromEarliest()
                    .policy(Policy.SKIP)
                    .types(TypeRanges.of(2, 3)))) {
                until(subscriber, () -> had.size() == 200);
                assertThat(had).allMatch(sequence -> type(sequence) == 2 || type(sequence) == 3);

                CompletableFuture<Long> changed = subscriber.types(TypeRanges.of(5, 5));
                until(subscriber, changed::isDone);
                assertThat(changed).isCompletedWithValue(601L);
                publish(publisher, 601, 1200);
                until(subscriber, () -> had.size() == 300);
                assertThat(had.subList(200, 300)).allMatch(sequence -> type(sequence) == 5 && sequence > 600);
                assertThat(gaps).isEmpty();
                assertThat(connected().welcome().policy()).isSameAs(Policy.SKIP);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"all", "1,3,5-6"})
    void cutAtRandomBytesItHasEveryMessageOnce(String types) throws Exception {
        int messages = 30_000;
        long seed = new Random().nextLong();
        System.out.println("cutAtRandomBytesItHasEveryMessageOnce " + types + ": seed " + seed);
        TypeRanges wanted = TypeRanges.parse(types);
        try (RelayServer relay = start(config -> config);
                LocalPublisher publisher = relay.newLocalPublisher();
                CuttingProxy proxy = new CuttingProxy(subscribePort(relay), new Random(seed), 60_000);
                RelaySubscriber subscriber = RelaySubscriber.open(common(SubscriberOptions.builder(proxy.endpoint()))
                        .fromSequence(0, 1)
                        .types(wanted)
                        .build())) {
            // Before HELLO arrives the stream comes as to a plain client: cut there three times, this is no relay to
            // the client.
            until(subscriber, () -> connected() != null);
            CompletableFuture<Void> publishing = CompletableFuture.runAsync(() -> publish(publisher, 1, messages));
            long expected = 0;
            for (long sequence = 1; sequence <= messages; sequence++) {
                expected += wanted.contains(type(sequence)) ? 1 : 0;
            }
            long count = expected;
            until(subscriber, () -> had.size() == count);
            publishing.get(120, TimeUnit.SECONDS);
            long next = 0;
            for (long sequence : had) {
                do {
                    next++;
                } while (!wanted.contains(type(next)));
                assertThat(sequence).as("seed %d", seed).isEqualTo(next);
            }
            assertThat(gaps).as("seed %d", seed).isEmpty();
            assertThat(proxy.connections()).as("seed %d: it was cut", seed).isGreaterThan(5);
        }
    }

    @Test
    void whatTheLogNoLongerHoldsIsToldAsAGap() throws Exception {
        int messages = 60_000;
        try (RelayServer relay = start(config ->
                        config.set(RING_SIZE, 1 << 20).set(LOG_SIZE, 3 << 20).set(MAX_BODY, 256 << 10));
                LocalPublisher publisher = relay.newLocalPublisher()) {
            publish(publisher, 1, messages);
            // The stream is asynchronous: the last message is in it when a live subscriber would start behind it.
            try (RelaySubscriber subscriber = open(relay, options -> options.fromSequence(0, 1))) {
                until(subscriber, () -> !had.isEmpty() && had.get(had.size() - 1) == messages);
                assertThat(gaps).isNotEmpty();
                assertThat(gaps.get(0).from()).isEqualTo(1);
                assertThat(gaps.get(0).reason()).isSameAs(GapReason.NOT_HELD);
                long missed = gaps.stream().mapToLong(Gap::count).sum();
                assertThat(had.size() + missed).isEqualTo(messages);
            }
        }
    }

    @Test
    void aRestartedRelayIsToldFromTheSameOne() throws Exception {
        int port = FreePort.next();
        RelayServer first = start(config -> config.set(SUBSCRIBE_PORT, port));
        RelaySubscriber subscriber = open(first, options -> options.fromEarliest());
        try (subscriber) {
            try (LocalPublisher publisher = first.newLocalPublisher()) {
                publish(publisher, 1, 10);
                until(subscriber, () -> had.size() == 10);
            } finally {
                first.close();
            }
            try (RelayServer second = start(config -> config.set(SUBSCRIBE_PORT, port));
                    LocalPublisher publisher = second.newLocalPublisher()) {
                publish(publisher, 1, 5);
                until(subscriber, () -> had.size() == 15);
                SessionEvent.StreamChanged changed = events.stream()
                        .filter(SessionEvent.StreamChanged.class::isInstance)
                        .map(SessionEvent.StreamChanged.class::cast)
                        .findFirst()
                        .orElseThrow();
                assertThat(changed.lostFrom()).isEqualTo(11);
                assertThat(changed.next()).isEqualTo(1);
                assertThat(changed.epoch()).isNotEqualTo(changed.oldEpoch());
                assertThat(had.subList(10, 15)).containsExactly(1L, 2L, 3L, 4L, 5L);
            }
        }
    }

    @Test
    void aRelayThatShutsDownSaysSoAndTheNextOneIsTried() throws Exception {
        try (RelayServer second = start(config -> config);
                RelayServer first = start(config -> config);
                RelaySubscriber subscriber = RelaySubscriber.open(
                        common(SubscriberOptions.builder(subscribePort(first), subscribePort(second)))
                                .build())) {
            until(subscriber, () -> connected() != null);
            CompletableFuture<Void> closing = CompletableFuture.runAsync(first::close);
            String other = subscribePort(second).toString();
            until(subscriber, () -> connected().endpoint().toString().equals(other));
            closing.get(120, TimeUnit.SECONDS);
            assertThat(events.stream().map(SessionEvent::text)).anyMatch(text -> text.contains("relay shutting down"));
        }
    }

    @Test
    void aQuietConnectionStaysByItsHeartbeat() throws Exception {
        Duration idle = Duration.ofMillis(500);
        try (RelayServer relay = start(
                        config -> config.set(HEARTBEAT, Duration.ofMillis(100)).set(IDLE_TIMEOUT, idle));
                LocalPublisher publisher = relay.newLocalPublisher();
                RelaySubscriber subscriber = open(relay, options -> options.types(TypeRanges.of(99, 99)))) {
            until(subscriber, () -> connected() != null);
            publish(publisher, 1, 10);
            // On a machine that is busy one may be lost, for it is not served in time: then the next one counts.
            Object[] stays = {connected(), System.nanoTime()};
            until(subscriber, () -> {
                if (connected() != stays[0]) {
                    stays[0] = connected();
                    stays[1] = System.nanoTime();
                }
                return System.nanoTime() - (long) stays[1] > 2 * idle.toNanos() && subscriber.head() == 10;
            });
            assertThat(subscriber.next()).isEqualTo(11);
        }
    }

    private static RelayServer start(UnaryOperator<RelayConfig.Builder> more) throws IOException {
        RelayConfig.Builder config =
                RelayConfig.builder(0, 0).set(LOG_SIZE, 8 << 20).set(DRAIN_TIMEOUT, Duration.ofSeconds(5));
        return RelayServer.start(more.apply(config).build());
    }

    private RelaySubscriber open(RelayServer relay, UnaryOperator<SubscriberOptions.Builder> more) throws IOException {
        return RelaySubscriber.open(more.apply(common(SubscriberOptions.builder(subscribePort(relay))))
                .build());
    }

    private SubscriberOptions.Builder common(SubscriberOptions.Builder options) {
        return options.reconnect(QUICK).onGap(gaps::add).onEvent(events::add);
    }

    private static Endpoint subscribePort(RelayServer relay) {
        return Endpoint.tcp("127.0.0.1", relay.subscribeAddress().getPort());
    }

    /** The last one; null: not yet. */
    private SessionEvent.Connected connected() {
        SessionEvent.Connected last = null;
        for (SessionEvent event : events) {
            last = event instanceof SessionEvent.Connected connected ? connected : last;
        }
        return last;
    }

    private void until(RelaySubscriber subscriber, BooleanSupplier done) throws IOException {
        long end = System.nanoTime() + BOUND_NANOS;
        while (!done.getAsBoolean()) {
            assertThat(System.nanoTime())
                    .as("in time; so far %d messages, %s %s", had.size(), gaps, events)
                    .isLessThan(end);
            subscriber.poll(this::onMessage);
        }
    }

    /** Each message holds its number, which is its sequence as well. */
    private void onMessage(long sequence, int type, ByteBuffer body) {
        assertThat(body.getLong(body.position())).isEqualTo(sequence);
        assertThat(type).isEqualTo(type(sequence));
        had.add(sequence);
    }

    private static int type(long sequence) {
        return (int) (1 + sequence % TYPES);
    }

    private static void publish(LocalPublisher publisher, long from, long to) {
        ByteBuffer body = ByteBuffer.allocateDirect(80);
        for (long number = from; number <= to; number++) {
            body.putLong(0, number);
            PublishOutcome outcome = publisher.publish(type(number), body, BOUND_NANOS);
            assertThat(outcome).isSameAs(PublishOutcome.ACCEPTED);
        }
    }
}
