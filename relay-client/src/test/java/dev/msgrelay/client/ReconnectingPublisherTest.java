package dev.msgrelay.client;

import static dev.msgrelay.client.Frames.EPOCH;
import static dev.msgrelay.client.Frames.ack;
import static dev.msgrelay.client.Frames.ping;
import static dev.msgrelay.client.Frames.welcome;
import static dev.msgrelay.client.Frames.welcomePublisher;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.msgrelay.client.ScriptedRelay.Frame;
import dev.msgrelay.client.ScriptedRelay.Peer;
import dev.msgrelay.client.ScriptedRelay.Script;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.PongFrame;
import dev.msgrelay.protocol.WelcomeFrame;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A publisher with acknowledgements, and one without, with a relay that fails at each point. */
@SuppressWarnings("try") // closing early is what is tested
class ReconnectingPublisherTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(100);

    private final List<SessionEvent> events = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch gaveUp = new CountDownLatch(1);
    private final List<String> acks = Collections.synchronizedList(new ArrayList<>());
    private final List<String> got = Collections.synchronizedList(new ArrayList<>());

    @Test
    void numbersGoOnBehindWhatTheRelayHasAccepted() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(welcomePublisher(41));
                    take(client, 2);
                    client.send(ack(43, 100));
                    client.drain();
                });
                ReconnectingPublisher publisher = open(acked(relay))) {
            publish(publisher, "a", "b");
            assertThat(publisher.awaitAcked(LONG)).isTrue();
            assertThat(relay.hellos())
                    .containsExactly(HelloFrame.publisher()
                            .name("orders")
                            .features(Features.ACKS)
                            .build());
            assertThat(got).containsExactly("1:a", "1:b");
            assertThat(acks).containsExactly("43@100");
            assertThat(publisher.firstNumber()).isEqualTo(42);
            assertThat(publisher.acked()).isEqualTo(2);
            assertThat(publisher.ackedBytes()).isEqualTo(18);
            publisher.close();
            assertThat(publisher.failure()).isEmpty();
        }
    }

    @Test
    void sendsNothingBeforeWelcome() throws Exception {
        CountDownLatch published = new CountDownLatch(1);
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    published.await();
                    client.channel().configureBlocking(false);
                    assertThat(client.channel().read(ByteBuffer.allocate(1))).isZero();
                    client.channel().configureBlocking(true);
                    client.send(welcomePublisher(0));
                    take(client, 1);
                    client.send(ack(1, 1));
                    client.drain();
                });
                ReconnectingPublisher publisher = open(acked(relay))) {
            publish(publisher, "early");
            published.countDown();
            assertThat(publisher.awaitAcked(LONG)).isTrue();
            publisher.close();
            relay.await();
        }
    }

    @Test
    void afterACutExactlyTheRestIsSentAgain() throws Exception {
        Script partly = client -> {
            client.hello();
            client.send(welcomePublisher(0));
            take(client, 4);
            client.send(ack(2, 12));
        };
        // It had taken 3 as well, and could not say so.
        Script rest = client -> {
            HelloFrame hello = client.hello();
            assertThat(hello.number()).isEqualTo(3);
            assertThat(hello.epoch()).isEqualTo(EPOCH);
            // The first message is counted as HELLO's number, whatever was accepted before.
            client.send(welcomePublisher(3));
            take(client, 2);
            client.send(ack(4, 14));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(partly, rest);
                ReconnectingPublisher publisher = open(acked(relay))) {
            publish(publisher, "a", "b", "c", "d");
            assertThat(publisher.awaitAcked(LONG)).isTrue();
            publisher.close();
            relay.await();
            assertThat(got).containsExactly("1:a", "1:b", "1:c", "1:d", "1:c", "1:d");
            assertThat(acks).containsExactly("2@12", "3@0", "4@14");
        }
    }

    /** What a WELCOME settles needs no ACK any more, also when the connection is lost before it is sent once more. */
    @Test
    void whatWasAcceptedIsNotSentToARestartedRelay() throws Exception {
        Script takes = client -> {
            client.hello();
            client.send(welcomePublisher(0));
            take(client, 3);
        };
        Script settles = client -> {
            assertThat(client.hello().number()).isEqualTo(1);
            client.send(welcomePublisher(2));
        };
        Script restarted = client -> {
            assertThat(client.hello().number()).isEqualTo(3);
            client.send(welcome(EPOCH + 1, WelcomeFrame.EPOCH_CHANGED, 1, 0, Frames.LONG_IDLE));
            take(client, 1);
            client.send(ack(3, 1));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(takes, settles, restarted);
                ReconnectingPublisher publisher = open(acked(relay))) {
            publish(publisher, "a", "b", "c");
            assertThat(publisher.awaitAcked(LONG)).isTrue();
            publisher.close();
            relay.await();
            assertThat(got).containsExactly("1:a", "1:b", "1:c", "1:c");
            assertThat(acks).containsExactly("2@0", "3@1");
        }
    }

    @Test
    void worksOverAUnixSocketToo(@TempDir Path directory) throws Exception {
        Script cuts = client -> {
            client.hello();
            client.send(welcomePublisher(0));
            take(client, 1);
        };
        try (ScriptedRelay relay = ScriptedRelay.unix(directory, cuts, this::serveOne);
                ReconnectingPublisher publisher = open(acked(relay))) {
            publish(publisher, "a");
            assertThat(publisher.awaitAcked(LONG)).isTrue();
            assertThat(got).containsExactly("1:a", "1:a");
        }
    }

    @Test
    void duplicateAndOlderAcksDoNoHarm() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(welcomePublisher(0));
                    take(client, 2);
                    client.send(ack(1, 1), ack(1, 1), ack(2, 2), ack(1, 1), ack(2, 2));
                    take(client, 1);
                    client.send(ack(3, 3));
                    client.drain();
                });
                ReconnectingPublisher publisher = open(acked(relay))) {
            publish(publisher, "a", "b");
            assertThat(publisher.awaitAcked(LONG)).isTrue();
            publish(publisher, "c");
            assertThat(publisher.awaitAcked(LONG)).isTrue();
            publisher.close();
            relay.await();
            assertThat(acks).containsExactly("1@1", "2@2", "3@3");
            assertThat(events(SessionEvent.Lost.class)).isEmpty();
        }
    }

    @Test
    void anAckOfWhatWasNotSentIsAFaultThatTheRelayIsTold() throws Exception {
        Script wrong = client -> {
            client.hello();
            client.send(welcomePublisher(0));
            take(client, 1);
            client.send(ack(2, 2));
            assertThat(ErrorFrame.text(client.expect(ControlFrames.ERROR))).contains("message 2, which was not sent");
        };
        Script right = client -> {
            assertThat(client.hello().number()).isEqualTo(1);
            client.send(welcomePublisher(0));
            take(client, 1);
            client.send(ack(1, 1));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(wrong, right);
                ReconnectingPublisher publisher = open(acked(relay))) {
            publish(publisher, "a");
            assertThat(publisher.awaitAcked(LONG)).isTrue();
            publisher.close();
            relay.await();
        }
    }

    @Test
    void aRestartedRelayGetsWhatItHadNotAcknowledged() throws Exception {
        Script first = client -> {
            client.hello();
            client.send(welcomePublisher(0));
            take(client, 3);
            client.send(ack(1, 1));
        };
        Script restarted = client -> {
            HelloFrame hello = client.hello();
            assertThat(hello.number()).isEqualTo(2);
            client.send(welcome(EPOCH + 1, WelcomeFrame.EPOCH_CHANGED, 1, 0, Frames.LONG_IDLE));
            take(client, 2);
            client.send(ack(3, 2));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(first, restarted);
                ReconnectingPublisher publisher = open(acked(relay))) {
            publish(publisher, "a", "b", "c");
            assertThat(publisher.awaitAcked(LONG)).isTrue();
            publisher.close();
            relay.await();
            assertThat(got).containsExactly("1:a", "1:b", "1:c", "1:b", "1:c");
            assertThat(events(SessionEvent.RelayRestarted.class))
                    .containsExactly(new SessionEvent.RelayRestarted(relay.endpoint(), EPOCH, EPOCH + 1, 2));
        }
    }

    @Test
    void afterGoAwayItSendsNothingMoreHearsTheLastAckAndGoesToTheNextAddress() throws Exception {
        CountDownLatch leaving = new CountDownLatch(1);
        CountDownLatch published = new CountDownLatch(1);
        Script leaves = client -> {
            client.hello();
            client.send(welcomePublisher(0));
            take(client, 1);
            client.send(Frames.goAway());
            published.await();
            client.channel().configureBlocking(false);
            assertThat(client.channel().read(ByteBuffer.allocate(1))).isZero();
            client.channel().configureBlocking(true);
            client.send(ack(1, 1), ErrorFrame.encode(CloseReason.SHUTDOWN, ""));
        };
        Script takesOver = client -> {
            assertThat(client.hello().number()).isEqualTo(2);
            client.send(welcomePublisher(1));
            take(client, 1);
            client.send(ack(2, 2));
            client.drain();
        };
        try (ScriptedRelay one = ScriptedRelay.of(leaves, leaves);
                ScriptedRelay other = ScriptedRelay.of(takesOver);
                ReconnectingPublisher publisher = open(PublisherOptions.builder(one.endpoint(), other.endpoint())
                        .acks("orders")
                        .onEvent(event -> {
                            events.add(event);
                            if (event instanceof SessionEvent.GoingAway) {
                                leaving.countDown();
                            }
                        }))) {
            publish(publisher, "a");
            assertThat(leaving.await(20, TimeUnit.SECONDS)).isTrue();
            publish(publisher, "b");
            published.countDown();
            assertThat(publisher.awaitAcked(LONG)).isTrue();
            publisher.close();
            other.await();
            assertThat(got).containsExactly("1:a", "1:b");
            assertThat(one.hellos()).hasSize(1);
        }
    }

    static IntStream bytesOfWelcome() {
        return IntStream.range(0, welcomePublisher(0).remaining());
    }

    @ParameterizedTest
    @MethodSource("bytesOfWelcome")
    void aWelcomeCutShortIsTriedAgain(int bytes) throws Exception {
        Script cut = client -> {
            client.hello();
            client.send(welcomePublisher(0).limit(bytes));
        };
        try (ScriptedRelay relay = ScriptedRelay.of(cut, this::serveOne);
                ReconnectingPublisher publisher = open(acked(relay))) {
            publish(publisher, "a");
            assertThat(publisher.awaitAcked(LONG)).isTrue();
            assertThat(got).containsExactly("1:a");
        }
    }

    @Test
    void aRelayThatNeverAnswersIsGivenUpInTime() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(Peer::drain, this::serveOne);
                ReconnectingPublisher publisher = open(acked(relay).handshakeTimeout(SHORT))) {
            publish(publisher, "a");
            assertThat(publisher.awaitAcked(LONG)).isTrue();
            assertThat(events(SessionEvent.Lost.class).get(0).text()).startsWith("no WELCOME from");
        }
    }

    @Test
    void aRelayThatFallsSilentIsGivenUp() throws Exception {
        Script silent = client -> {
            client.hello();
            client.send(welcome(EPOCH, 0, 1, 0, 100));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(silent, this::serveOne);
                ReconnectingPublisher publisher = open(acked(relay))) {
            publish(publisher, "a");
            assertThat(publisher.awaitAcked(LONG)).isTrue();
            assertThat(events(SessionEvent.Lost.class).get(0).text()).contains("for 100 ms");
        }
    }

    @Test
    void aRelayThatKnowsNoHelloIsNamedAtOnce() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(ErrorFrame.encode(CloseReason.RESERVED_TYPE, "type 0x80000001"));
                });
                ReconnectingPublisher publisher = open(acked(relay))) {
            assertThat(failure(publisher))
                    .isInstanceOf(RelayUnsuitableException.class)
                    .hasMessageContaining("knows no HELLO");
        }
    }

    @Test
    void aRelayWithoutAcksIsNamed() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(Frames.bareWelcome(1));
                    client.drain();
                });
                ReconnectingPublisher publisher = open(acked(relay))) {
            assertThat(failure(publisher))
                    .isInstanceOf(RelayUnsuitableException.class)
                    .hasMessageContaining("grants no acknowledgements");
        }
    }

    @ParameterizedTest
    @EnumSource(CloseReason.class)
    void eachErrorIsTakenAsTheProtocolSays(CloseReason reason) throws Exception {
        Script error = client -> {
            client.hello();
            client.send(welcomePublisher(0), ErrorFrame.encode(reason, "so it is"));
        };
        try (ScriptedRelay relay = ScriptedRelay.of(error, this::serveOne);
                ReconnectingPublisher publisher = open(acked(relay))) {
            if (RetryAdviceTest.STOP.contains(reason)) {
                assertThat(failure(publisher))
                        .isInstanceOfSatisfying(RelayErrorException.class, e -> assertThat(e.reason())
                                .isSameAs(reason));
            } else {
                publish(publisher, "a");
                assertThat(publisher.awaitAcked(LONG)).isTrue();
            }
        }
    }

    static List<ByteBuffer> wrong() {
        return List.of(
                PlainServer.frame(1, (byte) 1),
                Frames.sequence(1),
                welcomePublisher(0),
                ack(0, 0),
                ByteBuffer.allocate(8).putInt(4, -1),
                PlainServer.frame(ControlFrames.ACK, new byte[3]));
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void whatBreaksTheProtocolIsGivenUpAfterAFewTries(ByteBuffer wrong) throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.repeating(client -> {
                    client.hello();
                    client.send(welcomePublisher(0), wrong.duplicate());
                });
                ReconnectingPublisher publisher = open(acked(relay))) {
            failure(publisher);
            assertThat(relay.hellos()).hasSize(Backoff.FEW + 1);
        }
    }

    /** The answer stands between two messages, also while the stream is busy. */
    @Test
    void answersPingBetweenTwoMessages() throws Exception {
        int pings = 50;
        CountDownLatch answered = new CountDownLatch(1);
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(welcomePublisher(0));
                    long pongs = 0;
                    long messages = 0;
                    while (pongs < pings) {
                        Frame frame = client.next();
                        if (frame.type() == ControlFrames.PONG) {
                            assertThat(PongFrame.id(frame.body())).isEqualTo(pongs++);
                            continue;
                        }
                        assertThat(frame.body().remaining()).isEqualTo(1000);
                        messages++;
                        if (messages % 100 == 0) {
                            client.send(ack(messages, messages));
                        }
                        if (messages % 300 == 0 && messages / 300 <= pings) {
                            client.send(ping(messages / 300 - 1, 0, 0));
                        }
                    }
                    answered.countDown();
                    client.drain();
                });
                ReconnectingPublisher publisher =
                        open(acked(relay).connection(PublisherConfig.defaults().withCloseTimeout(SHORT)))) {
            ByteBuffer body = ByteBuffer.allocate(1000);
            while (answered.getCount() > 0) {
                // Full for good once the relay has its last answer and acknowledges no more.
                assertThat(publisher.publish(1, body, SHORT)).isNotSameAs(PublishOutcome.CLOSED);
            }
            assertThat(events(SessionEvent.Lost.class)).isEmpty();
        }
    }

    @Test
    void refusesWhenFullOfWhatIsNotAcknowledged() throws Exception {
        CountDownLatch full = new CountDownLatch(1);
        PublisherConfig small = new PublisherConfig(40, 32, LONG, LONG);
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(welcomePublisher(0));
                    take(client, 4);
                    full.await();
                    client.send(ack(1, 1));
                    take(client, 1);
                    client.send(ack(5, 5));
                    client.drain();
                });
                ReconnectingPublisher publisher = open(acked(relay).connection(small))) {
            publish(publisher, "12", "12", "12", "12");
            assertThat(publisher.publish(1, bytes("12"))).isSameAs(PublishOutcome.FULL);
            assertThat(publisher.publish(1, bytes("12"), SHORT)).isSameAs(PublishOutcome.FULL);
            full.countDown();
            publish(publisher, "12");
            assertThat(publisher.awaitAcked(LONG)).isTrue();
            publisher.close();
            relay.await();
        }
    }

    @Test
    void closeIsBoundedAndSaysHowManyAreNotAcknowledged() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(welcomePublisher(0));
                    take(client, 1);
                    client.send(ack(1, 1));
                    client.drain();
                });
                ReconnectingPublisher publisher = open(
                        acked(relay).connection(PublisherConfig.defaults().withCloseTimeout(Duration.ofMillis(500))))) {
            publish(publisher, "a");
            assertThat(publisher.awaitAcked(LONG)).isTrue();
            publish(publisher, "b", "c");
            long start = System.nanoTime();
            assertThat(publisher.awaitAcked(SHORT)).isFalse();
            publisher.close();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
            assertThat(publisher.failure().orElseThrow())
                    .hasMessage("closed with 2 messages not acknowledged: 500 ms were over");
        }
    }

    @Test
    void closeWaitsForTheAcksOverAnotherConnectionIfNeedBe() throws Exception {
        Script cuts = client -> {
            client.hello();
            client.send(welcomePublisher(0));
            take(client, 1);
        };
        try (ScriptedRelay relay = ScriptedRelay.of(cuts, this::serveOne)) {
            ReconnectingPublisher publisher = open(acked(relay));
            publish(publisher, "a");
            publisher.close();
            assertThat(publisher.failure()).isEmpty();
            assertThat(publisher.acked()).isEqualTo(1);
            assertThat(publisher.publish(1, bytes("b"))).isSameAs(PublishOutcome.CLOSED);
            assertThat(relay.hellos()).hasSize(2);
        }
    }

    @Test
    void withoutAcksItTellsWhatIsInDoubt() throws Exception {
        Script takesTwo = client -> {
            assertThat(client.hello().wants(Features.ACKS)).isFalse();
            client.send(Frames.bareWelcome(1));
            take(client, 2);
        };
        CountDownLatch again = new CountDownLatch(1);
        Script takesOne = client -> {
            client.hello();
            client.send(Frames.bareWelcome(1));
            again.countDown();
            take(client, 1);
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(takesTwo, takesOne);
                ReconnectingPublisher publisher =
                        open(PublisherOptions.builder(relay.endpoint()).onEvent(this::note))) {
            publish(publisher, "a", "b");
            assertThat(again.await(20, TimeUnit.SECONDS)).isTrue();
            publish(publisher, "c");
            assertThat(publisher.awaitAcked(LONG)).isTrue();
            publisher.close();
            relay.await();
            assertThat(got).containsExactly("1:a", "1:b", "1:c");
            assertThat(events(SessionEvent.InDoubt.class))
                    .containsExactly(new SessionEvent.InDoubt(relay.endpoint(), 2, 18));
            assertThat(publisher.failure()).isEmpty();
            assertThat(publisher.firstNumber()).isZero();
        }
    }

    @Test
    void withoutHelloItSendsNothingButMessages() throws Exception {
        Script plain = client -> {
            take(client, 2);
            assertThat(client.next()).isNull();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(plain);
                ReconnectingPublisher publisher =
                        open(PublisherOptions.builder(relay.endpoint()).plain().onEvent(this::note))) {
            publish(publisher, "a", "b");
            publisher.close();
            relay.await();
            assertThat(got).containsExactly("1:a", "1:b");
            assertThat(publisher.failure()).isEmpty();
            assertThat(events(SessionEvent.ConnectedPlain.class)).hasSize(1);
        }
    }

    @Test
    void theRelaysLimitOfBodiesHoldsOnceItIsKnown() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(this::serveOne);
                ReconnectingPublisher publisher =
                        open(acked(relay).connection(PublisherConfig.defaults().withMaxBody(2 << 20)))) {
            publish(publisher, "a");
            assertThat(publisher.awaitAcked(LONG)).isTrue();
            assertThatThrownBy(() -> publisher.publish(1, ByteBuffer.allocate((1 << 20) + 1)))
                    .hasMessageContaining("over the limit of 1048576");
            assertThatThrownBy(() -> publisher.publish(ControlFrames.PING, bytes("")))
                    .hasMessageContaining("is reserved");
        }
    }

    @Test
    void givesUpAfterTheRoundsThatItWasTold() throws Exception {
        Endpoint gone;
        try (PlainServer server = PlainServer.tcp()) {
            gone = server.endpoint();
        }
        try (ReconnectingPublisher publisher = ReconnectingPublisher.open(PublisherOptions.builder(gone, gone)
                .acks("orders")
                .onEvent(this::note)
                .reconnect(
                        new ReconnectPolicy(2, SubscriberRun.QUICK.firstDelay(), SubscriberRun.QUICK.longestDelay(), 0))
                .build())) {
            publisher.publish(1, bytes("kept"));
            assertThat(failure(publisher)).hasMessageContaining("Connection refused");
            assertThat(events(SessionEvent.Connecting.class)).hasSize(6);
            assertThat(publisher.awaitAcked(LONG)).isFalse();
        }
    }

    @Test
    void publishingAllocatesNothing() throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int count = 50_000;
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(welcomePublisher(0));
                    long[] messages = new long[1];
                    ByteBuffer ack = ack(1, 1);
                    PlainServer.readAll(client.channel(), (type, body) -> {
                        if (++messages[0] % 1000 == 0) {
                            ack.putLong(8, messages[0]);
                            sendQuietly(client, ack.rewind());
                        }
                    });
                });
                ReconnectingPublisher publisher = open(acked(relay))) {
            ByteBuffer body = ByteBuffer.allocateDirect(100);
            publishMany(publisher, body, 2000);
            long before = threads.getCurrentThreadAllocatedBytes();
            publishMany(publisher, body, count);
            long allocated = threads.getCurrentThreadAllocatedBytes() - before;
            assertThat(allocated).as("bytes for %d messages", count).isLessThan(count);
            assertThat(publisher.awaitAcked(LONG)).isTrue();
        }
    }

    @Test
    void optionsThatCannotWorkAreNamed() {
        Endpoint endpoint = Endpoint.tcp("127.0.0.1", 1);
        assertThatThrownBy(() -> PublisherOptions.builder(endpoint).acks("").build())
                .hasMessageContaining("length of name, needed for ACKS");
        assertThatThrownBy(() ->
                        PublisherOptions.builder(endpoint).plain().acks("x").build())
                .hasMessageContaining("plain mode");
    }

    /** Takes one message and acknowledges it. */
    private void serveOne(Peer client) throws IOException {
        client.hello();
        client.send(welcomePublisher(0));
        take(client, 1);
        client.send(ack(1, 1));
        client.drain();
    }

    private void take(Peer client, int messages) throws IOException {
        for (int i = 0; i < messages; i++) {
            Frame frame = client.next();
            got.add(frame.type() + ":" + new String(PlainServer.copy(frame.body()), UTF_8));
        }
    }

    private PublisherOptions.Builder acked(ScriptedRelay relay) {
        return PublisherOptions.builder(relay.endpoint())
                .acks("orders")
                .onAck((number, sequence) -> acks.add(number + "@" + sequence))
                .onEvent(this::note);
    }

    private static ReconnectingPublisher open(PublisherOptions.Builder options) throws IOException {
        return ReconnectingPublisher.open(options.reconnect(SubscriberRun.QUICK).build());
    }

    private static void publish(ReconnectingPublisher publisher, String... bodies) throws InterruptedException {
        for (String body : bodies) {
            assertThat(publisher.publish(1, bytes(body), LONG)).isSameAs(PublishOutcome.ACCEPTED);
        }
    }

    private static void publishMany(ReconnectingPublisher publisher, ByteBuffer body, int messages) {
        for (int i = 0; i < messages; i++) {
            while (publisher.publish(1, body) == PublishOutcome.FULL) {
                Thread.onSpinWait();
            }
        }
    }

    /** Waits until the publisher has given up. It publishes nothing meanwhile: a reset would overtake what it is told. */
    private IOException failure(ReconnectingPublisher publisher) throws InterruptedException {
        assertThat(gaveUp.await(LONG.toSeconds(), TimeUnit.SECONDS))
                .as("gave up in time: %s", events)
                .isTrue();
        assertThat(publisher.publish(1, bytes("refused"))).isSameAs(PublishOutcome.CLOSED);
        return publisher.failure().orElseThrow();
    }

    private void note(SessionEvent event) {
        events.add(event);
        if (event instanceof SessionEvent.GaveUp) {
            gaveUp.countDown();
        }
    }

    private <T extends SessionEvent> List<T> events(Class<T> type) {
        return List.copyOf(events).stream()
                .filter(type::isInstance)
                .map(type::cast)
                .toList();
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(UTF_8));
    }

    private static void sendQuietly(Peer client, ByteBuffer frame) {
        try {
            client.send(frame);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
