package dev.msgrelay.client;

import static dev.msgrelay.client.Frames.EPOCH;
import static dev.msgrelay.client.Frames.gap;
import static dev.msgrelay.client.Frames.joined;
import static dev.msgrelay.client.Frames.message;
import static dev.msgrelay.client.Frames.ping;
import static dev.msgrelay.client.Frames.sequence;
import static dev.msgrelay.client.Frames.welcome;
import static dev.msgrelay.client.Frames.welcomeOfOtherEpoch;
import static dev.msgrelay.client.Frames.welcomeRolledBack;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.StartFrom;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.testing.scripted.FrameText;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import dev.msgrelay.testing.scripted.ScriptedRelay.Script;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A position that is kept: it moves behind a message once the handler has returned, and the next subscriber goes on
 * there.
 */
@SuppressWarnings("try") // closing early is what is tested
class PositionsTest {
    private static final int OTHER = 77;

    @TempDir
    private Path folder;

    private final Kept kept = new Kept();

    /** A store of an application. */
    private static final class Kept implements PositionStore {
        private final List<Position> saved = new ArrayList<>();
        private boolean full;

        @Override
        public Optional<Position> load() {
            return saved.isEmpty() ? Optional.empty() : Optional.of(last());
        }

        @Override
        public void save(Position position) throws IOException {
            if (full) {
                throw new IOException("disk full");
            }
            saved.add(position);
        }

        Position last() {
            return saved.get(saved.size() - 1);
        }
    }

    private static Script sends(ByteBuffer... frames) {
        return client -> {
            client.hello();
            client.send(joined(frames));
            client.drain();
        };
    }

    private SubscriberRun run(Endpoint relay, UnaryOperator<SubscriberOptions.Builder> more) throws IOException {
        return SubscriberRun.of(relay, options -> more.apply(options.positions(kept, Duration.ZERO)));
    }

    private SubscriberRun run(Endpoint relay) throws IOException {
        return run(relay, options -> options);
    }

    private static void failAt(SubscriberRun run, long failing) throws IOException {
        run.subscriber.run((sequence, type, body) -> {
            if (sequence == failing) {
                throw new IllegalStateException("mine " + sequence);
            }
            run.messages.add(sequence + ":" + type);
        });
    }

    /** Of two with one file the slower would skip, after its restart, what only the other one has handled. */
    @Test
    void aFileIsOfOneSubscriberAtATime() throws Exception {
        Path file = folder.resolve("audit.position");
        PositionStore store = PositionStore.file(file);
        try (RelaySubscriber first = open(store)) {
            for (PositionStore other : List.of(store, PositionStore.file(file))) {
                assertThatThrownBy(() -> open(other))
                        .isInstanceOf(IOException.class)
                        .hasMessage("the position in " + file + " is in use by another subscriber, which has locked "
                                + file + ".lock");
            }
            first.close();
            open(store).close();
            open(PositionStore.file(file)).close();
        }
        Files.writeString(file, "?");
        assertThatThrownBy(() -> open(store)).hasMessageContaining("cannot be read");
        Files.delete(file);
        open(PositionStore.file(file)).close();
    }

    private static RelaySubscriber open(PositionStore store) throws IOException {
        return RelaySubscriber.open(SubscriberOptions.builder("127.0.0.1:1")
                .fromEarliest()
                .positions(store)
                .build());
    }

    /** A poll that is under way saves what it has handed over: until then the file is its own. */
    @Test
    void theFileIsItsOwnUntilTheLastPollHasSaved() throws Exception {
        Path file = folder.resolve("audit.position");
        try (ScriptedRelay relay = ScriptedRelay.of(sends(welcome(5), message(1, "a")));
                SubscriberRun run = SubscriberRun.of(
                        relay.endpoint(), options -> options.fromEarliest().positions(PositionStore.file(file)))) {
            run.subscriber.run((sequence, type, body) -> {
                run.subscriber.close();
                assertThatThrownBy(() -> open(PositionStore.file(file))).hasMessageContaining("in use");
            });
            assertThat(file).hasContent("epoch=" + EPOCH + "\nnext=6\n");
            open(PositionStore.file(file)).close();
        }
    }

    @Test
    void theNextSubscriberGoesOnBehindWhatIsHandled() throws Exception {
        Path file = folder.resolve("audit.position");
        try (ScriptedRelay relay = ScriptedRelay.of(
                sends(welcome(5), message(1, "a"), message(1, "b")), sends(welcome(7), message(1, "c")))) {
            UnaryOperator<SubscriberOptions.Builder> withFile =
                    options -> options.fromEarliest().positions(PositionStore.file(file));
            try (SubscriberRun first = SubscriberRun.of(relay.endpoint(), withFile)) {
                first.untilMessages(2);
            }
            assertThat(file).hasContent("epoch=" + EPOCH + "\nnext=7\n");
            try (SubscriberRun second = SubscriberRun.of(relay.endpoint(), withFile)) {
                second.untilMessages(1);
                assertThat(second.messages).containsExactly("7:1:c");
            }
            assertThat(relay.hellos().get(0).start()).isSameAs(StartFrom.EARLIEST);
            assertThat(relay.hellos().get(1))
                    .returns(StartFrom.SEQUENCE, hello -> hello.start())
                    .returns(EPOCH, hello -> hello.epoch())
                    .returns(7L, hello -> hello.number());
        }
    }

    @Test
    void aHandlerThatThrowsEndsTheSubscriberAndGetsItsMessageAtTheNextStart() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(
                sends(welcome(1), message(1, "a"), message(1, "b"), message(1, "c")),
                sends(welcome(2), message(1, "b")))) {
            try (SubscriberRun run = run(relay.endpoint())) {
                assertThatThrownBy(() -> failAt(run, 2))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage("mine 2");
                assertThat(kept.last()).isEqualTo(new Position(EPOCH, 2));
                assertThatThrownBy(() -> run.untilMessages(9))
                        .hasMessage("the handler failed at message 2: java.lang.IllegalStateException: mine 2");
                assertThat(run.events).last().isInstanceOf(SessionEvent.GaveUp.class);
                assertThat(run.messages).containsExactly("1:1");
            }
            assertThat(kept.last()).isEqualTo(new Position(EPOCH, 2));
            try (SubscriberRun next = run(relay.endpoint())) {
                next.untilMessages(1);
                assertThat(next.messages).containsExactly("2:1:b");
            }
            assertThat(kept.last()).isEqualTo(new Position(EPOCH, 3));
        }
    }

    @Test
    void aHandlerThatIsTriedAgainGetsItsMessageOverAnotherConnection() throws Exception {
        Script again = client -> {
            assertThat(client.hello().number()).isEqualTo(2);
            client.send(joined(welcome(2), message(1, "b"), message(1, "c")));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(sends(welcome(1), message(1, "a"), message(1, "b")), again, again);
                SubscriberRun run = SubscriberRun.of(relay.endpoint(), SubscriberOptions.Builder::retryHandler)) {
            int[] failures = {2};
            run.subscriber.run((sequence, type, body) -> {
                if (sequence == 2 && failures[0]-- > 0) {
                    throw new IllegalStateException("not yet");
                }
                run.messages.add(sequence + ":" + type);
                if (sequence == 3) {
                    run.subscriber.close();
                }
            });
            assertThat(run.messages).containsExactly("1:1", "2:1", "3:1");
            assertThat(run.events(SessionEvent.Lost.class)).hasSize(2).allSatisfy(lost -> assertThat(lost.text())
                    .startsWith("the handler failed at message 2: java.lang.IllegalStateException: not yet; next try"));
        }
    }

    @Test
    void aHandlerIsTriedAgainAsOftenAsThePolicySays() throws Exception {
        Script all = sends(welcome(1), message(1, "a"));
        try (ScriptedRelay relay = ScriptedRelay.of(all, all, all);
                SubscriberRun run = run(relay.endpoint(), options -> options.retryHandler()
                        .reconnect(
                                ReconnectPolicy.rounds(2).withDelays(Duration.ofMillis(1), Duration.ofMinutes(1))))) {
            assertThatThrownBy(() -> failAt(run, 1))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("the handler failed at message 1");
            assertThat(relay.hellos()).hasSize(3);
            assertThat(kept.saved).containsExactly(new Position(EPOCH, 1));
        }
    }

    /** A mistake of the JVM's own is not a message's. */
    @Test
    void anErrorIsNotTriedAgain() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(sends(welcome(1), message(1, "a")));
                SubscriberRun run = run(relay.endpoint(), SubscriberOptions.Builder::retryHandler)) {
            assertThatThrownBy(() -> run.subscriber.run((sequence, type, body) -> {
                        throw new StackOverflowError("deep");
                    }))
                    .isInstanceOf(StackOverflowError.class);
            assertThat(kept.last()).isEqualTo(new Position(EPOCH, 1));
        }
    }

    /** Behind a cut state the message for which one was passed over may be gone with the relay. */
    @Test
    void withTheStateThePositionIsThatOfACompleteOne() throws Exception {
        Script whole = client -> {
            assertThat(client.hello().start()).isSameAs(StartFrom.STATE);
            client.send(joined(welcome(1), gap(1, 8, GapReason.SUPERSEDED), message(9, "a")));
            client.send(joined(message(7, "b"), ping(1, 11, 10)));
            client.send(message(7, "c"));
            client.drain();
        };
        Script cut = client -> {
            assertThat(client.hello())
                    .returns(StartFrom.STATE, hello -> hello.start())
                    .returns(EPOCH, hello -> hello.epoch())
                    .returns(12L, hello -> hello.number());
            client.send(joined(welcome(12), gap(12, 20, GapReason.SUPERSEDED), message(9, "d")));
            client.drain();
        };
        Script anew = client -> {
            assertThat(client.hello())
                    .returns(StartFrom.STATE, hello -> hello.start())
                    .returns(12L, hello -> hello.number());
            client.send(joined(welcomeOfOtherEpoch(OTHER, 1), message(7, "x"), message(9, "y")));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(whole, cut, anew)) {
            UnaryOperator<SubscriberOptions.Builder> state = SubscriberOptions.Builder::fromState;
            try (SubscriberRun run = run(relay.endpoint(), state)) {
                run.untilMessages(1);
                run.untilMessages(3);
            }
            assertThat(kept.saved)
                    .extracting(Position::next)
                    .doesNotContain(10L)
                    .endsWith(12L);
            try (SubscriberRun run = run(relay.endpoint(), state)) {
                run.untilMessages(1);
            }
            assertThat(kept.last()).isEqualTo(new Position(EPOCH, 12));
            try (SubscriberRun run = run(relay.endpoint(), state)) {
                run.untilMessages(2);
            }
            assertThat(kept.last()).isEqualTo(new Position(EPOCH, 12));
        }
    }

    /** The policy latest passes over messages of a stream that goes on. */
    @Test
    void withTheStateThePositionWaitsForWhatIsPassedOver() throws Exception {
        CountDownLatch saved = new CountDownLatch(1);
        Script script = client -> {
            client.hello();
            client.send(joined(welcome(1), message(7, "a"), ping(1, 2, 1)));
            saved.await();
            client.send(joined(gap(2, 8, GapReason.SUPERSEDED), message(9, "b")));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(script)) {
            try (SubscriberRun run =
                    run(relay.endpoint(), options -> options.fromState().policy(Policy.LATEST))) {
                run.until(() -> !kept.saved.isEmpty());
                saved.countDown();
                run.untilMessages(2);
            }
            assertThat(kept.last()).isEqualTo(new Position(EPOCH, 2));
        }
    }

    @Test
    void messagesThatTheRelayNoLongerHasAreToldAndThePositionIsBehindThem() throws Exception {
        kept.saved.add(new Position(EPOCH, 3));
        try (ScriptedRelay relay = ScriptedRelay.of(sends(welcome(3), gap(3, 9, GapReason.NOT_HELD), message(1, "j")));
                SubscriberRun run = run(relay.endpoint())) {
            run.untilMessages(1);
            assertThat(run.gaps).containsExactly(new Gap(3, 9, GapReason.NOT_HELD.code()));
            assertThat(kept.last()).isEqualTo(new Position(EPOCH, 11));
            assertThat(run.subscriber.missed()).isEqualTo(7);
        }
    }

    @Test
    void aStreamThatWasRolledBackIsToldAndThePositionIsOfTheNewLife() throws Exception {
        kept.saved.add(new Position(EPOCH, 9));
        try (ScriptedRelay relay = ScriptedRelay.of(sends(welcomeRolledBack(OTHER, 6, 6), message(1, "new")));
                SubscriberRun run = run(relay.endpoint())) {
            run.untilMessages(1);
            assertThat(run.events(SessionEvent.StreamRolledBack.class))
                    .singleElement()
                    .satisfies(told -> {
                        assertThat(told.fork()).isEqualTo(6);
                        assertThat(told.had()).isEqualTo(8);
                    });
            assertThat(run.messages).containsExactly("6:1:new");
            assertThat(kept.last()).isEqualTo(new Position(OTHER, 7));
        }
    }

    /** The backup was put back while nobody read: the file has what is needed to find the common part. */
    @Test
    void behindAnOlderBackupTheCommonPartStays() throws Exception {
        Path file = folder.resolve("audit.position");
        UnaryOperator<SubscriberOptions.Builder> kept = options -> options.positions(PositionStore.file(file));
        ByteBuffer before = FrameText.encode("WELCOME features=66 next=7 epoch=200 epochs=200:6,100:1");
        ByteBuffer unknown = FrameText.encode("WELCOME features=66 flags=1 epoch=300 epochs=300:6,100:1");
        ByteBuffer back = FrameText.encode("WELCOME features=66 next=6 epoch=300 epochs=300:6,100:1");
        try (ScriptedRelay relay = ScriptedRelay.of(
                sends(before, message(1, "g"), message(1, "h")),
                sends(unknown, message(1, "a")),
                sends(back, message(1, "F")))) {
            try (SubscriberRun run = SubscriberRun.of(relay.endpoint(), kept)) {
                run.untilMessages(2);
            }
            assertThat(Files.readString(file)).isEqualTo("epoch=200\nnext=9\nepochs=200:6,100:1\n");
            try (SubscriberRun run = SubscriberRun.of(relay.endpoint(), kept)) {
                run.until(() -> !run.events(SessionEvent.StreamRolledBack.class).isEmpty());
                assertThat(Files.readString(file)).as("one is told once").isEqualTo("epoch=100\nnext=6\n");
                run.untilMessages(1);
                assertThat(run.messages).containsExactly("6:1:F");
                assertThat(run.events(SessionEvent.StreamRolledBack.class))
                        .singleElement()
                        .satisfies(told -> {
                            assertThat(told.fork()).isEqualTo(6);
                            assertThat(told.had()).isEqualTo(8);
                            assertThat(told.epoch()).isEqualTo(300);
                        });
                assertThat(run.events(SessionEvent.Connected.class)).hasSize(1);
                assertThat(run.events(SessionEvent.Lost.class)).isEmpty();
            }
            assertThat(Files.readString(file)).isEqualTo("epoch=300\nnext=7\nepochs=300:6,100:1\n");
        }
    }

    @Test
    void anotherStreamIsToldAndThePositionIsInIt() throws Exception {
        kept.saved.add(new Position(EPOCH, 9));
        try (ScriptedRelay relay = ScriptedRelay.of(sends(welcomeOfOtherEpoch(OTHER, 1), message(1, "first")));
                SubscriberRun run = run(relay.endpoint())) {
            run.untilMessages(1);
            assertThat(run.events(SessionEvent.StreamChanged.class))
                    .singleElement()
                    .satisfies(told -> assertThat(told.lostFrom()).isEqualTo(9));
            assertThat(kept.last()).isEqualTo(new Position(OTHER, 2));
        }
    }

    /** What a filter leaves out is behind the position, too. */
    @Test
    void withTypesTheMessageThatFailedComesAgain() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(
                        sends(welcome(1), message(7, "a"), sequence(5), message(7, "e")),
                        sends(welcome(5), message(7, "e"), ping(1, 9, 8)));
                SubscriberRun run = run(relay.endpoint(), options -> options.types(TypeRanges.of(7, 7)))) {
            assertThatThrownBy(() -> failAt(run, 5)).hasMessage("mine 5");
            assertThat(kept.last()).isEqualTo(new Position(EPOCH, 5));
            try (SubscriberRun next = run(relay.endpoint(), options -> options.types(TypeRanges.of(7, 7)))) {
                next.until(() -> next.subscriber.head() == 8);
                assertThat(next.messages).containsExactly("5:7:e");
            }
            assertThat(kept.last()).isEqualTo(new Position(EPOCH, 9));
        }
    }

    @Test
    void aStoreThatDoesNotSaveIsToldAndTriedAgain() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(joined(welcome(1), message(1, "a")));
                    client.drain();
                });
                SubscriberRun run = run(relay.endpoint())) {
            kept.full = true;
            assertThatThrownBy(() -> run.untilMessages(2))
                    .isInstanceOf(IOException.class)
                    .hasMessage("the position was not saved: disk full");
            kept.full = false;
            run.untilMessages(1);
            run.close();
            assertThat(kept.last()).isEqualTo(new Position(EPOCH, 2));
        }
    }

    @Test
    void thePositionIsSavedAtMostOnceInTheTimeAndOnClosing() throws Exception {
        AtomicLong now = new AtomicLong();
        CountDownLatch later = new CountDownLatch(1);
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
            client.hello();
            client.send(welcome(1));
            for (int i = 0; i < 100; i++) {
                if (i == 50) {
                    later.await();
                }
                client.send(message(1, "a"));
            }
            client.drain();
        })) {
            try (RelaySubscriber subscriber = RelaySubscriber.open(
                    SubscriberOptions.builder(relay.endpoint())
                            .positions(kept, Duration.ofMillis(100))
                            .build(),
                    now::get)) {
                while (subscriber.messages() < 50) {
                    subscriber.poll((sequence, type, body) -> {});
                }
                assertThat(kept.saved).hasSize(1);
                now.addAndGet(Duration.ofMillis(100).toNanos());
                later.countDown();
                while (subscriber.messages() < 100) {
                    subscriber.poll((sequence, type, body) -> {});
                }
                assertThat(kept.saved).hasSizeBetween(1, 2);
            }
            assertThat(kept.last()).isEqualTo(new Position(EPOCH, 101));
            assertThat(kept.saved).hasSizeBetween(2, 3);
        }
    }

    /** The relay has nothing to say for a minute. */
    @Test
    void thePositionIsSavedWhileTheStreamIsIdle() throws Exception {
        CountDownLatch saved = new CountDownLatch(1);
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(joined(welcome(1), message(1, "a")));
                    saved.await();
                    client.send(message(1, "b"));
                    client.drain();
                });
                SubscriberRun run = run(relay.endpoint(), options -> options.positions(kept, Duration.ofMillis(300)))) {
            run.until(() -> !kept.saved.isEmpty());
            saved.countDown();
            run.untilMessages(2);
            run.until(() -> kept.last().next() == 3);
            assertThat(run.events).noneMatch(SessionEvent.Lost.class::isInstance);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "epoch=1\n", "epoch=0\nnext=5\n", "epoch=1\nnext=0\n", "epoch=1\nnext=99999999999999999999\n"
            })
    void aDamagedFileIsNotTakenForABeginning(String content) throws Exception {
        Path file = Files.writeString(folder.resolve("audit.position"), content);
        SubscriberOptions options = SubscriberOptions.builder("127.0.0.1:1")
                .positions(PositionStore.file(file))
                .build();
        assertThatThrownBy(() -> RelaySubscriber.open(options))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("the position in " + file + " cannot be read: ")
                .hasMessageEndingWith("; remove the file to begin anew");
    }

    @Test
    void optionsThatCannotWorkAreNamed() {
        SubscriberOptions.Builder options = SubscriberOptions.builder("127.0.0.1:1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options.positions(kept, Duration.ofDays(2)))
                .withMessageContaining("PT48H");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SubscriberOptions.builder("127.0.0.1:1")
                        .plain()
                        .positions(kept)
                        .build())
                .withMessageContaining("no position can be kept");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SubscriberOptions.builder("127.0.0.1:1")
                        .plain()
                        .retryHandler()
                        .build())
                .withMessageContaining("no message comes again");
    }
}
