package dev.msgrelay.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/** A subscriber under test, with all that it told. Polled by the test's own thread. */
final class SubscriberRun implements AutoCloseable {
    /** Soon, and without chance. */
    static final ReconnectPolicy QUICK = ReconnectPolicy.endless()
            .withDelays(Duration.ofMillis(1), Duration.ofMillis(4))
            .withJitter(0);

    private static final long BOUND_NANOS = Duration.ofSeconds(120).toNanos();

    final List<String> messages = new ArrayList<>();
    final List<Gap> gaps = new ArrayList<>();
    final List<SessionEvent> events = new ArrayList<>();
    final RelaySubscriber subscriber;

    private SubscriberRun(SubscriberOptions.Builder options) throws IOException {
        subscriber = RelaySubscriber.open(
                options.onGap(gaps::add).onEvent(events::add).build());
    }

    /** With quick, endless reconnecting, unless the options say otherwise. */
    static SubscriberRun of(Endpoint endpoint, UnaryOperator<SubscriberOptions.Builder> more) throws IOException {
        return of(List.of(endpoint), more);
    }

    static SubscriberRun of(List<Endpoint> endpoints, UnaryOperator<SubscriberOptions.Builder> more)
            throws IOException {
        return new SubscriberRun(more.apply(
                SubscriberOptions.builder(endpoints).reconnect(QUICK).handshakeTimeout(Duration.ofSeconds(120))));
    }

    static SubscriberRun of(Endpoint endpoint) throws IOException {
        return of(endpoint, options -> options);
    }

    /** Polls until so many messages have come. */
    SubscriberRun untilMessages(int count) throws IOException {
        return until(() -> messages.size() >= count);
    }

    /** Polls until such an event has come. */
    SubscriberRun untilEvent(Class<? extends SessionEvent> type) throws IOException {
        return until(() -> events.stream().anyMatch(type::isInstance));
    }

    SubscriberRun until(BooleanSupplier done) throws IOException {
        long end = System.nanoTime() + BOUND_NANOS;
        while (!done.getAsBoolean()) {
            assertThat(System.nanoTime())
                    .as("in time; so far %s %s %s", messages, gaps, events)
                    .isLessThan(end);
            assertThat(subscriber.poll(this::onMessage)).isNotNegative();
        }
        return this;
    }

    /** Polls until it gives up, and returns why. */
    IOException untilItGivesUp() {
        try {
            untilEvent(SessionEvent.GaveUp.class);
        } catch (IOException e) {
            assertThat(events.get(events.size() - 1))
                    .isInstanceOfSatisfying(SessionEvent.GaveUp.class, last -> assertThat(last.cause())
                            .isSameAs(e));
            return e;
        }
        throw new AssertionError("gave up without an exception");
    }

    <T extends SessionEvent> List<T> events(Class<T> type) {
        return events.stream().filter(type::isInstance).map(type::cast).toList();
    }

    /** Sequence, type and body. */
    private void onMessage(long sequence, int type, ByteBuffer body) {
        messages.add(sequence + ":" + type + ":" + new String(Frames.copy(body), UTF_8));
    }

    @Override
    public void close() {
        subscriber.close();
    }
}
