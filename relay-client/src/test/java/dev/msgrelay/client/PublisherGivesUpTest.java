package dev.msgrelay.client;

import static dev.msgrelay.client.Frames.welcomePublisher;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.GoAwayFrame;
import dev.msgrelay.protocol.text.PrintableText;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import dev.msgrelay.testing.scripted.ScriptedRelay.Script;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a publisher with acknowledgements makes of relays that fail, are silent or break the protocol. */
@SuppressWarnings("try") // closing early is what is tested
class PublisherGivesUpTest extends ScriptedPublishing {
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

    /** In the README's way: flush throws within try, and close is called behind it. */
    @Test
    void aStackTraceHasEachReasonOnce() throws Exception {
        CountDownLatch published = new CountDownLatch(1);
        Script refuses = client -> {
            client.hello();
            published.await();
            client.send(ErrorFrame.encode(CloseReason.NOT_PERMITTED, "type 1"));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(refuses)) {
            PublishException end = catchThrowableOfType(PublishException.class, () -> {
                try (RelayPublisher publisher = open(acked(relay).handshakeTimeout(LONG))) {
                    publish(publisher, "a");
                    published.countDown();
                    publisher.flush(LONG);
                }
            });
            StringWriter trace = new StringWriter();
            end.printStackTrace(new PrintWriter(trace));
            assertThat(end.getSuppressed()).isEmpty();
            assertThat(trace.toString().lines().filter(line -> line.endsWith("type 1")))
                    .as("itself and its cause: %s", trace)
                    .hasSize(2);
        }
    }

    /** A flush and a close that are over in time have the same last failure to connect as their reason. */
    @Test
    void aFlushAndACloseInVainHaveTheirReasonOnce() throws Exception {
        try (ScriptedRelay nobody = ScriptedRelay.of()) {
            nobody.await();
            CountDownLatch tried = new CountDownLatch(1);
            PublishException end = catchThrowableOfType(PublishException.class, () -> {
                try (RelayPublisher publisher = RelayPublisher.open(acked(nobody)
                        .closeTimeout(SHORT)
                        .reconnect(ReconnectPolicy.endless().withDelays(LONG, LONG))
                        .onEvent(event -> {
                            if (event instanceof SessionEvent.Lost) {
                                tried.countDown();
                            }
                        })
                        .build())) {
                    publish(publisher, "a");
                    assertThat(tried.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
                    publisher.flush(SHORT);
                }
            });
            StringWriter trace = new StringWriter();
            end.printStackTrace(new PrintWriter(trace));
            assertThat(trace.toString()).contains("Suppressed: ").doesNotContain("CIRCULAR");
            assertThat(end.getSuppressed()[0]).hasMessageContaining("cannot connect to " + nobody.endpoint());
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

    /** The interrupt comes between two tries. */
    @Test
    void anInterruptBetweenTwoTriesIsNamed() throws Exception {
        try (ScriptedRelay nobody = ScriptedRelay.of()) {
            nobody.await();
            assertThatThrownBy(() -> RelayPublisher.connect(acked(nobody)
                            .reconnect(ReconnectPolicy.endless().withDelays(LONG, LONG))
                            .onEvent(event -> {
                                if (event instanceof SessionEvent.Lost) {
                                    Thread.currentThread().interrupt();
                                }
                            })
                            .build()))
                    .isInstanceOf(InterruptedIOException.class)
                    .hasMessageStartingWith("interrupted: cannot connect to ");
            assertThat(Thread.interrupted()).isTrue();
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
}
