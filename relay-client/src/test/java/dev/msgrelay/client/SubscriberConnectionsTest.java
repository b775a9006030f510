package dev.msgrelay.client;

import static dev.msgrelay.client.Frames.EPOCH;
import static dev.msgrelay.client.Frames.bareWelcome;
import static dev.msgrelay.client.Frames.message;
import static dev.msgrelay.client.Frames.sequence;
import static dev.msgrelay.client.Frames.subscribed;
import static dev.msgrelay.client.Frames.welcome;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.SubscribeFrame;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import dev.msgrelay.testing.scripted.ScriptedRelay.Script;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** How a subscriber goes on over another connection, and changes its types while it runs. */
@SuppressWarnings("try") // closing early is what is tested
class SubscriberConnectionsTest {
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
                SubscriberRun run = SubscriberRun.of(relay.endpoint(), options -> options.maxBody(4))) {
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
}
