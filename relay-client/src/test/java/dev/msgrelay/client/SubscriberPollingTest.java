package dev.msgrelay.client;

import static dev.msgrelay.client.Frames.gap;
import static dev.msgrelay.client.Frames.message;
import static dev.msgrelay.client.Frames.ping;
import static dev.msgrelay.client.Frames.sequence;
import static dev.msgrelay.client.Frames.welcome;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.PongFrame;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import dev.msgrelay.testing.scripted.ScriptedRelay.Script;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Polling and what ends it: close, handlers, relays without HELLO; and what it costs. */
@SuppressWarnings("try") // closing early is what is tested
class SubscriberPollingTest {
    @Test
    void closeFromAnotherThreadEndsAPollThatWaits() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(welcome(1), message(1, "a"));
                    client.drain();
                });
                RelaySubscriber subscriber = RelaySubscriber.open(
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
            polling.get(120, TimeUnit.SECONDS);
            assertThat(subscriber.poll((sequence, type, body) -> {})).isEqualTo(-1);
            assertThat(unanswered).isCompletedExceptionally();
        }
    }

    /** Nothing comes, not even a PING, before it has returned. */
    @Test
    void aPollWithATimeReturnsWithoutBytes() throws Exception {
        CountDownLatch polled = new CountDownLatch(1);
        List<String> got = new ArrayList<>();
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(welcome(1));
                    polled.await();
                    client.send(message(1, "a"));
                    client.drain();
                });
                RelaySubscriber subscriber = RelaySubscriber.connect(
                        SubscriberOptions.builder(relay.endpoint()).build())) {
            while (subscriber.next() == 0) {
                assertThat(subscriber.poll((sequence, type, body) -> {}, Duration.ofMillis(5)))
                        .isZero();
            }
            for (Duration atMost : List.of(Duration.ofMillis(20), Duration.ZERO)) {
                assertThat(subscriber.poll((sequence, type, body) -> {}, atMost))
                        .isZero();
            }
            polled.countDown();
            while (got.isEmpty()) {
                subscriber.poll((sequence, type, body) -> got.add("" + sequence), Duration.ofDays(1));
            }
            assertThat(got).containsExactly("1");
        }
    }

    /** The handler waits for the relay, which waits for signs of life. */
    @Test
    void aHandlerThatTakesLongOverTheFirstReadKeepsTheConnection() throws Exception {
        CountDownLatch alive = new CountDownLatch(1);
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(Frames.joined(welcome(1), message(1, "a")));
                    assertThat(PongFrame.id(client.expect(ControlFrames.PONG))).isZero();
                    alive.countDown();
                    client.drain();
                });
                SubscriberRun run = SubscriberRun.of(relay.endpoint())) {
            while (run.messages.isEmpty()) {
                run.subscriber.poll((sequence, type, body) -> {
                    try {
                        assertThat(alive.await(120, TimeUnit.SECONDS)).isTrue();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                    run.messages.add("" + sequence);
                });
            }
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

    /** Little-endian bodies are common; the frames behind them, and the next body, are read as ever. */
    @Test
    void whatAHandlerDoesToItsBodyStaysWithIt() throws Exception {
        List<ByteOrder> orders = new ArrayList<>();
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(Frames.joined(
                            welcome(1), message(1, "a"), gap(2, 4, GapReason.SLOW), ping(1, 5, 4), message(1, "b")));
                    client.drain();
                });
                SubscriberRun run =
                        SubscriberRun.of(relay.endpoint(), options -> options.reconnect(ReconnectPolicy.none()))) {
            while (run.messages.size() < 2) {
                poll(run, (sequence, type, body) -> {
                    run.messages.add("" + sequence);
                    orders.add(body.order());
                    body.order(ByteOrder.LITTLE_ENDIAN).position(body.limit());
                });
            }
            assertThat(run.messages).containsExactly("1", "5");
            assertThat(orders).containsOnly(ByteOrder.BIG_ENDIAN);
            assertThat(run.gaps).containsExactly(new Gap(2, 4, GapReason.SLOW.code()));
        }
    }

    /** It would be handed the frames of the read that is under way once more. */
    @Test
    void aHandlerCannotPoll() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(Frames.joined(welcome(1), message(1, "a"), message(1, "b")));
                    client.send(message(1, "c"));
                });
                SubscriberRun run =
                        SubscriberRun.of(relay.endpoint(), options -> options.reconnect(ReconnectPolicy.none()))) {
            assertThatThrownBy(() -> run.subscriber.run((sequence, type, body) -> poll(run, (s, t, b) -> {})))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    /** Whoever is interrupted wants to end; polling may go on after it all the same. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anInterruptEndsAPollThatWaits(boolean connected) throws Exception {
        Script first = client -> {
            client.hello();
            client.send(welcome(1), message(1, "a"));
            client.drain();
        };
        Script second = client -> {
            assertThat(client.hello().number()).isEqualTo(2);
            client.send(welcome(2), message(1, "b"));
            client.drain();
        };
        try (ScriptedRelay relay = connected ? ScriptedRelay.of(first, second) : ScriptedRelay.of();
                SubscriberRun run = SubscriberRun.of(
                        relay.endpoint(),
                        options -> options.reconnect(
                                ReconnectPolicy.endless().withDelays(Duration.ofHours(1), Duration.ofHours(1))))) {
            if (connected) {
                run.untilMessages(1);
            } else {
                run.untilEvent(SessionEvent.Lost.class);
            }
            CompletableFuture<Boolean> polling = new CompletableFuture<>();
            Thread thread = new Thread(() -> {
                try {
                    run.subscriber.run((sequence, type, body) -> {});
                } catch (ClosedByInterruptException e) {
                    polling.complete(Thread.currentThread().isInterrupted());
                } catch (IOException e) {
                    polling.completeExceptionally(e);
                }
            });
            thread.setDaemon(true);
            thread.start();
            thread.interrupt();
            assertThat(polling.get(120, TimeUnit.SECONDS))
                    .as("still interrupted")
                    .isTrue();
            thread.join();
            if (connected) {
                run.untilMessages(2);
                assertThat(run.messages).containsExactly("1:1:a", "2:1:b");
            }
        }
    }

    /** Also where it is about to connect; a subscriber that does not reconnect has not given up either. */
    @Test
    void anInterruptEndsAPollThatConnects() throws Exception {
        try (ScriptedRelay silent = ScriptedRelay.tcp();
                SubscriberRun run =
                        SubscriberRun.of(silent.endpoint(), options -> options.reconnect(ReconnectPolicy.none()))) {
            for (int i = 0; i < 2; i++) {
                Thread.currentThread().interrupt();
                assertThatThrownBy(() -> run.subscriber.poll((sequence, type, body) -> {}))
                        .isInstanceOf(ClosedByInterruptException.class);
                assertThat(Thread.interrupted()).as("still interrupted").isTrue();
            }
            assertThat(run.events(SessionEvent.GaveUp.class)).isEmpty();
        }
    }

    @Test
    void anInterruptEndsAPollWithinATlsHandshake() throws Exception {
        try (ScriptedRelay silent = ScriptedRelay.tcp();
                SubscriberRun run = SubscriberRun.of(silent.endpoint(), options -> options.tls(TlsOptions.system())
                        .connectTimeout(Duration.ofMinutes(10)))) {
            CompletableFuture<Throwable> polling = new CompletableFuture<>();
            Thread thread = new Thread(() -> {
                try {
                    run.subscriber.poll((sequence, type, body) -> {});
                } catch (Throwable e) {
                    polling.complete(e);
                }
            });
            thread.setDaemon(true);
            thread.start();
            try (SocketChannel accepted = silent.accept().channel()) {
                // What it says first: it waits for the answer now, or is about to.
                accepted.read(ByteBuffer.allocate(1));
                thread.interrupt();
                assertThat(polling.get(120, TimeUnit.SECONDS)).isInstanceOf(ClosedByInterruptException.class);
            }
        }
    }

    /** A plain one cannot resume: one that does not reconnect ends, and says why. */
    @Test
    void anInterruptedPlainSubscriberSaysWhyItGaveUp() throws Exception {
        try (ScriptedRelay silent = ScriptedRelay.tcp();
                RelaySubscriber subscriber = RelaySubscriber.connect(silent.endpoint())) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> subscriber.poll((sequence, type, body) -> {}))
                    .isInstanceOf(ClosedByInterruptException.class);
            assertThat(Thread.interrupted()).as("still interrupted").isTrue();
            assertThatThrownBy(() -> subscriber.poll((sequence, type, body) -> {}))
                    .hasMessageContaining("ClosedByInterruptException");
        }
    }

    private static boolean poll(SubscriberRun run, MessageHandler handler) {
        try {
            return run.subscriber.poll(handler) >= 0;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void withoutHelloItSaysNothingAndTellsThatItMissedSomething() throws Exception {
        Script plain = client -> {
            client.send(message(1, "a"), Frames.frame(0x8000007F), message(2, "b"));
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
        int together = 2_000;
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(welcome(1));
                    // Many at once: how often a slow machine has to wait for more is no matter of the messages.
                    ByteBuffer message = message(1, "0123456789");
                    ByteBuffer many = ByteBuffer.allocate(together * message.remaining());
                    while (many.hasRemaining()) {
                        many.put(message.rewind());
                    }
                    for (int i = 0; i < 2 * count; i += together) {
                        client.send(many.rewind());
                    }
                    client.drain();
                });
                RelaySubscriber subscriber = RelaySubscriber.open(
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
        assertThatThrownBy(() -> SubscriberOptions.builder(endpoint).heartbeat(Duration.ofMillis(99)))
                .hasMessageContaining("99 ms is not within 100..3600000");
        assertThatThrownBy(() -> SubscriberOptions.builder(endpoint).heartbeat(ChronoUnit.FOREVER.getDuration()))
                .hasMessageContaining("9223372036854775807 ms is not within 100..3600000");
        for (Duration wrong : List.of(Duration.ZERO, Duration.ofMillis(9), Duration.ofMillis(3_600_001))) {
            assertThatThrownBy(() -> SubscriberOptions.builder(endpoint).interval(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("interval of " + wrong.toMillis() + " ms is not within 10..3600000");
        }
        for (Instant time : List.of(Instant.MIN, Instant.EPOCH, Instant.MAX)) {
            assertThatThrownBy(() -> SubscriberOptions.builder(endpoint).fromTime(time))
                    .hasMessageContaining("first time " + time + " is not within 1970-01-01T00:00:00.001Z..");
        }
    }

    /** Where it is given, and not when it is needed first: then a message would be lost with it. */
    @Test
    void nothingIsNoOption() throws Exception {
        SubscriberOptions.Builder options = SubscriberOptions.builder(Endpoint.tcp("127.0.0.1", 1));
        assertThatNullPointerException().isThrownBy(() -> options.onGap(null));
        assertThatNullPointerException().isThrownBy(() -> options.onEvent(null));
        assertThatNullPointerException().isThrownBy(() -> options.token((Token) null));
        assertThatNullPointerException().isThrownBy(() -> options.policy(null));
        assertThatNullPointerException().isThrownBy(() -> options.reconnect(null));
        assertThatNullPointerException().isThrownBy(() -> Endpoint.tcp(null, 1));
        assertThatNullPointerException().isThrownBy(() -> Endpoint.unix(null));
        assertThatNullPointerException().isThrownBy(() -> TlsOptions.trusting(null));
        assertThatNullPointerException().isThrownBy(() -> TlsOptions.system().showing(null, Path.of("key")));
        try (RelaySubscriber subscriber = RelaySubscriber.open(options.build())) {
            assertThatNullPointerException().isThrownBy(() -> subscriber.types(null));
            assertThatNullPointerException().isThrownBy(() -> subscriber.poll(null));
        }
    }
}
