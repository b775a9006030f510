package dev.msgrelay.client;

import static dev.msgrelay.client.Frames.ack;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.testing.SystemWords;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** The ways to publish for programs that look at no outcome: nothing is lost without an exception. */
@SuppressWarnings("try") // closing early is what is tested
class LoudPublisherTest extends ScriptedPublishing {
    private static Endpoint nobody() throws IOException {
        try (ScriptedRelay server = ScriptedRelay.tcp()) {
            return server.endpoint();
        }
    }

    private RelayPublisher toNobody() throws IOException {
        return open(PublisherOptions.builder(nobody())
                .acks("orders")
                .closeTimeout(SHORT)
                .onEvent(event -> {
                    note(event);
                    if (event instanceof SessionEvent.Lost) {
                        lost.countDown();
                    }
                }));
    }

    private final CountDownLatch lost = new CountDownLatch(1);

    @Test
    void aRelayThatIsDownIsToldByFlushAndClose() throws Exception {
        RelayPublisher publisher = toNobody();
        publisher.publish(7, "one");
        publisher.publish(7, "two".getBytes(StandardCharsets.UTF_8));
        lost.await();
        assertThatThrownBy(() -> publisher.flush(SHORT))
                .isInstanceOfSatisfying(
                        PublishException.class, e -> assertThat(e.unsettled()).isEqualTo(2))
                .hasMessageStartingWith("2 messages not acknowledged in time: ")
                .hasMessageEndingWith(SystemWords.refused());
        assertThat(badEnd(publisher))
                .returns(2L, PublishException::unsettled)
                .hasMessageStartingWith("closed with 2 messages not acknowledged: 100 ms were over: ")
                .hasMessageEndingWith(SystemWords.refused());
        publisher.close();
        assertThatThrownBy(() -> publisher.publish(7, "three"))
                .isInstanceOf(PublishException.class)
                .hasMessageStartingWith("closed with 2 messages");
    }

    /** As try-with-resources does it: an exception cannot suppress itself. */
    @Test
    void closeThrowsWithinTheExceptionOfFlush() throws Exception {
        assertThatThrownBy(() -> {
                    try (RelayPublisher publisher = toNobody()) {
                        publisher.publish(7, "one");
                        publisher.flush(SHORT);
                    }
                })
                .hasMessageStartingWith("1 message not acknowledged in time")
                .satisfies(e -> assertThat(e.getSuppressed())
                        .singleElement()
                        .isInstanceOf(PublishException.class)
                        .extracting(Throwable::getMessage)
                        .asString()
                        .startsWith("closed with 1 message"));
    }

    @Test
    void whatIsTakenAfterAnOrderlyCloseIsRefused() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(this::serveOne)) {
            RelayPublisher publisher = open(acked(relay));
            publisher.publish(1, "a");
            publisher.close();
            assertThatThrownBy(() -> publisher.publish(1, "b")).hasMessage("the publisher is closed");
            assertThat(publisher.publishAsync(1, new byte[1]))
                    .failsWithin(LONG)
                    .withThrowableOfType(ExecutionException.class)
                    .withMessageContaining("the publisher is closed");
            assertThat(got).containsExactly("1:a");
        }
    }

    @Test
    void aFutureCompletesWithTheAcknowledgementOfItsMessage() throws Exception {
        CountDownLatch second = new CountDownLatch(1);
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    takeAll(client, 0, 3);
                    client.send(ack(2, 2));
                    second.await();
                    client.send(ack(3, 3));
                    client.drain();
                });
                RelayPublisher publisher = open(acked(relay))) {
            CompletableFuture<Void> a = publisher.publishAsync(1, new byte[] {'a'});
            publisher.publish(1, "b");
            CompletableFuture<Void> c = publisher.publishAsync(1, new byte[] {'c'});
            a.get(120, TimeUnit.SECONDS);
            assertThat(acks).contains("2@2");
            assertThatThrownBy(() -> c.get(SHORT.toMillis(), TimeUnit.MILLISECONDS))
                    .isInstanceOf(TimeoutException.class);
            second.countDown();
            c.get(120, TimeUnit.SECONDS);
            assertThat(publisher.settled()).isEqualTo(3);
        }
    }

    @Test
    void aFutureFailsWithItsPublisher() throws Exception {
        RelayPublisher publisher = toNobody();
        CompletableFuture<Void> lost = publisher.publishAsync(1, new byte[1]);
        badEnd(publisher);
        assertThat(lost)
                .failsWithin(LONG)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(PublishException.class)
                .withMessageContaining("closed with 1 message not acknowledged");
    }

    @Test
    void metricsAreTheCounters() throws Exception {
        Map<String, LongSupplier> metrics = new TreeMap<>();
        try (ScriptedRelay relay = ScriptedRelay.of(this::serveOne);
                RelayPublisher publisher = open(acked(relay))) {
            publisher.metrics(new ClientMetrics() {
                @Override
                public void counter(String name, LongSupplier value) {
                    metrics.put(name, value);
                }

                @Override
                public void gauge(String name, LongSupplier value) {
                    metrics.put("gauge " + name, value);
                }
            });
            settle(publisher, "abc");
            assertThat(metrics.keySet())
                    .containsExactly(
                            "bytes",
                            "confirmed",
                            "gauge buffered_bytes",
                            "messages",
                            "settled",
                            "settled_bytes",
                            "writes");
            assertThat(metrics.get("messages").getAsLong()).isEqualTo(1);
            assertThat(metrics.get("bytes").getAsLong()).isEqualTo(11);
            assertThat(metrics.get("settled_bytes").getAsLong()).isEqualTo(11);
            assertThat(metrics.get("gauge buffered_bytes").getAsLong()).isZero();
        }
    }

    @Test
    void aTokenMayBeGivenAsText() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(this::serveOne);
                RelayPublisher publisher = open(acked(relay).token("secret"))) {
            settle(publisher, "a");
            assertThat(relay.hellos()).singleElement().satisfies(hello -> assertThat(hello.token())
                    .isEqualTo(Token.of("secret")));
        }
        assertThatThrownBy(() -> PublisherOptions.builder("127.0.0.1:1").token(""))
                .hasMessageContaining("token");
        assertThatThrownBy(() -> PublisherOptions.builder("nowhere")).hasMessageContaining("nowhere");
    }
}
