package dev.msgrelay.client;

import static dev.msgrelay.client.Frames.EPOCH;
import static dev.msgrelay.client.Frames.bareWelcome;
import static dev.msgrelay.client.Frames.gap;
import static dev.msgrelay.client.Frames.message;
import static dev.msgrelay.client.Frames.ping;
import static dev.msgrelay.client.Frames.sequence;
import static dev.msgrelay.client.Frames.subscribed;
import static dev.msgrelay.client.Frames.welcome;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.msgrelay.client.ScriptedRelay.Script;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.PongFrame;
import dev.msgrelay.protocol.SubscribeFrame;
import dev.msgrelay.protocol.TypeRanges;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Behind WELCOME: numbers, gaps, heartbeats, changes of types, and how a connection ends. */
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
    void aConnectionCutWithinAMessageIsResumedWithThatMessage() throws Exception {
        Script cut = client -> {
            client.hello();
            client.send(welcome(1), message(1, "a"), message(1, "bcd").limit(10));
        };
        Script whole = client -> {
            assertThat(client.hello().number()).isEqualTo(2);
            client.send(welcome(2), message(1, "bcd"));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(cut, whole);
                SubscriberRun run = SubscriberRun.of(relay.endpoint())) {
            run.untilMessages(2);
            assertThat(run.messages).containsExactly("1:1:a", "2:1:bcd");
            assertThat(run.events(SessionEvent.Lost.class).get(0).text()).contains("10 of 11 bytes");
        }
    }

    @Test
    void afterGoAwayItReadsOnAndThenGoesToTheNextAddress() throws Exception {
        Script leaves = client -> {
            client.hello();
            client.send(welcome(1), message(1, "a"), Frames.goAway(), message(1, "b"));
        };
        Script takesOver = client -> {
            assertThat(client.hello().number()).isEqualTo(3);
            client.send(welcome(3), message(1, "c"));
            client.drain();
        };
        try (ScriptedRelay one = ScriptedRelay.of(leaves, leaves);
                ScriptedRelay other = ScriptedRelay.of(takesOver);
                SubscriberRun run = SubscriberRun.of(List.of(one.endpoint(), other.endpoint()), options -> options)) {
            run.untilMessages(3);
            assertThat(run.messages).containsExactly("1:1:a", "2:1:b", "3:1:c");
            assertThat(run.events(SessionEvent.GoingAway.class).get(0).text())
                    .contains("will close in 1000 ms: relay shutting down, maintenance");
            assertThat(one.hellos()).hasSize(1);
        }
    }

    @Test
    void aLostConnectionIsMadeAgainAtTheSameAddressFirst() throws Exception {
        Script loses = client -> {
            client.hello();
            client.send(welcome(1), message(1, "a"));
        };
        Script again = client -> {
            client.hello();
            client.send(welcome(2), message(1, "b"));
            client.drain();
        };
        try (ScriptedRelay one = ScriptedRelay.of(loses, again);
                ScriptedRelay other = ScriptedRelay.repeating(again);
                SubscriberRun run = SubscriberRun.of(List.of(one.endpoint(), other.endpoint()), options -> options)) {
            run.untilMessages(2);
            assertThat(one.hellos()).hasSize(2);
            assertThat(other.hellos()).isEmpty();
        }
    }

    @Test
    void aRelayThatFallsSilentIsGivenUp() throws Exception {
        Script silent = client -> {
            client.hello();
            client.send(welcome(EPOCH, 0, 1, 0, 100), message(1, "a"));
            client.drain();
        };
        Script good = client -> {
            client.hello();
            client.send(welcome(2), message(1, "b"));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(silent, good);
                SubscriberRun run = SubscriberRun.of(relay.endpoint())) {
            run.untilMessages(2);
            assertThat(run.events(SessionEvent.Lost.class).get(0).text())
                    .startsWith("nothing was heard of the relay at " + relay.endpoint() + " for 100 ms");
        }
    }

    @Test
    void changesTypesWhileRunning() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(welcome(1), message(1, "all"));
                    SubscribeFrame one = SubscribeFrame.decode(client.expect(ControlFrames.SUBSCRIBE));
                    SubscribeFrame two = SubscribeFrame.decode(client.expect(ControlFrames.SUBSCRIBE));
                    assertThat(one.types()).isEqualTo(TypeRanges.of(7, 7));
                    assertThat(two.types()).isEqualTo(TypeRanges.ALL);
                    client.send(message(1, "still"), subscribed(one.request(), 3), sequence(5), message(7, "seven"));
                    client.send(subscribed(two.request(), 8), message(1, "all again"));
                    client.drain();
                });
                SubscriberRun run = SubscriberRun.of(relay.endpoint())) {
            run.untilMessages(1);
            CompletableFuture<Long> one = run.subscriber.types(TypeRanges.of(7, 7));
            CompletableFuture<Long> two = run.subscriber.types(TypeRanges.ALL);
            asked.countDown();
            run.untilMessages(4);
            assertThat(run.messages).containsExactly("1:1:all", "2:1:still", "5:7:seven", "8:1:all again");
            assertThat(one).isCompletedWithValue(3L);
            assertThat(two).isCompletedWithValue(8L);
            assertThat(run.gaps).isEmpty();
        }
    }

    @Test
    void aChangeThatWasNotAnsweredGoesWithTheNextHello() throws Exception {
        Script cuts = client -> {
            client.hello();
            client.send(welcome(1), message(1, "a"));
            client.expect(ControlFrames.SUBSCRIBE);
        };
        Script answers = client -> {
            assertThat(client.hello().types()).isEqualTo(TypeRanges.of(7, 9));
            client.send(welcome(2), sequence(6), message(7, "b"));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(cuts, answers);
                SubscriberRun run = SubscriberRun.of(relay.endpoint())) {
            run.untilMessages(1);
            CompletableFuture<Long> change = run.subscriber.types(TypeRanges.of(7, 9));
            run.untilMessages(2);
            assertThat(run.messages).containsExactly("1:1:a", "6:7:b");
            assertThat(change).isCompletedWithValue(2L);
        }
    }

    @Test
    void moreRangesThanTheRelayTakesAreRefusedHere() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(bareWelcome(1), message(1, "a"));
                    client.drain();
                });
                SubscriberRun run = SubscriberRun.of(relay.endpoint())) {
            run.untilMessages(1);
            CompletableFuture<Long> change = run.subscriber.types(TypeRanges.of(1, 1, 3, 3, 5, 5));
            run.until(change::isDone);
            assertThatThrownBy(change::get).hasMessageContaining("3 ranges of types are over the relay's limit of 2");
        }
    }

    @Test
    void anAnswerThatNobodyAskedForIsAFault() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.repeating(client -> {
                    client.hello();
                    client.send(welcome(1), subscribed(5, 1));
                    client.drain();
                });
                SubscriberRun run = SubscriberRun.of(relay.endpoint())) {
            assertThat(run.untilItGivesUp()).hasMessageContaining("SUBSCRIBED answers request 5");
        }
    }

    @Test
    void aMessageOverItsOwnLimitEndsIt() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(welcome(1), message(1, "12345"));
                    client.drain();
                });
                SubscriberRun run = SubscriberRun.of(
                        relay.endpoint(),
                        options ->
                                options.connection(SubscriberConfig.defaults().withMaxBody(4)))) {
            assertThat(run.untilItGivesUp()).hasMessageContaining("limit of 4 bytes");
        }
    }

    @Test
    void givesUpAfterTheRoundsThatItWasTold() throws Exception {
        Script good = client -> {
            client.hello();
            client.send(welcome(1), message(1, "a"));
        };
        try (ScriptedRelay relay = ScriptedRelay.of(good);
                SubscriberRun run = SubscriberRun.of(
                        relay.endpoint(),
                        options -> options.reconnect(new ReconnectPolicy(
                                3, SubscriberRun.QUICK.firstDelay(), SubscriberRun.QUICK.longestDelay(), 0)))) {
            assertThat(run.untilItGivesUp()).hasMessageContaining("Connection refused");
            assertThat(run.messages).containsExactly("1:1:a");
            assertThat(run.events(SessionEvent.Connecting.class)).hasSize(4);
            assertThatThrownBy(() -> run.subscriber.poll((sequence, type, body) -> {}))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("Connection refused");
        }
    }

    @Test
    void closeFromAnotherThreadEndsAPollThatWaits() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(welcome(1), message(1, "a"));
                    client.drain();
                });
                ReconnectingSubscriber subscriber = ReconnectingSubscriber.open(
                        SubscriberOptions.builder(relay.endpoint()).build())) {
            CompletableFuture<Void> polling = CompletableFuture.runAsync(() -> {
                try {
                    subscriber.run((sequence, type, body) -> running.countDown());
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            running.await();
            CompletableFuture<Long> unanswered = subscriber.types(TypeRanges.of(1, 1));
            subscriber.close();
            polling.get(10, TimeUnit.SECONDS);
            assertThat(subscriber.poll((sequence, type, body) -> {})).isEqualTo(-1);
            assertThat(unanswered).isCompletedExceptionally();
        }
    }

    @Test
    void closedByItsHandlerItHandsNothingMoreOver() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(Frames.joined(welcome(1), message(1, "a"), message(1, "b"), message(1, "c")));
                    client.drain();
                });
                SubscriberRun run = SubscriberRun.of(relay.endpoint())) {
            run.subscriber.run((sequence, type, body) -> {
                run.messages.add("" + sequence);
                run.subscriber.close();
            });
            assertThat(run.messages).containsExactly("1");
        }
    }

    /** Such a message counts as had: it is not handed over again. */
    @Test
    void whatTheHandlerThrowsComesOutAndPollingGoesOnBehindIt() throws Exception {
        Script all = client -> {
            client.hello();
            client.send(Frames.joined(welcome(1), message(1, "a"), message(1, "b")));
            client.drain();
        };
        Script rest = client -> {
            assertThat(client.hello().number()).isEqualTo(2);
            client.send(Frames.joined(welcome(2), message(1, "b"), message(1, "c")));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(all, rest);
                SubscriberRun run =
                        SubscriberRun.of(relay.endpoint(), options -> options.reconnect(ReconnectPolicy.none()))) {
            assertThatThrownBy(() -> run.subscriber.run((sequence, type, body) -> {
                        throw new IllegalStateException("mine " + sequence);
                    }))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("mine 1");
            run.untilMessages(2);
            assertThat(run.messages).containsExactly("2:1:b", "3:1:c");
        }
    }

    @Test
    void withoutHelloItSaysNothingAndTellsThatItMissedSomething() throws Exception {
        Script plain = client -> {
            client.send(message(1, "a"), PlainServer.frame(0x8000007F), message(2, "b"));
        };
        Script again = client -> {
            client.send(message(3, "c"));
            assertThat(client.next()).as("not a byte comes from it").isNull();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(plain, again);
                SubscriberRun run = SubscriberRun.of(relay.endpoint(), SubscriberOptions.Builder::plain)) {
            run.untilMessages(3);
            run.close();
            relay.await();
            assertThat(run.messages).containsExactly("0:1:a", "0:2:b", "0:3:c");
            assertThat(run.events(SessionEvent.MissedUnknown.class)).hasSize(1);
            assertThatThrownBy(() -> run.subscriber.types(TypeRanges.ALL)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void withoutHelloAnErrorIsTakenAsTheProtocolSaysToo() throws Exception {
        Script slow = client -> client.send(ErrorFrame.encode(CloseReason.SLOW_SUBSCRIBER, ""));
        Script wrong = client -> client.send(ErrorFrame.encode(CloseReason.WRONG_ROLE, "no"));
        try (ScriptedRelay relay = ScriptedRelay.of(slow, wrong);
                SubscriberRun run = SubscriberRun.of(relay.endpoint(), SubscriberOptions.Builder::plain)) {
            assertThat(run.untilItGivesUp()).hasMessageContaining("wrong role: no");
        }
    }

    @Test
    void receivingAllocatesNothingPerMessage() throws Exception {
        int count = 100_000;
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(welcome(1));
                    ByteBuffer message = message(1, "0123456789");
                    for (int i = 0; i < 2 * count; i++) {
                        client.send(message.rewind());
                    }
                    client.drain();
                });
                ReconnectingSubscriber subscriber = ReconnectingSubscriber.open(
                        SubscriberOptions.builder(relay.endpoint()).build())) {
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            MessageHandler handler = (sequence, type, body) -> {};
            while (subscriber.messages() < count) {
                subscriber.poll(handler);
            }
            long from = subscriber.messages();
            long before = threads.getCurrentThreadAllocatedBytes();
            while (subscriber.messages() < 2 * count) {
                subscriber.poll(handler);
            }
            long allocated = threads.getCurrentThreadAllocatedBytes() - before;
            assertThat(allocated).as("bytes for %d messages", 2 * count - from).isLessThan(count);
        }
    }

    @Test
    void optionsThatCannotWorkAreNamed() {
        Endpoint endpoint = Endpoint.tcp("127.0.0.1", 1);
        assertThatThrownBy(() -> SubscriberOptions.builder().build()).hasMessageContaining("no endpoint");
        assertThatThrownBy(() ->
                        SubscriberOptions.builder(endpoint).plain().name("x").build())
                .hasMessageContaining("plain mode");
        assertThatThrownBy(() ->
                        SubscriberOptions.builder(endpoint).fromSequence(0, 0).build())
                .hasMessageContaining("number 0 is not within 1..");
        assertThatThrownBy(() -> SubscriberOptions.builder(endpoint).heartbeat(java.time.Duration.ofMillis(99)))
                .hasMessageContaining("99 ms is not within 100..3600000");
    }
}
