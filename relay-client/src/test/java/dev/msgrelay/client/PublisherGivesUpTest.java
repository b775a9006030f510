package dev.msgrelay.client;

import static dev.msgrelay.client.Frames.EPOCH;
import static dev.msgrelay.client.Frames.ack;
import static dev.msgrelay.client.Frames.welcome;
import static dev.msgrelay.client.Frames.welcomePublisher;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.GoAwayFrame;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.protocol.text.PrintableText;
import dev.msgrelay.testing.scripted.Peer;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import dev.msgrelay.testing.scripted.ScriptedRelay.Script;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What a publisher with acknowledgements makes of relays that fail, are silent or break the protocol. */
@SuppressWarnings("try") // closing early is what is tested
class PublisherGivesUpTest extends ScriptedPublishing {
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
                RelayPublisher publisher = open(acked(relay))) {
            settle(publisher, "a");
            assertThat(got).containsExactly("1:a");
        }
    }

    @Test
    void aRelayThatNeverAnswersIsGivenUpInTime() throws Exception {
        // A good answer may come too late as well, where the machine is busy.
        try (ScriptedRelay relay = ScriptedRelay.repeating(Peer::drain, this::serveOne);
                RelayPublisher publisher = open(acked(relay).handshakeTimeout(SHORT))) {
            settle(publisher, "a");
            assertThat(events(SessionEvent.Lost.class).get(0).text()).startsWith("no WELCOME from");
        }
    }

    /** What it says ends in logs and on terminals. */
    @Test
    void aRelaysWordsAreOnePrintableLine() throws Exception {
        String words = "\u001b[2Jgone\r\nWARN all is lost \u202E";
        Script goes = client -> {
            client.hello();
            client.send(
                    welcomePublisher(0),
                    new GoAwayFrame(CloseReason.SHUTDOWN, 1, words).encode(),
                    ErrorFrame.encode(CloseReason.SHUTDOWN, words));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(goes, this::serveOne);
                RelayPublisher publisher = open(acked(relay))) {
            settle(publisher, "a");
            assertThat(events(SessionEvent.GoingAway.class)).hasSize(1);
            assertThat(events(SessionEvent.Lost.class)).isNotEmpty();
            assertThat(events)
                    .allSatisfy(event -> assertThat(event.text().codePoints().allMatch(PrintableText::isPrintable))
                            .as(event.text())
                            .isTrue());
        }
    }

    /** The next one would be negative. */
    @Test
    void aRelayThatHasAcceptedTheLastNumberIsAFault() throws Exception {
        Script last = client -> {
            client.hello();
            client.send(welcomePublisher(Long.MAX_VALUE));
            assertThat(ErrorFrame.code(client.expect(ControlFrames.ERROR))).isPositive();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(last, this::serveOne);
                RelayPublisher publisher = open(acked(relay))) {
            settle(publisher, "a");
            assertThat(publisher.firstNumber()).isEqualTo(1);
            assertThat(acks).containsExactly("1@1");
        }
    }

    /** The last event is that it gave up, also where nobody gets the publisher. */
    @Test
    void aConnectInVainEndsWithItsEvent() throws Exception {
        try (ScriptedRelay nobody = ScriptedRelay.of()) {
            nobody.await();
            assertThatThrownBy(() -> RelayPublisher.connect(
                            acked(nobody).reconnect(ReconnectPolicy.none()).build()))
                    .satisfies(e -> assertThat(events.get(events.size() - 1))
                            .isEqualTo(new SessionEvent.GaveUp(nobody.endpoint(), (IOException) e)));
        }
    }

    @Test
    void anInterruptEndsAConnectThatTriesForEver() throws Exception {
        try (ScriptedRelay nobody = ScriptedRelay.of()) {
            nobody.await();
            CompletableFuture<IOException> connecting = new CompletableFuture<>();
            Thread thread = new Thread(() -> {
                try {
                    RelayPublisher.connect(acked(nobody)
                                    .reconnect(ReconnectPolicy.endless().withDelays(LONG, LONG))
                                    .build())
                            .close();
                } catch (IOException e) {
                    connecting.complete(e);
                }
            });
            thread.start();
            thread.interrupt();
            assertThat(connecting.get(120, TimeUnit.SECONDS)).hasMessageContaining("nterrupt");
            thread.join();
        }
    }

    /** Interrupted for good, the publisher's thread would spin: nothing waits there any more. */
    @Test
    void theInterruptOfAListenerDoesNotStay() throws Exception {
        List<Boolean> interrupted = new CopyOnWriteArrayList<>();
        try (ScriptedRelay relay = ScriptedRelay.of(this::serveOne);
                RelayPublisher publisher = open(acked(relay)
                        .onEvent(event -> {
                            if (event instanceof SessionEvent.Connected) {
                                Thread.currentThread().interrupt();
                            }
                        })
                        .onAck((number, sequence) ->
                                interrupted.add(Thread.currentThread().isInterrupted())))) {
            settle(publisher, "a");
            assertThat(interrupted).containsExactly(false);
        }
    }

    @Test
    void aListenerThatThrowsLeavesNoConnectionBehind() throws Exception {
        try (ScriptedRelay server = ScriptedRelay.tcp()) {
            PublisherOptions options = PublisherOptions.builder(server.endpoint())
                    .plain()
                    .onEvent(event -> {
                        if (event instanceof SessionEvent.ConnectedPlain) {
                            throw new IllegalStateException("mine");
                        }
                    })
                    .build();
            assertThatThrownBy(() -> RelayPublisher.connect(options)).hasMessage("mine");
            try (SocketChannel left = server.accept().channel()) {
                assertThat(CompletableFuture.supplyAsync(() -> read(left)).get(120, TimeUnit.SECONDS))
                        .isEqualTo(-1);
            }
        }
    }

    private static int read(SocketChannel channel) {
        try {
            return channel.read(ByteBuffer.allocate(1));
        } catch (IOException e) {
            throw new AssertionError(e);
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
                RelayPublisher publisher = open(acked(relay))) {
            settle(publisher, "a");
            assertThat(events(SessionEvent.Lost.class).get(0).text()).contains("for 100 ms");
        }
    }

    @Test
    void aRelayThatKnowsNoHelloIsNamedAtOnce() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(ErrorFrame.encode(CloseReason.RESERVED_TYPE, "type 0x80000001"));
                });
                RelayPublisher publisher = open(acked(relay))) {
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
                RelayPublisher publisher = open(acked(relay))) {
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
                RelayPublisher publisher = open(acked(relay))) {
            if (RetryAdviceTest.STOP.contains(reason)) {
                assertThat(failure(publisher))
                        .isInstanceOfSatisfying(RelayErrorException.class, e -> assertThat(e.reason())
                                .isSameAs(reason));
            } else {
                settle(publisher, "a");
            }
        }
    }

    static List<ByteBuffer> wrong() {
        return List.of(
                Frames.frame(1, (byte) 1),
                Frames.sequence(1),
                welcomePublisher(0),
                ack(0, 0),
                ByteBuffer.allocate(8).putInt(4, -1),
                Frames.frame(ControlFrames.ACK, new byte[3]));
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void whatBreaksTheProtocolIsGivenUpAfterAFewTries(ByteBuffer wrong) throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.repeating(client -> {
                    client.hello();
                    client.send(welcomePublisher(0), wrong.duplicate());
                });
                RelayPublisher publisher = open(acked(relay))) {
            failure(publisher);
            assertThat(relay.hellos()).hasSize(Backoff.FEW + 1);
        }
    }

    @Test
    void givesUpAfterTheRoundsThatItWasTold() throws Exception {
        Endpoint gone;
        try (ScriptedRelay server = ScriptedRelay.tcp()) {
            gone = server.endpoint();
        }
        try (RelayPublisher publisher = RelayPublisher.open(PublisherOptions.builder(gone, gone)
                .acks("orders")
                .onEvent(this::note)
                .reconnect(
                        new ReconnectPolicy(2, SubscriberRun.QUICK.firstDelay(), SubscriberRun.QUICK.longestDelay(), 0))
                .build())) {
            publisher.publish(1, bytes("kept"));
            assertThat(failure(publisher)).hasMessageContaining("Connection refused");
            assertThat(events(SessionEvent.Connecting.class)).hasSize(6);
            assertThat(unflushed(publisher, LONG)).returns(1L, PublishException::unsettled);
        }
    }
}
