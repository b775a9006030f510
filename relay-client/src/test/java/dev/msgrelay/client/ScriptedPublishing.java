package dev.msgrelay.client;

import static dev.msgrelay.client.Frames.ack;
import static dev.msgrelay.client.Frames.welcomePublisher;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.testing.scripted.Peer;
import dev.msgrelay.testing.scripted.Peer.Frame;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** What tests of a publisher share: the publisher, what it says, and what the scripted relay got of it. */
abstract class ScriptedPublishing {
    static final Duration LONG = Duration.ofSeconds(120);
    static final Duration SHORT = Duration.ofMillis(100);

    final List<SessionEvent> events = Collections.synchronizedList(new ArrayList<>());
    final CountDownLatch gaveUp = new CountDownLatch(1);
    final List<String> acks = Collections.synchronizedList(new ArrayList<>());
    final List<String> got = Collections.synchronizedList(new ArrayList<>());

    /** Takes one message and acknowledges it. */
    void serveOne(Peer client) throws IOException {
        takeAll(client, 0, 1);
        client.send(ack(1, 1));
        client.drain();
    }

    /** Hears HELLO, has accepted so many messages already, and takes some. */
    void takeAll(Peer client, long accepted, int messages) throws IOException {
        client.hello();
        client.send(welcomePublisher(accepted));
        take(client, messages);
    }

    void take(Peer client, int messages) throws IOException {
        for (int i = 0; i < messages; i++) {
            Frame frame = client.next();
            got.add(frame.type() + ":" + new String(Frames.copy(frame.body()), UTF_8));
        }
    }

    /** A relay that stands still for a while on a busy machine is waited for. */
    static PublisherOptions.Builder patient(ScriptedRelay relay) {
        return PublisherOptions.builder(relay.endpoint()).connectTimeout(LONG).handshakeTimeout(LONG);
    }

    PublisherOptions.Builder acked(ScriptedRelay relay) {
        return patient(relay)
                .acks("orders")
                .onAck((number, sequence) -> acks.add(number + "@" + sequence))
                .onEvent(this::note);
    }

    static RelayPublisher open(PublisherOptions.Builder options) throws IOException {
        return RelayPublisher.open(options.reconnect(SubscriberRun.QUICK).build());
    }

    static void publish(RelayPublisher publisher, String... bodies) throws InterruptedException {
        for (String body : bodies) {
            assertThat(publisher.publish(1, bytes(body), LONG)).isSameAs(PublishOutcome.ACCEPTED);
        }
    }

    /** Publishes these and waits until all is acknowledged. */
    static void settle(RelayPublisher publisher, String... bodies) throws PublishException, InterruptedException {
        publish(publisher, bodies);
        publisher.flush(LONG);
    }

    /** Says how many messages are left, and why. */
    static PublishException unflushed(RelayPublisher publisher, Duration atMost) {
        return catchThrowableOfType(PublishException.class, () -> publisher.flush(atMost));
    }

    /** Of the first close; further ones throw nothing. */
    static PublishException badEnd(RelayPublisher publisher) {
        PublishException end = catchThrowableOfType(PublishException.class, publisher::close);
        assertThat(end).as("close throws").isNotNull();
        return end;
    }

    /** And ends, and so does the relay. */
    static void settleAndEnd(RelayPublisher publisher, ScriptedRelay relay, String... bodies) throws Exception {
        settle(publisher, bodies);
        publisher.close();
        relay.await();
    }

    static void closeQuietly(RelayPublisher publisher) {
        try {
            publisher.close();
        } catch (PublishException e) {
            assertThat(publisher.failure()).isPresent();
        }
    }

    static void publishMany(RelayPublisher publisher, ByteBuffer body, int messages) {
        for (int i = 0; i < messages; i++) {
            while (publisher.publish(1, body) == PublishOutcome.FULL) {
                Thread.onSpinWait();
            }
        }
    }

    /**
     * Waits until the publisher has given up. It publishes nothing meanwhile: a reset would overtake what it is told.
     */
    IOException failure(RelayPublisher publisher) throws InterruptedException {
        assertThat(gaveUp.await(LONG.toSeconds(), TimeUnit.SECONDS))
                .as("gave up in time: %s", events)
                .isTrue();
        assertThat(publisher.publish(1, bytes("refused"))).isSameAs(PublishOutcome.CLOSED);
        IOException failure = publisher.failure().orElseThrow();
        assertThat(unflushed(publisher, LONG)).hasMessageEndingWith(failure.getMessage());
        assertThatCode(publisher::close)
                .as("what flush has told is not told again")
                .doesNotThrowAnyException();
        return failure;
    }

    void note(SessionEvent event) {
        events.add(event);
        if (event instanceof SessionEvent.GaveUp) {
            gaveUp.countDown();
        }
    }

    <T extends SessionEvent> List<T> events(Class<T> type) {
        return List.copyOf(events).stream()
                .filter(type::isInstance)
                .map(type::cast)
                .toList();
    }

    static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(UTF_8));
    }

    static void sendQuietly(Peer client, ByteBuffer frame) {
        try {
            client.send(frame);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
