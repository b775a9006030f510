package dev.msgrelay.client;

import static dev.msgrelay.client.Frames.message;
import static dev.msgrelay.client.Frames.welcome;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Calls of a client from its own listeners and handlers: none waits for its own thread. */
@SuppressWarnings("try") // closing early is what is tested
class CallbacksTest extends ScriptedPublishing {
    @Test
    void ofAPublisher() throws Exception {
        CompletableFuture<RelayPublisher> made = new CompletableFuture<>();
        CompletableFuture<List<Object>> called = new CompletableFuture<>();
        try (ScriptedRelay relay = ScriptedRelay.of(this::serveOne);
                RelayPublisher publisher = open(acked(relay).onEvent(event -> {
                    if (event instanceof SessionEvent.Connected) {
                        RelayPublisher own = made.join();
                        List<Object> results = new ArrayList<>();
                        results.add(own.publish(1, bytes("a")));
                        results.add(own.messages());
                        results.add(catchThrowable(() -> own.flush(LONG)).getMessage());
                        results.add(catchThrowable(own::close) == null);
                        results.add(own.publish(1, bytes("late")));
                        called.complete(results);
                    }
                }))) {
            made.complete(publisher);
            assertThat(called.get(120, TimeUnit.SECONDS))
                    .containsExactly(
                            PublishOutcome.ACCEPTED,
                            1L,
                            "1 message not acknowledged in time",
                            true,
                            PublishOutcome.CLOSED);
            relay.await();
            assertThat(got).containsExactly("1:a");
        }
    }

    @Test
    void ofASubscriber() throws Exception {
        List<String> refused = new ArrayList<>();
        List<RelaySubscriber> made = new ArrayList<>();
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(welcome(1), message(1, "a"), message(1, "b"));
                    client.drain();
                });
                RelaySubscriber subscriber = RelaySubscriber.open(SubscriberOptions.builder(relay.endpoint())
                        .onEvent(event ->
                                refused.add(catchThrowable(() -> made.get(0).poll((sequence, type, body) -> {}))
                                        .getMessage()))
                        .build())) {
            made.add(subscriber);
            List<Long> sequences = new ArrayList<>();
            subscriber.run((sequence, type, body) -> {
                sequences.add(sequence);
                assertThat(subscriber.types(TypeRanges.ALL)).isNotDone();
                subscriber.close();
            });
            assertThat(sequences).as("none behind close").containsExactly(1L);
            assertThat(refused).isNotEmpty().containsOnly("a handler cannot poll");
        }
    }
}
