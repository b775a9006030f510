package dev.msgrelay.client;

import static dev.msgrelay.client.Frames.EPOCH;
import static dev.msgrelay.client.Frames.LONG_IDLE;
import static dev.msgrelay.client.Frames.gap;
import static dev.msgrelay.client.Frames.message;
import static dev.msgrelay.client.Frames.ping;
import static dev.msgrelay.client.Frames.welcome;
import static dev.msgrelay.client.Frames.welcomeRolledBack;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.StartFrom;
import dev.msgrelay.testing.scripted.FrameText;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import dev.msgrelay.testing.scripted.ScriptedRelay.Script;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A subscriber that starts with the state, beside the conformance cases: its view, its words, its counts. */
class StateSubscriberTest {
    private final List<String> moves = new ArrayList<>();
    private final StateView view = new StateView(10_000, (next, types) -> moves.add(next + ":" + types));

    private String get(int type) {
        return view.get(type).map(body -> UTF_8.decode(body).toString()).orElse(null);
    }

    private SubscriberRun subscribe(ScriptedRelay relay) throws IOException {
        return SubscriberRun.of(relay.endpoint(), options -> options.fromState().view(view));
    }

    @Test
    void theViewGoesOnAfterACutAndBeginsAnewAfterARollback() throws Exception {
        Script first = client -> {
            client.hello();
            client.send(welcome(1), gap(1, 8, GapReason.SUPERSEDED), message(7, "a"), message(9, "b"));
            client.send(ping(1, 11, 10), message(7, "c"));
        };
        Script second = client -> {
            HelloFrame hello = client.hello();
            assertThat(hello.start()).isSameAs(StartFrom.STATE);
            assertThat(hello.number()).isEqualTo(12);
            client.send(welcome(12), gap(12, 19, GapReason.SUPERSEDED), message(9, ""), ping(1, 21, 20));
        };
        Script third = client -> {
            assertThat(client.hello().number()).isEqualTo(21);
            client.send(welcomeRolledBack(5, 1, 9), message(7, "d"), ping(1, 2, 1));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(first, second, third);
                SubscriberRun run = subscribe(relay)) {
            run.until(() -> moves.size() == 1);
            assertThat(get(7)).isEqualTo("a");
            assertThat(get(9)).isEqualTo("b");
            run.until(() -> moves.size() == 2);
            // What came behind the last PING of the first connection is not forgotten.
            assertThat(get(7)).isEqualTo("c");
            assertThat(get(9)).isNull();
            assertThat(view.whole()).isTrue();
            run.until(() -> moves.size() == 3);
            assertThat(get(7)).isEqualTo("d");
            assertThat(moves).containsExactly("11:[7, 9]", "21:[7, 9]", "2:[7]");
            assertThat(run.subscriber.missed())
                    .as("what was superseded is no loss")
                    .isZero();
            assertThat(run.gaps).hasSize(2).noneMatch(Gap::isLoss);
            assertThat(run.gaps.get(0).text())
                    .isEqualTo("passed over 8 messages, 1 to 8: superseded by newer messages of the same types");
            assertThat(run.events(SessionEvent.Connected.class))
                    .extracting(SessionEvent.Connected::anew)
                    .containsExactly(true, false, true);
            assertThat(run.events(SessionEvent.StateComplete.class))
                    .extracting(SessionEvent.StateComplete::next)
                    .containsExactly(11L, 21L, 2L);
        }
    }

    @Test
    void aPingBeforeTheEndOfAStateThatWasCutMovesNoView() throws Exception {
        Script first = client -> {
            client.hello();
            client.send(welcome(1), gap(1, 1, GapReason.SUPERSEDED), message(9, "b"));
        };
        Script second = client -> {
            assertThat(client.hello().number()).isEqualTo(3);
            // What was passed over has not come: so far the view would be the stream up to no number.
            client.send(welcome(3), ping(1, 3, 4), message(7, "c"), message(9, "d"), ping(2, 5, 4));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(first, second);
                SubscriberRun run = subscribe(relay)) {
            run.until(view::isComplete);
            assertThat(moves).containsExactly("5:[7, 9]");
            assertThat(get(7)).isEqualTo("c");
        }
    }

    @Test
    void aStateThatWasCutIsAskedForAnewInTheRelaysNextLife() throws Exception {
        Script first = client -> {
            client.hello();
            client.send(welcome(1), gap(1, 1, GapReason.SUPERSEDED), message(9, "b"));
        };
        // The message for which 1 was passed over is gone, and the number does not tell.
        Script second = client -> {
            assertThat(client.hello().number()).isEqualTo(3);
            client.send(welcome(5, 0, 3, 0, LONG_IDLE), ping(1, 3, 2));
            client.drain();
        };
        Script third = client -> {
            HelloFrame hello = client.hello();
            assertThat(hello.number()).isZero();
            assertThat(hello.epoch()).isEqualTo(EPOCH);
            client.send(welcome(5, 0, 1, 0, LONG_IDLE), message(7, "a"), message(9, "b"), ping(1, 3, 2));
        };
        // The state was complete: its number is enough in another life, too.
        Script fourth = client -> {
            assertThat(client.hello().number()).isEqualTo(3);
            client.send(welcome(6, 0, 3, 0, LONG_IDLE), message(7, "c"), ping(1, 4, 3));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(first, second, third, fourth);
                SubscriberRun run = subscribe(relay)) {
            run.until(() -> moves.size() == 2);
            assertThat(moves).containsExactly("3:[7, 9]", "4:[7]");
            assertThat(get(9)).isEqualTo("b");
            assertThat(run.events(SessionEvent.Connected.class))
                    .extracting(SessionEvent.Connected::anew)
                    .containsExactly(true, true, false);
            assertThat(run.events(SessionEvent.Lost.class)).hasSize(2);
        }
    }

    @Test
    void aRelayThatHasForgottenMakesItLessThanWhole() throws Exception {
        Script script = client -> {
            client.hello();
            client.send(welcome(1), gap(1, 4, GapReason.NOT_HELD), message(7, "a"), ping(1, 6, 5));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(script);
                SubscriberRun run = subscribe(relay)) {
            run.until(view::isComplete);
            assertThat(view.whole()).isFalse();
            assertThat(get(7)).isEqualTo("a");
            assertThat(run.subscriber.missed()).isEqualTo(4);
        }
    }

    @Test
    void aHandlerThatIsTriedAgainPutsAMessageIntoTheViewOnce() throws Exception {
        Script first = client -> {
            client.hello();
            client.send(welcome(1), message(7, "a"), ping(1, 2, 1));
            client.drain();
        };
        Script second = client -> {
            assertThat(client.hello().number()).as("the message comes again").isLessThanOrEqualTo(1);
            client.send(welcome(1), message(7, "a"), ping(1, 2, 1));
            client.drain();
        };
        boolean[] failed = new boolean[1];
        try (ScriptedRelay relay = ScriptedRelay.of(first, second);
                RelaySubscriber subscriber = RelaySubscriber.open(SubscriberOptions.builder(relay.endpoint())
                        .reconnect(SubscriberRun.QUICK)
                        .fromState()
                        .view(view)
                        .retryHandler()
                        .onEvent(event -> {})
                        .build())) {
            while (!view.isComplete()) {
                subscriber.poll((sequence, type, body) -> {
                    if (!failed[0]) {
                        failed[0] = true;
                        assertThat(view.bytes()).isZero();
                        throw new IllegalStateException("not now");
                    }
                    assertThat(UTF_8.decode(body).toString()).isEqualTo("a");
                });
            }
            assertThat(get(7)).isEqualTo("a");
            assertThat(moves).containsExactly("2:[7]");
        }
    }

    @Test
    void aViewThatIsFullComesOutOfPoll() throws Exception {
        StateView small = new StateView(100);
        Script script = client -> {
            client.hello();
            client.send(welcome(1), message(7, "x".repeat(60)), message(9, "y"));
            client.drain();
        };
        Script behind = client -> {
            assertThat(client.hello().number()).isEqualTo(2);
            client.send(welcome(2), message(9, "y"), ping(1, 3, 2));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(script, behind);
                SubscriberRun run = SubscriberRun.of(
                        relay.endpoint(), options -> options.fromState().view(small))) {
            assertThatThrownBy(() -> run.untilMessages(2))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("its limit is 100");
            // What the view has no room for does not come again, so the handler has had it.
            assertThat(run.messages).containsExactly("1:7:" + "x".repeat(60));
            assertThat(run.subscriber.messages()).isEqualTo(1);
            run.until(small::isComplete);
            assertThat(run.messages).hasSize(2);
            assertThat(small.types()).containsExactly(9);
            assertThat(small.whole()).isFalse();
        }
    }

    @Test
    void anOlderRelayIsPutIntoWords() throws Exception {
        Script script = client -> {
            client.hello();
            client.send(
                    ErrorFrame.encode(CloseReason.MALFORMED_CONTROL, "HELLO (0x80000001): start 4 is not within 0..3"));
        };
        try (ScriptedRelay relay = ScriptedRelay.of(script);
                SubscriberRun run = subscribe(relay)) {
            IOException why = run.untilItGivesUp();
            assertThat(why)
                    .isInstanceOf(RelayUnsuitableException.class)
                    .hasMessageStartingWith("the relay at " + relay.endpoint() + " is older than start = state (")
                    .hasMessageContaining("start 4 is not within 0..3");
            assertThat(ErrorKind.of(why)).isSameAs(ErrorKind.FATAL);
        }
    }

    @Test
    void aRelayOlderThanThePolicyIsPutIntoWords() throws Exception {
        Script script = client -> {
            client.hello();
            client.send(ErrorFrame.encode(
                    CloseReason.MALFORMED_CONTROL, "HELLO (0x80000001): policy 5 is not within 0..4"));
        };
        try (ScriptedRelay relay = ScriptedRelay.of(script);
                SubscriberRun run = SubscriberRun.of(relay.endpoint(), options -> options.policy(Policy.LATEST))) {
            IOException why = run.untilItGivesUp();
            assertThat(why)
                    .isInstanceOf(RelayUnsuitableException.class)
                    .hasMessageStartingWith("the relay at " + relay.endpoint() + " is older than the policy latest (")
                    .hasMessageContaining("policy 5 is not within 0..4");
        }
    }

    /** The view is that of the last tick; a heartbeat between two ticks moves nothing. */
    @Test
    void theViewMovesAtTheTicksOfAnInterval() throws Exception {
        Script script = client -> {
            HelloFrame hello = client.hello();
            assertThat(hello.policy()).isSameAs(Policy.LATEST);
            assertThat(hello.intervalMillis()).isEqualTo(500);
            client.send(FrameText.encode("WELCOME policy=5 features=8 interval=1000"));
            client.send(message(7, "a"), message(9, "b"), ping(1, 3, 2));
            client.send(ping(2, 3, 40));
            client.send(gap(3, 49, GapReason.SUPERSEDED), message(7, "c"), ping(3, 51, 50));
        };
        Script again = client -> {
            HelloFrame hello = client.hello();
            assertThat(hello.number()).isEqualTo(51);
            assertThat(hello.policy()).isSameAs(Policy.LATEST);
            assertThat(hello.intervalMillis()).as("the wanted one").isEqualTo(500);
            client.send(welcome(51), gap(51, 59, GapReason.SUPERSEDED), message(9, ""), ping(4, 61, 60));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(script, again);
                SubscriberRun run = SubscriberRun.of(
                        relay.endpoint(),
                        options -> options.fromState().view(view).interval(Duration.ofMillis(500)))) {
            run.until(() -> moves.size() == 2);
            assertThat(get(7)).isEqualTo("c");
            run.until(() -> moves.size() == 3);
            assertThat(moves).containsExactly("3:[7, 9]", "51:[7]", "61:[9]");
            assertThat(view.whole()).isTrue();
            assertThat(run.events(SessionEvent.Connected.class).stream()
                            .map(event -> event.welcome().intervalMillis()))
                    .containsExactly(1000, 0);
            assertThat(run.events(SessionEvent.Connected.class).get(0).text())
                    .endsWith("(scripted), with messages every 1000 ms");
            assertThat(run.gaps).hasSize(2).noneMatch(Gap::isLoss);
        }
    }

    @Test
    void aViewNeedsTheStart() {
        assertThatThrownBy(() ->
                        SubscriberOptions.builder("127.0.0.1:7400").view(view).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a view begins with the whole state: fromState(), without a number and without positions");
        assertThatThrownBy(() -> SubscriberOptions.builder("127.0.0.1:7400")
                        .fromState(7, 2)
                        .view(view)
                        .build())
                .hasMessageContaining("whole state");
        assertThatThrownBy(() -> SubscriberOptions.builder("127.0.0.1:7400")
                        .fromState(7, -1)
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("number -1");
        assertThatThrownBy(() -> SubscriberOptions.builder("127.0.0.1:7400")
                        .fromState()
                        .plain()
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("plain mode");
    }
}
