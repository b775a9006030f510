package dev.msgrelay.client;

import static dev.msgrelay.client.Frames.EPOCH;
import static dev.msgrelay.client.Frames.gap;
import static dev.msgrelay.client.Frames.joined;
import static dev.msgrelay.client.Frames.message;
import static dev.msgrelay.client.Frames.ping;
import static dev.msgrelay.client.Frames.sequence;
import static dev.msgrelay.client.Frames.subscribed;
import static dev.msgrelay.client.Frames.welcome;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.StartFrom;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.testing.scripted.Peer;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import dev.msgrelay.testing.scripted.ScriptedRelay.Script;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** From connecting to WELCOME, with a relay that fails at each point of it. */
class SubscriberHandshakeTest {
    private static final Duration SHORT = Duration.ofMillis(50);

    private static final Script GOOD = client -> {
        client.hello();
        client.send(welcome(1), message(7, "good"));
        client.drain();
    };

    static IntStream bytesOfWelcome() {
        return IntStream.range(0, welcome(1).remaining());
    }

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
                            .features(Features.SEQUENCES | Features.NARROWED)
                            .build());
            assertThat(run.messages).containsExactly("1:7:good");
            assertThat(run.events).hasSize(2);
            assertThat(run.events.get(0)).isInstanceOf(SessionEvent.Connecting.class);
            assertThat(run.events(SessionEvent.Connected.class).get(0).welcome().epoch())
                    .isEqualTo(EPOCH);
        }
    }

    @Test
    void asksForASequenceOfAnEpoch() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(welcome(40), message(7, "forty"));
                    client.drain();
                });
                SubscriberRun run = SubscriberRun.of(relay.endpoint(), options -> options.fromSequence(EPOCH, 40))) {
            run.untilMessages(1);
            HelloFrame hello = relay.hellos().get(0);
            assertThat(hello.start()).isSameAs(StartFrom.SEQUENCE);
            assertThat(hello.epoch()).isEqualTo(EPOCH);
            assertThat(hello.number()).isEqualTo(40);
            assertThat(run.messages).containsExactly("40:7:forty");
        }
    }

    @Test
    void throwsAwayWhatComesBeforeWelcome() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(message(1, "old"), message(2, "older"), welcome(5), message(3, "new"));
                    client.drain();
                });
                SubscriberRun run = SubscriberRun.of(relay.endpoint())) {
            run.untilMessages(1);
            assertThat(run.messages).containsExactly("5:3:new");
            assertThat(run.subscriber.messages()).isEqualTo(1);
            assertThat(run.subscriber.next()).isEqualTo(6);
            assertThat(run.subscriber.epoch()).isEqualTo(EPOCH);
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
            assertThat(run.events(SessionEvent.Lost.class)).singleElement().satisfies(lost -> assertThat(lost.text())
                    .isEqualTo("cannot connect to " + gone + ": Connection refused; next try at once"));
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
            assertThat(run.untilItGivesUp()).hasMessageContaining("Connection refused");
            assertThat(run.events(SessionEvent.Connecting.class)).hasSize(2);
        }
    }

    @ParameterizedTest
    @MethodSource("bytesOfWelcome")
    void aWelcomeCutShortIsTriedAgain(int bytes) throws Exception {
        Script cut = client -> {
            client.hello();
            client.send(welcome(1).limit(bytes));
        };
        try (ScriptedRelay relay = ScriptedRelay.of(cut, GOOD);
                SubscriberRun run = SubscriberRun.of(relay.endpoint())) {
            run.untilMessages(1);
            assertThat(run.messages).containsExactly("1:7:good");
            assertThat(run.events(SessionEvent.Lost.class)).singleElement().satisfies(lost -> assertThat(lost.text())
                    .contains("ended the connection before its WELCOME"));
            assertThat(relay.hellos()).hasSize(2);
        }
    }

    @Test
    void aRelayThatKnowsNoHelloIsNamedAfterAFewTries() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.repeating(client -> {
                    client.send(message(1, "plain stream"));
                    client.hello();
                });
                SubscriberRun run = SubscriberRun.of(relay.endpoint())) {
            IOException why = run.untilItGivesUp();
            assertThat(why)
                    .isInstanceOf(RelayUnsuitableException.class)
                    .hasMessageContaining("knows no HELLO")
                    .hasMessageContaining("plain mode");
            assertThat(run.messages).isEmpty();
            assertThat(run.events(SessionEvent.Connecting.class)).hasSize(Reconnector.UNANSWERED);
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

    /** Whoever was welcomed once does not take a relay that is starting for one that knows no HELLO. */
    @Test
    void onceWelcomedItDoesNotGiveUpOnARelayThatClosesAtOnce() throws Exception {
        Script closes = client -> {};
        Script welcomes = client -> {
            client.hello();
            client.send(welcome(1), message(1, "first"));
        };
        Script resumes = client -> {
            assertThat(client.hello().number()).isEqualTo(2);
            client.send(welcome(2), message(2, "second"));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(welcomes, closes, closes, closes, closes, closes, resumes);
                SubscriberRun run = SubscriberRun.of(relay.endpoint())) {
            run.untilMessages(2);
            assertThat(run.messages).containsExactly("1:1:first", "2:2:second");
            assertThat(run.gaps).isEmpty();
        }
    }

    @Test
    void aRelayThatNeverAnswersIsGivenUpInTime() throws Exception {
        Script silent = Peer::drain;
        // Messages alone are no answer either.
        Script babbles = client -> {
            client.hello();
            client.send(message(1, "old"));
            client.drain();
        };
        // A good answer may come too late as well, where the machine is busy.
        try (ScriptedRelay relay = ScriptedRelay.repeating(silent, babbles, GOOD);
                SubscriberRun run = SubscriberRun.of(relay.endpoint(), options -> options.handshakeTimeout(SHORT))) {
            run.untilMessages(1);
            assertThat(run.messages).containsExactly("1:7:good");
            assertThat(run.events(SessionEvent.Lost.class))
                    .hasSizeGreaterThanOrEqualTo(2)
                    .allSatisfy(lost -> assertThat(lost.text())
                            .startsWith("no WELCOME from " + relay.endpoint() + " within 50 ms"));
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

    static List<ByteBuffer> garbage() {
        return List.of(
                ByteBuffer.allocate(8).putInt(0, 1).putInt(4, -1),
                Frames.frame(ControlFrames.WELCOME, new byte[3]),
                welcome(1).putShort(8, (short) 0),
                welcome(1).putLong(16, 0),
                welcome(1).putLong(24, 0),
                sequence(1),
                gap(1, 2, GapReason.SLOW),
                ping(1, 1, 1),
                subscribed(1, 1),
                Frames.goAway(),
                Frames.frame(ControlFrames.PONG, new byte[8]),
                Frames.frame(ControlFrames.HELLO, new byte[8]),
                joined(welcome(1), welcome(1)),
                Frames.frame(ControlFrames.ERROR));
    }

    /** It is tried a few times more, then it is over, also with endless reconnecting. */
    @ParameterizedTest
    @MethodSource("garbage")
    void whatIsNoAnswerIsGivenUpAfterAFewTries(ByteBuffer answer) throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.repeating(client -> {
                    client.hello();
                    client.send(answer.duplicate());
                });
                SubscriberRun run = SubscriberRun.of(relay.endpoint())) {
            run.untilItGivesUp();
            assertThat(run.events(SessionEvent.Connecting.class)).hasSize(Backoff.FEW + 1);
            assertThat(run.messages).isEmpty();
        }
    }

    @Test
    void anAddressWhereNoRelayIsEndsIt() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(ByteBuffer.wrap("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(US_ASCII)));
                });
                SubscriberRun run = SubscriberRun.of(relay.endpoint())) {
            assertThat(run.untilItGivesUp()).hasMessageContaining("is over the limit of 1048576 bytes");
            assertThat(relay.hellos()).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aFrameThatMustBeUnderstoodEndsItAndTheRelayIsTold(int welcomed) throws Exception {
        ScriptedRelay.Script asks = client -> {
            client.hello();
            client.send(welcomed == 1 ? welcome(1) : ByteBuffer.allocate(0), Frames.frame(0x80000080));
            ByteBuffer error = client.expect(ControlFrames.ERROR);
            assertThat(ErrorFrame.code(error)).isEqualTo(CloseReason.UNSUPPORTED.code());
        };
        try (ScriptedRelay relay = ScriptedRelay.of(asks);
                SubscriberRun run = SubscriberRun.of(relay.endpoint())) {
            assertThat(run.untilItGivesUp()).isInstanceOfSatisfying(FrameException.class, e -> assertThat(e.reason())
                    .isSameAs(CloseReason.UNSUPPORTED));
            relay.await();
        }
    }

    @Test
    void passesOverControlFramesOfLaterVersions() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    ByteBuffer unknown = Frames.frame(0x8000007F, (byte) 1);
                    client.send(unknown, welcome(1), unknown.rewind(), message(7, "good"));
                    client.drain();
                });
                SubscriberRun run = SubscriberRun.of(relay.endpoint())) {
            run.untilMessages(1);
            assertThat(run.messages).containsExactly("1:7:good");
        }
    }

    /** The table of docs/protocol.md, over a connection. */
    @ParameterizedTest
    @EnumSource(CloseReason.class)
    void eachErrorIsTakenAsTheProtocolSays(CloseReason reason) throws Exception {
        Script error = client -> {
            client.hello();
            client.send(welcome(1), ErrorFrame.encode(reason, "so it is"));
        };
        boolean stop = RetryAdviceTest.STOP.contains(reason);
        try (ScriptedRelay relay = ScriptedRelay.of(error, GOOD);
                SubscriberRun run = SubscriberRun.of(relay.endpoint())) {
            if (stop) {
                assertThat(run.untilItGivesUp()).isInstanceOfSatisfying(RelayErrorException.class, e -> {
                    assertThat(e.reason()).isSameAs(reason);
                    assertThat(e.text()).isEqualTo("so it is");
                });
                assertThat(relay.hellos()).hasSize(1);
            } else {
                run.untilMessages(1);
                assertThat(run.events(SessionEvent.Lost.class)).hasSize(1);
                assertThat(run.events(SessionEvent.Lost.class).get(0).text()).contains("so it is");
            }
        }
    }

    @Test
    void anErrorThatIsNotKnownIsTriedAFewTimes() throws Exception {
        ByteBuffer unknown = Frames.frame(ControlFrames.ERROR, (byte) 9, (byte) 9);
        try (ScriptedRelay relay = ScriptedRelay.repeating(client -> {
                    client.hello();
                    client.send(welcome(1), unknown.duplicate());
                });
                SubscriberRun run = SubscriberRun.of(relay.endpoint())) {
            assertThat(run.untilItGivesUp()).hasMessageContaining("reason 2313");
            assertThat(relay.hellos()).hasSize(Backoff.FEW + 1);
        }
    }
}
