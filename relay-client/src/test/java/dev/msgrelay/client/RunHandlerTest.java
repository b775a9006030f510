package dev.msgrelay.client;

import static dev.msgrelay.client.Frames.frame;
import static dev.msgrelay.client.Frames.gap;
import static dev.msgrelay.client.Frames.joined;
import static dev.msgrelay.client.Frames.message;
import static dev.msgrelay.client.Frames.ping;
import static dev.msgrelay.client.Frames.sequence;
import static dev.msgrelay.client.Frames.welcome;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import dev.msgrelay.testing.scripted.ScriptedRelay.Script;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Messages that are handed over as runs, or one by one where a run is not taken. */
@SuppressWarnings("try") // closing early is what is tested
class RunHandlerTest {
    private final List<String> got = new ArrayList<>();
    private boolean takes = true;
    private long failing = -1;

    private final RunHandler handler = new RunHandler() {
        @Override
        public void onMessage(long sequence, int type, ByteBuffer body) {
            got.add(sequence + ":" + type + ":" + (body.remaining() > 9 ? "long" : text(body)));
        }

        @Override
        public boolean onRun(long first, int messages, ByteBuffer frames) {
            assertThat(frames.order()).isSameAs(ByteOrder.BIG_ENDIAN);
            if (!takes) {
                frames.order(ByteOrder.LITTLE_ENDIAN).clear();
                return false;
            }
            if (failing >= first && failing < first + messages) {
                throw new IllegalStateException("mine");
            }
            StringBuilder bodies = new StringBuilder();
            for (int i = 0; i < messages; i++) {
                int type = frames.getInt();
                byte[] body = new byte[frames.getInt()];
                frames.get(body);
                bodies.append(' ').append(type).append(':').append(new String(body, UTF_8));
            }
            assertThat(frames.hasRemaining()).isFalse();
            got.add(first + "+" + messages + bodies);
            return true;
        }
    };

    private static String text(ByteBuffer body) {
        return new String(Frames.copy(body), UTF_8);
    }

    private static Script sends(ByteBuffer... frames) {
        return client -> {
            client.hello();
            client.send(joined(frames));
            client.drain();
        };
    }

    private RelaySubscriber open(ScriptedRelay relay, UnaryOperator<SubscriberOptions.Builder> more)
            throws IOException {
        return RelaySubscriber.open(
                more.apply(SubscriberOptions.builder(relay.endpoint()).reconnect(SubscriberRun.QUICK))
                        .build());
    }

    /** Polls until so many messages are counted; one read brings all that one write of the relay has sent. */
    private void poll(RelaySubscriber subscriber, long messages) throws IOException {
        while (subscriber.messages() < messages) {
            subscriber.poll(handler);
        }
        assertThat(subscriber.messages()).isEqualTo(messages);
    }

    @Test
    void aRunEndsBeforeAControlFrame() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(sends(
                        welcome(5),
                        message(1, "a"),
                        message(-2, ""),
                        ping(7, 7, 9),
                        message(1, "c"),
                        gap(8, 10, GapReason.SLOW),
                        message(3, "d"),
                        message(3, "e")));
                RelaySubscriber subscriber = open(relay, options -> options.onGap(gap -> got.add(gap.text())))) {
            poll(subscriber, 5);
            assertThat(got)
                    .containsExactly(
                            "5+2 1:a -2:", "7+1 1:c", new Gap(8, 10, GapReason.SLOW.code()).text(), "11+2 3:d 3:e");
            assertThat(subscriber.next()).isEqualTo(13);
            assertThat(subscriber.bytes()).isEqualTo(5 * 8 + 4);
        }
    }

    @Test
    void aRunThatIsNotTakenComesOneByOne() throws Exception {
        takes = false;
        try (ScriptedRelay relay =
                        ScriptedRelay.of(sends(welcome(5), message(1, "a"), message(2, "b"), message(1, "c")));
                RelaySubscriber subscriber = open(relay, options -> options)) {
            poll(subscriber, 3);
            assertThat(got).containsExactly("5:1:a", "6:2:b", "7:1:c");
            assertThat(subscriber.next()).isEqualTo(8);
        }
    }

    /** Numbers are told where types were left out. */
    @Test
    void theNumbersOfChosenTypesAreThoseOfTheStream() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(sends(
                        welcome(5), sequence(6), message(1, "a"), message(1, "b"), sequence(20), message(1, "c")));
                RelaySubscriber subscriber = open(relay, options -> options.types(TypeRanges.of(1, 1)))) {
            poll(subscriber, 3);
            assertThat(got).containsExactly("6+2 1:a 1:b", "20+1 1:c");
        }
    }

    @Test
    void withoutNumbersTheSequenceIsUnknown() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.send(joined(message(1, "a"), message(1, "b")));
                    client.drain();
                });
                RelaySubscriber subscriber = open(relay, SubscriberOptions.Builder::plain)) {
            poll(subscriber, 2);
            assertThat(got).containsExactly("0+2 1:a 1:b");
        }
    }

    /** 65,528 bytes of body and 8 of header are a run; one more is none. */
    @Test
    void aLongMessageComesAlone() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(
                        sends(welcome(1), message(1, "a"), frame(2, new byte[(64 << 10) - 7]), message(1, "b")));
                RelaySubscriber subscriber = open(relay, options -> options)) {
            poll(subscriber, 3);
            assertThat(got).containsExactly("1+1 1:a", "2:2:long", "3+1 1:b");
        }
    }

    @Test
    void aViewGetsEachMessageAndSoDoesTheHandler() throws Exception {
        StateView view = new StateView(1000, (next, types) -> {});
        try (ScriptedRelay relay =
                        ScriptedRelay.of(sends(welcome(1), message(1, "a"), message(2, "b"), ping(1, 3, 2)));
                RelaySubscriber subscriber =
                        open(relay, options -> options.fromState().view(view))) {
            poll(subscriber, 2);
            assertThat(got).containsExactly("1:1:a", "2:2:b");
            assertThat(view.types()).containsExactly(1, 2);
        }
    }

    @Test
    void aRunAtWhichTheHandlerThrewComesAgainWhereMessagesAreToBeHandled() throws Exception {
        List<Position> saved = new ArrayList<>();
        PositionStore store = new PositionStore() {
            @Override
            public Optional<Position> load() {
                return Optional.empty();
            }

            @Override
            public void save(Position position) {
                saved.add(position);
            }
        };
        failing = 7;
        try (ScriptedRelay relay = ScriptedRelay.of(
                        sends(welcome(5), message(1, "a"), ping(1, 6, 9), message(1, "b"), message(1, "c")));
                RelaySubscriber subscriber =
                        open(relay, options -> options.fromEarliest().positions(store, Duration.ZERO))) {
            assertThatThrownBy(() -> poll(subscriber, 9)).hasMessage("mine");
            assertThat(got).containsExactly("5+1 1:a");
            assertThat(subscriber.next()).isEqualTo(6);
            assertThat(saved).last().isEqualTo(new Position(Frames.EPOCH, 6));
            assertThatThrownBy(() -> subscriber.poll(handler))
                    .hasMessageStartingWith("the handler failed at message 6");
        }
    }

    @Test
    void aRunAtWhichTheHandlerThrewCountsAsReceivedElse() throws Exception {
        failing = 6;
        Script again = client -> {
            assertThat(client.hello().number()).isEqualTo(7);
            client.send(joined(welcome(7), message(1, "c")));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(sends(welcome(5), message(1, "a"), message(1, "b")), again);
                RelaySubscriber subscriber = open(relay, options -> options)) {
            assertThatThrownBy(() -> poll(subscriber, 9)).hasMessage("mine");
            poll(subscriber, 3);
            assertThat(got).containsExactly("7+1 1:c");
        }
    }
}
