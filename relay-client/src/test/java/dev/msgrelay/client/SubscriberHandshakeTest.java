package dev.msgrelay.client;

import static dev.msgrelay.client.Frames.EPOCH;
import static dev.msgrelay.client.Frames.message;
import static dev.msgrelay.client.Frames.welcome;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.testing.SystemWords;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import dev.msgrelay.testing.scripted.ScriptedRelay.Script;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** From connecting to WELCOME, with a relay that fails at each point of it. */
class SubscriberHandshakeTest {
    private static final Duration SHORT = Duration.ofMillis(50);

    private static final Script GOOD = client -> {
        client.hello();
        client.send(welcome(1), message(7, "good"));
        client.drain();
    };

    @Test
    void saysWhatItWasToldToSay() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(GOOD);
                SubscriberRun run = SubscriberRun.of(relay.endpoint(), options -> options.name("audit")
                        .types(TypeRanges.parse("1-9"))
                        .fromEarliest()
                        .policy(Policy.SKIP)
                        .heartbeat(Duration.ofMillis(1500)))) {
            run.untilMessages(1);
            HelloFrame hello = relay.hellos().get(0);
            assertThat(hello)
                    .isEqualTo(HelloFrame.subscriber()
                            .name("audit")
                            .types(TypeRanges.of(1, 9))
                            .fromEarliest()
                            .policy(Policy.SKIP)
                            .heartbeatMillis(1500)
                            .features(Features.SEQUENCES | Features.NARROWED | Features.EPOCHS | Features.PEER)
                            .build());
            assertThat(run.messages).containsExactly("1:7:good");
            assertThat(run.events).hasSize(2);
            assertThat(run.events.get(0)).isInstanceOf(SessionEvent.Connecting.class);
            assertThat(run.events(SessionEvent.Connected.class).get(0).welcome().epoch())
                    .isEqualTo(EPOCH);
        }
    }

    @Test
    void aRefusedConnectionIsTriedAgainAtTheNextAddress() throws Exception {
        Endpoint gone;
        try (ScriptedRelay server = ScriptedRelay.tcp()) {
            gone = server.endpoint();
        }
        try (ScriptedRelay relay = ScriptedRelay.of(GOOD);
                SubscriberRun run = SubscriberRun.of(List.of(gone, relay.endpoint()), options -> options)) {
            run.untilMessages(1);
            String words = SystemWords.refused();
            assertThat(run.events(SessionEvent.Lost.class)).singleElement().satisfies(lost -> assertThat(lost.text())
                    .isEqualTo("cannot connect to " + gone + ": " + words + "; next try at once"));
        }
    }

    @Test
    void withoutReconnectingEachAddressIsTriedOnce() throws Exception {
        Endpoint gone;
        try (ScriptedRelay server = ScriptedRelay.tcp()) {
            gone = server.endpoint();
        }
        try (SubscriberRun run =
                SubscriberRun.of(List.of(gone, gone), options -> options.reconnect(ReconnectPolicy.none()))) {
            assertThat(run.untilItGivesUp()).hasMessageContaining(SystemWords.refused());
            assertThat(run.events(SessionEvent.Connecting.class)).hasSize(2);
        }
    }

    /** A relay that starts and is killed again and again does the same: the tries go on. */
    @Test
    void aRelayThatMayKnowNoHelloIsNamedAfterAFewTries() throws Exception {
        int tries = Reconnector.UNANSWERED + 2;
        try (ScriptedRelay relay = ScriptedRelay.repeating(client -> {
                    client.send(message(1, "plain stream"));
                    client.hello();
                });
                SubscriberRun run = SubscriberRun.of(
                        List.of(relay.endpoint()),
                        options -> options.reconnect(
                                ReconnectPolicy.rounds(tries - 1).withDelays(SHORT, SHORT)))) {
            assertThat(run.untilItGivesUp()).hasMessageContaining("may know no HELLO");
            assertThat(run.messages).isEmpty();
            assertThat(run.events(SessionEvent.Connecting.class)).hasSize(tries);
            assertThat(run.events(SessionEvent.Lost.class)).hasSize(tries - 1);
            assertThat(run.events(SessionEvent.Lost.class).get(1).text()).doesNotContain("HELLO");
            assertThat(run.events(SessionEvent.Lost.class).get(2).text())
                    .contains("3 connections in a row", "may know no HELLO", "--plain");
            assertThat(run.subscriber.types(TypeRanges.ALL)).isCompletedExceptionally();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"UNEXPECTED_INPUT", "RESERVED_TYPE"})
    void aRelayThatRefusesHelloWithAWordIsNamedAtOnce(CloseReason reason) throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(ErrorFrame.encode(reason, "what is that"));
                });
                SubscriberRun run = SubscriberRun.of(relay.endpoint())) {
            assertThat(run.untilItGivesUp())
                    .isInstanceOf(RelayUnsuitableException.class)
                    .hasMessageContaining("knows no HELLO")
                    .hasMessageContaining("what is that");
        }
    }

    /** A stream of messages does not put off the end of the handshake. */
    @Test
    void aRelayThatStreamsWithoutAnAnswerIsGivenUpInTime() throws Exception {
        Script streams = client -> {
            client.hello();
            ByteBuffer message = message(1, "old");
            while (client.channel().isOpen()) {
                client.send(message.rewind());
            }
        };
        try (ScriptedRelay relay = ScriptedRelay.repeating(client -> {
                    try {
                        streams.serve(client);
                    } catch (IOException e) {
                        // The client has gone, as it should.
                    }
                });
                SubscriberRun run = SubscriberRun.of(relay.endpoint(), options -> options.handshakeTimeout(SHORT)
                        .reconnect(ReconnectPolicy.none()))) {
            assertThat(run.untilItGivesUp()).hasMessageContaining("no WELCOME from");
            assertThat(run.messages).isEmpty();
        }
    }
}
