package dev.msgrelay.client;

import static dev.msgrelay.client.Frames.EPOCH;
import static dev.msgrelay.client.Frames.bareWelcome;
import static dev.msgrelay.client.Frames.gap;
import static dev.msgrelay.client.Frames.message;
import static dev.msgrelay.client.Frames.ping;
import static dev.msgrelay.client.Frames.sequence;
import static dev.msgrelay.client.Frames.welcome;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.PongFrame;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import dev.msgrelay.testing.scripted.ScriptedRelay.Script;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Behind WELCOME: numbers, gaps and heartbeats. */
@SuppressWarnings("try") // closing early is what is tested
class SubscriberSessionTest {
    private static final long OTHER_EPOCH = EPOCH + 1;

    @Test
    void countsAndTellsGapsWithTheRelaysReason() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(welcome(10), gap(10, 14, GapReason.NOT_HELD), message(1, "a"), message(1, "b"));
                    client.send(gap(17, 20, GapReason.SLOW), message(1, "c"));
                    client.drain();
                });
                SubscriberRun run = SubscriberRun.of(relay.endpoint())) {
            run.untilMessages(3);
            assertThat(run.messages).containsExactly("15:1:a", "16:1:b", "21:1:c");
            assertThat(run.gaps)
                    .containsExactly(
                            new Gap(10, 14, GapReason.NOT_HELD.code()), new Gap(17, 20, GapReason.SLOW.code()));
            assertThat(run.gaps.get(0).text()).isEqualTo("missed 5 messages, 10 to 14: no longer held");
        }
    }

    @Test
    void worksOverAUnixSocketToo(@TempDir Path directory) throws Exception {
        Script first = client -> {
            client.hello();
            client.send(welcome(1), message(1, "a"), ping(9, 2, 1));
            assertThat(PongFrame.id(client.expect(ControlFrames.PONG))).isEqualTo(9);
        };
        Script second = client -> {
            client.hello();
            client.send(welcome(2), message(1, "b"));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.unix(directory, first, second);
                SubscriberRun run = SubscriberRun.of(relay.endpoint())) {
            run.untilMessages(2);
            assertThat(run.messages).containsExactly("1:1:a", "2:1:b");
        }
    }

    @Test
    void withTypesTheSequenceFramesTellTheNumbers() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(
                            welcome(1), sequence(4), message(7, "a"), message(7, "b"), sequence(9), message(7, "c"));
                    client.send(ping(5, 20, 30), gap(22, 23, GapReason.SLOW), message(7, "d"));
                    client.drain();
                });
                SubscriberRun run = SubscriberRun.of(relay.endpoint(), options -> options.types(TypeRanges.of(7, 7)))) {
            run.untilMessages(4);
            assertThat(run.messages).containsExactly("4:7:a", "5:7:b", "9:7:c", "24:7:d");
            assertThat(run.gaps).containsExactly(new Gap(22, 23, GapReason.SLOW.code()));
            assertThat(run.subscriber.head()).isEqualTo(30);
        }
    }

    @Test
    void whereTheRelayTellsNoNumbersNoneIsMadeUp() throws Exception {
        Script first = client -> {
            client.hello();
            client.send(bareWelcome(1), message(7, "a"), ping(1, 8, 8), message(7, "b"));
        };
        Script second = client -> {
            assertThat(client.hello().number()).isEqualTo(8);
            client.send(bareWelcome(8), message(7, "b"));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(first, second);
                SubscriberRun run = SubscriberRun.of(relay.endpoint(), options -> options.types(TypeRanges.of(7, 7)))) {
            run.untilMessages(3);
            assertThat(run.messages).containsExactly("0:7:a", "0:7:b", "0:7:b");
        }
    }

    @Test
    void answersPingAtOnce() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    for (long id = 1; id <= 100; id++) {
                        client.send(id == 1 ? welcome(1) : ByteBuffer.allocate(0), ping(-id, 1, 0));
                        assertThat(PongFrame.id(client.expect(ControlFrames.PONG)))
                                .isEqualTo(-id);
                    }
                    client.send(message(1, "answered"));
                    client.drain();
                });
                SubscriberRun run = SubscriberRun.of(relay.endpoint())) {
            run.untilMessages(1);
            run.close();
            relay.await();
        }
    }

    @Test
    void aLostTailIsSeenByThePing() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(welcome(1), message(1, "a"), gap(2, 5, GapReason.SLOW), ping(1, 6, 5));
                    client.drain();
                });
                SubscriberRun run = SubscriberRun.of(relay.endpoint())) {
            run.until(() -> run.subscriber.head() == 5);
            assertThat(run.gaps).containsExactly(new Gap(2, 5, GapReason.SLOW.code()));
            assertThat(run.subscriber.next()).isEqualTo(6);
        }
    }

    /** Frame that jumps from 2 to 5 without a reason. */
    static List<ByteBuffer> jumps() {
        return List.of(sequence(5), ping(1, 5, 9), gap(5, 6, GapReason.SLOW));
    }

    /** It is asked for once more what was in doubt; only if that does not help it is lost. */
    @ParameterizedTest
    @MethodSource("jumps")
    void aJumpWithoutAReasonIsDoubtedOnceThenTold(ByteBuffer jump) throws Exception {
        Script jumps = client -> {
            long next = Math.max(1, client.hello().number());
            client.send(welcome(next));
            client.send(next == 1 ? message(1, "a") : ByteBuffer.allocate(0), jump.duplicate(), message(1, "b"));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(jumps, jumps);
                SubscriberRun run = SubscriberRun.of(relay.endpoint())) {
            run.untilMessages(2);
            boolean told = !run.messages.contains("5:1:b");
            assertThat(run.messages).containsExactly("1:1:a", told ? "7:1:b" : "5:1:b");
            assertThat(run.gaps.get(0)).isEqualTo(new Gap(2, 4, Gap.UNEXPLAINED));
            assertThat(run.gaps.get(0).text()).isEqualTo("missed 3 messages, 2 to 4: the relay does not say why");
            assertThat(run.gaps).hasSize(told ? 2 : 1);
            assertThat(run.events(SessionEvent.Lost.class)).singleElement().satisfies(lost -> assertThat(lost.text())
                    .contains("jumps from message 2 to 5"));
            assertThat(relay.hellos().get(1).number()).isEqualTo(2);
        }
    }

    @Test
    void whatWasDoubtedAndComesAfterAllIsNoGap() throws Exception {
        Script jumps = client -> {
            client.hello();
            client.send(welcome(1), message(1, "a"), ping(1, 3, 2));
            client.drain();
        };
        Script sends = client -> {
            assertThat(client.hello().number()).isEqualTo(2);
            client.send(welcome(2), message(1, "b"));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(jumps, sends);
                SubscriberRun run = SubscriberRun.of(relay.endpoint())) {
            run.untilMessages(2);
            assertThat(run.messages).containsExactly("1:1:a", "2:1:b");
            assertThat(run.gaps).isEmpty();
        }
    }

    @Test
    void withoutReconnectingAJumpIsToldAtOnce() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(welcome(1), message(1, "a"), sequence(5), message(1, "b"));
                    client.drain();
                });
                SubscriberRun run =
                        SubscriberRun.of(relay.endpoint(), options -> options.reconnect(ReconnectPolicy.none()))) {
            run.untilMessages(2);
            assertThat(run.messages).containsExactly("1:1:a", "5:1:b");
            assertThat(run.gaps).containsExactly(new Gap(2, 4, Gap.UNEXPLAINED));
        }
    }

    static List<ByteBuffer> backward() {
        return List.of(sequence(1), ping(1, 1, 9), gap(1, 1, GapReason.SLOW), gap(3, Long.MAX_VALUE, GapReason.SLOW));
    }

    @ParameterizedTest
    @MethodSource("backward")
    void numbersThatCannotBeEndTheConnectionAndTheRelayIsTold(ByteBuffer wrong) throws Exception {
        Script first = client -> {
            client.hello();
            client.send(welcome(1), message(1, "a"), message(1, "b"), wrong.duplicate(), message(1, "never"));
            assertThat(ErrorFrame.code(client.expect(ControlFrames.ERROR))).isPositive();
        };
        Script second = client -> {
            assertThat(client.hello().number()).isEqualTo(3);
            client.send(welcome(3), message(1, "c"));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(first, second);
                SubscriberRun run = SubscriberRun.of(relay.endpoint())) {
            run.untilMessages(3);
            assertThat(run.messages).containsExactly("1:1:a", "2:1:b", "3:1:c");
            run.close();
            relay.await();
        }
    }

    @Test
    void anotherEpochIsToldWithWhatIsLost() throws Exception {
        Script first = client -> {
            client.hello();
            client.send(welcome(10), message(1, "ten"));
        };
        Script restarted = client -> {
            assertThat(client.hello().epoch()).isEqualTo(EPOCH);
            client.send(Frames.welcomeOfOtherEpoch(OTHER_EPOCH, 1), message(1, "one"));
        };
        Script resumed = client -> {
            assertThat(client.hello().epoch()).isEqualTo(OTHER_EPOCH);
            client.send(Frames.welcome(OTHER_EPOCH, 0, 2, 0, Frames.LONG_IDLE), message(1, "two"));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(first, restarted, resumed);
                SubscriberRun run = SubscriberRun.of(relay.endpoint())) {
            run.untilMessages(3);
            assertThat(run.messages).containsExactly("10:1:ten", "1:1:one", "2:1:two");
            assertThat(run.gaps).isEmpty();
            assertThat(run.events(SessionEvent.StreamChanged.class))
                    .containsExactly(new SessionEvent.StreamChanged(relay.endpoint(), EPOCH, 11, OTHER_EPOCH, 1));
        }
    }

    @Test
    void anotherLifeOfTheStreamIsNoEvent() throws Exception {
        Script first = client -> {
            client.hello();
            client.send(welcome(10), message(1, "ten"));
        };
        Script restarted = client -> {
            HelloFrame hello = client.hello();
            assertThat(hello.epoch()).isEqualTo(EPOCH);
            assertThat(hello.number()).isEqualTo(11);
            client.send(Frames.welcome(OTHER_EPOCH, 0, 11, 0, Frames.LONG_IDLE), message(1, "eleven"));
        };
        Script resumed = client -> {
            HelloFrame hello = client.hello();
            assertThat(hello.epoch()).isEqualTo(OTHER_EPOCH);
            assertThat(hello.number()).isEqualTo(12);
            client.send(Frames.welcome(OTHER_EPOCH, 0, 12, 0, Frames.LONG_IDLE), message(1, "twelve"));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(first, restarted, resumed);
                SubscriberRun run = SubscriberRun.of(relay.endpoint())) {
            run.untilMessages(3);
            assertThat(run.messages).containsExactly("10:1:ten", "11:1:eleven", "12:1:twelve");
            assertThat(run.gaps).isEmpty();
            assertThat(run.events(SessionEvent.StreamChanged.class)).isEmpty();
            assertThat(run.events(SessionEvent.StreamRolledBack.class)).isEmpty();
        }
    }

    @Test
    void aForkIsToldOnceAndTheStreamGoesOnThere() throws Exception {
        Script first = client -> {
            client.hello();
            client.send(welcome(10), message(1, "ten"), message(1, "eleven"), message(1, "twelve"));
        };
        Script restarted = client -> {
            assertThat(client.hello().number()).isEqualTo(13);
            client.send(
                    Frames.welcomeRolledBack(OTHER_EPOCH, 11, 11),
                    gap(11, 11, GapReason.NOT_HELD),
                    message(1, "other"));
        };
        Script resumed = client -> {
            HelloFrame hello = client.hello();
            assertThat(hello.epoch()).isEqualTo(OTHER_EPOCH);
            assertThat(hello.number()).isEqualTo(13);
            client.send(Frames.welcome(OTHER_EPOCH, 0, 13, 0, Frames.LONG_IDLE), message(1, "thirteen"));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(first, restarted, resumed);
                SubscriberRun run = SubscriberRun.of(relay.endpoint())) {
            run.untilMessages(5);
            assertThat(run.messages)
                    .containsExactly("10:1:ten", "11:1:eleven", "12:1:twelve", "12:1:other", "13:1:thirteen");
            assertThat(run.gaps).containsExactly(new Gap(11, 11, GapReason.NOT_HELD.code()));
            assertThat(run.events(SessionEvent.StreamRolledBack.class))
                    .containsExactly(new SessionEvent.StreamRolledBack(relay.endpoint(), EPOCH, 12, OTHER_EPOCH, 11));
            assertThat(run.events(SessionEvent.StreamRolledBack.class).get(0).text())
                    .contains("messages 11 to 12, which came before, are not in it");
            assertThat(run.events(SessionEvent.StreamChanged.class)).isEmpty();
        }
    }

    @Test
    void durableOnlyIsAskedForOnEachConnection() throws Exception {
        Script first = client -> {
            client.hello();
            client.send(Frames.welcomeWithLevels(1, 0), message(1, "a"));
        };
        Script second = client -> {
            client.hello();
            client.send(Frames.welcomeWithLevels(2, 0), message(1, "b"));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(first, second);
                SubscriberRun run = SubscriberRun.of(relay.endpoint(), options -> options.durableOnly(Level.WRITTEN))) {
            run.untilMessages(2);
            assertThat(relay.hellos()).hasSize(2).allSatisfy(hello -> {
                assertThat(hello.wants(Features.LEVELS)).isTrue();
                assertThat(hello.level()).isSameAs(Level.WRITTEN);
            });
        }
    }

    @Test
    void aRelayWithoutAJournalCannotDoDurableOnly() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(welcome(1), message(1, "never"));
                    client.drain();
                });
                SubscriberRun run = SubscriberRun.of(relay.endpoint(), options -> options.durableOnly(Level.FORCED))) {
            assertThat(run.untilItGivesUp())
                    .isInstanceOf(RelayUnsuitableException.class)
                    .hasMessage("the relay at " + relay.endpoint()
                            + " keeps no journal, so durableOnly forced is not possible");
            assertThat(run.messages).isEmpty();
            assertThat(relay.hellos()).hasSize(1);
        }
    }
}
