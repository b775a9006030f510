package dev.msgrelay.client.system;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.client.RelayPublisher;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.testing.FreePort;
import dev.msgrelay.testing.scripted.CuttingProxy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The publisher with acknowledgements against the relay itself. */
@SuppressWarnings("try") // closing early is what is tested
class AckSystemTest {
    /** All of them are one publisher, connected again and again. */
    private static final ProducerId PRODUCER = new ProducerId(7, 11);

    private static final Duration LONG = Duration.ofSeconds(120);

    private final List<SessionEvent> events = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch gaveUp = new CountDownLatch(1);
    private final List<Long> acks = Collections.synchronizedList(new ArrayList<>());

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void cutAtRandomBytesEachMessageIsInTheStreamOnce(int producers) throws Exception {
        int each = 12_000 / producers;
        long seed = new Random().nextLong();
        System.out.println("cutAtRandomBytesEachMessageIsInTheStreamOnce " + producers + ": seed " + seed);
        int[] next = new int[producers];
        try (RelayServer relay = start(0);
                CuttingProxy proxy = new CuttingProxy(publishPort(relay), new Random(seed), 24_000);
                RelaySubscriber subscriber = subscribe(relay);
                RelayPublisher publisher = open("random", proxy.endpoint())) {
            List<CompletableFuture<Void>> threads = new ArrayList<>();
            for (int id = 0; id < producers; id++) {
                int producer = id;
                threads.add(CompletableFuture.runAsync(() -> publish(publisher, producer, 0, each)));
            }
            long end = System.nanoTime() + LONG.toNanos();
            while (subscriber.messages() < (long) each * producers) {
                assertThat(System.nanoTime())
                        .as("seed %d, in time: %s", seed, events)
                        .isLessThan(end);
                subscriber.poll((sequence, type, body) -> assertThat(body.getInt(body.position()))
                        .as("seed %d", seed)
                        .isEqualTo(next[type]++));
            }
            CompletableFuture.allOf(threads.toArray(CompletableFuture[]::new)).get(120, TimeUnit.SECONDS);
            publisher.flush(LONG);
            assertThat(next).as("seed %d", seed).containsOnly(each);
            assertThat(relay.stats().get(Counter.MESSAGES_IN))
                    .as("seed %d: none twice", seed)
                    .isEqualTo((long) each * producers);
            assertThat(proxy.connections()).as("seed %d: it was cut", seed).isGreaterThan(5);
            assertThat(publisher.firstNumber()).isEqualTo(1);
            assertThat(acks).as("seed %d", seed).isSorted();
        }
    }

    @Test
    void anotherPublisherOfTheNameGoesOnWithItsNumbers() throws Exception {
        try (RelayServer relay = start(0)) {
            for (int run = 0; run < 3; run++) {
                try (RelayPublisher publisher = open("orders", publishPort(relay))) {
                    publish(publisher, 1, 0, 100);
                    publisher.flush(LONG);
                    assertThat(publisher.firstNumber()).isEqualTo(1 + run * 100L);
                }
            }
            assertThat(acks).last().isEqualTo(300L);
        }
    }

    @Test
    void theOlderOfTwoConnectionsOfANameStops() throws Exception {
        try (RelayServer relay = start(0);
                RelayPublisher older = open("orders", publishPort(relay))) {
            publish(older, 1, 0, 1);
            older.flush(LONG);
            try (RelayPublisher newer = open("orders", publishPort(relay))) {
                publish(newer, 1, 0, 1);
                newer.flush(LONG);
                assertThat(newer.firstNumber()).isEqualTo(2);
            }
            // Nothing is left of its messages: if it were closed before it heard of the newer one, it would end in
            // order.
            assertThat(gaveUp.await(LONG.toSeconds(), TimeUnit.SECONDS))
                    .as("%s", events)
                    .isTrue();
            assertThatThrownBy(older::close).hasMessageContaining(CloseReason.NAME_TAKEN.text());
        }
    }

    @Test
    void aRestartedRelayIsToldAndGetsWhatIsNew() throws Exception {
        int port = FreePort.next();
        RelayServer first = start(port);
        try (RelayPublisher publisher = open("orders", publishPort(first))) {
            try (first) {
                publish(publisher, 1, 0, 10);
                publisher.flush(LONG);
            }
            try (RelayServer second = start(port)) {
                publish(publisher, 1, 10, 15);
                publisher.flush(LONG);
                assertThat(second.stats().get(Counter.MESSAGES_IN)).isEqualTo(5);
                assertThat(List.copyOf(events)).hasAtLeastOneElementOfType(SessionEvent.RelayRestarted.class);
                assertThat(List.copyOf(events)).hasAtLeastOneElementOfType(SessionEvent.GoingAway.class);
            }
        }
    }

    private static RelayServer start(int publishPort) throws IOException {
        return RelayServer.start(RelayConfig.builder(publishPort, 0)
                .set(LOG_SIZE, 8 << 20)
                .set(DRAIN_TIMEOUT, Duration.ofSeconds(5))
                .build());
    }

    private static Endpoint publishPort(RelayServer relay) {
        return Endpoint.tcp("127.0.0.1", relay.publishAddress().getPort());
    }

    private static RelaySubscriber subscribe(RelayServer relay) throws IOException {
        return RelaySubscriber.open(SubscriberOptions.builder(
                        Endpoint.tcp("127.0.0.1", relay.subscribeAddress().getPort()))
                .fromSequence(0, 1)
                .onGap(gap -> {
                    throw new AssertionError(gap);
                })
                .build());
    }

    private RelayPublisher open(String name, Endpoint endpoint) throws IOException {
        return RelayPublisher.open(PublisherOptions.builder(endpoint)
                .acks(name)
                .producer(PRODUCER)
                .bufferSize(64 << 10)
                .maxBody(1024)
                .connectTimeout(Duration.ofSeconds(5))
                .closeTimeout(LONG)
                .reconnect(SubscriberSystemTest.QUICK)
                .onAck((number, sequence) -> acks.add(number))
                .onEvent(this::note)
                .build());
    }

    private void note(SessionEvent event) {
        events.add(event);
        if (event instanceof SessionEvent.GaveUp) {
            gaveUp.countDown();
        }
    }

    private static void publish(RelayPublisher publisher, int type, int from, int to) {
        ByteBuffer body = ByteBuffer.allocate(80);
        for (int number = from; number < to; number++) {
            try {
                assertThat(publisher.publish(type, body.putInt(0, number), LONG))
                        .isSameAs(PublishOutcome.ACCEPTED);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
