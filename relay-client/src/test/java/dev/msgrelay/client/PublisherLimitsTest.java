package dev.msgrelay.client;

import static dev.msgrelay.client.Frames.ack;
import static dev.msgrelay.client.Frames.ping;
import static dev.msgrelay.client.Frames.welcomePublisher;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.sun.management.ThreadMXBean;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.PongFrame;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.testing.scripted.Peer;
import dev.msgrelay.testing.scripted.Peer.Frame;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import dev.msgrelay.testing.scripted.ScriptedRelay.Script;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a publisher does at its limits, at its end, and without acknowledgements or HELLO. */
@SuppressWarnings("try") // closing early is what is tested
class PublisherLimitsTest extends ScriptedPublishing {
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
                RelayPublisher publisher = open(acked(relay).closeTimeout(SHORT))) {
            ByteBuffer body = ByteBuffer.allocate(1000);
            while (answered.getCount() > 0) {
                // Full for good once the relay has its last answer and acknowledges no more.
                assertThat(publisher.publish(1, body, SHORT)).isNotSameAs(PublishOutcome.CLOSED);
            }
            assertThat(events(SessionEvent.Lost.class)).isEmpty();
            closeQuietly(publisher);
        }
    }

    @Test
    void refusesWhenFullOfWhatIsNotAcknowledged() throws Exception {
        CountDownLatch full = new CountDownLatch(1);
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    takeAll(client, 0, 4);
                    full.await();
                    client.send(ack(1, 1));
                    take(client, 1);
                    client.send(ack(5, 5));
                    client.drain();
                });
                RelayPublisher publisher = open(acked(relay)
                        .bufferSize(40)
                        .maxBody(32)
                        .connectTimeout(LONG)
                        .closeTimeout(LONG))) {
            publish(publisher, "12", "12", "12", "12");
            assertThat(publisher.publish(1, bytes("12"))).isSameAs(PublishOutcome.FULL);
            assertThat(publisher.publish(1, bytes("12"), SHORT)).isSameAs(PublishOutcome.FULL);
            full.countDown();
            settleAndEnd(publisher, relay, "12");
        }
    }

    @Test
    void closeEndsAtItsBoundAndSaysHowManyAreNotAcknowledged() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(this::serveOne);
                RelayPublisher publisher = open(acked(relay).closeTimeout(SHORT))) {
            settle(publisher, "a");
            publish(publisher, "b", "c");
            assertThat(unflushed(publisher, SHORT).unsettled()).isEqualTo(2);
            assertThat(badEnd(publisher))
                    .hasMessage("closed with 2 messages not acknowledged: 100 ms were over")
                    .returns(2L, PublishException::unsettled)
                    .hasNoCause();
            assertThat(publisher.failure().orElseThrow())
                    .hasMessage("closed with 2 messages not acknowledged: 100 ms were over");
        }
    }

    @Test
    void closeWaitsForTheAcksOverAnotherConnectionIfNeedBe() throws Exception {
        Script cuts = client -> {
            takeAll(client, 0, 1);
        };
        try (ScriptedRelay relay = ScriptedRelay.of(cuts, this::serveOne)) {
            RelayPublisher publisher = open(acked(relay));
            publish(publisher, "a");
            publisher.close();
            assertThat(publisher.failure()).isEmpty();
            assertThat(publisher.settled()).isEqualTo(1);
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
            ByteBuffer ping = client.expect(ControlFrames.PING);
            client.send("PONG id=" + PingFrame.id(ping));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(takesTwo, takesOne);
                RelayPublisher publisher =
                        open(PublisherOptions.builder(relay.endpoint()).onEvent(this::note))) {
            publish(publisher, "a", "b");
            assertThat(again.await(120, TimeUnit.SECONDS)).isTrue();
            publish(publisher, "c");
            assertThat(unflushed(publisher, LONG))
                    .returns(2L, PublishException::unsettled)
                    .hasMessage("3 sent, 2 in doubt: the relay has not confirmed them");
            publisher.flush(LONG);
            publisher.close();
            relay.await();
            assertThat(publisher.confirmed()).isEqualTo(1);
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
                RelayPublisher publisher =
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
                RelayPublisher publisher = open(acked(relay).maxBody(2 << 20))) {
            settle(publisher, "a");
            assertThatThrownBy(() -> publisher.publish(1, ByteBuffer.allocate((1 << 20) + 1)))
                    .hasMessageContaining("over the limit of 1048576");
            assertThatThrownBy(() -> publisher.publish(ControlFrames.PING, bytes("")))
                    .hasMessageContaining("is reserved");
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
                    Frames.readAll(client.channel(), (type, body) -> {
                        if (++messages[0] % 1000 == 0) {
                            ack.putLong(8, messages[0]);
                            sendQuietly(client, ack.rewind());
                        }
                    });
                });
                RelayPublisher publisher = open(acked(relay))) {
            ByteBuffer body = ByteBuffer.allocateDirect(100);
            publishMany(publisher, body, 2000);
            long before = threads.getCurrentThreadAllocatedBytes();
            publishMany(publisher, body, count);
            long allocated = threads.getCurrentThreadAllocatedBytes() - before;
            assertThat(allocated).as("bytes for %d messages", count).isLessThan(count);
            publisher.flush(LONG);
        }
    }

    @Test
    void nothingIsNoArgument() throws Exception {
        PublisherOptions.Builder options = PublisherOptions.builder(Endpoint.tcp("127.0.0.1", 1));
        assertThatNullPointerException().isThrownBy(() -> options.onAck(null));
        try (ScriptedRelay relay = ScriptedRelay.of(this::serveOne);
                RelayPublisher publisher = open(acked(relay))) {
            assertThatNullPointerException().isThrownBy(() -> publisher.publish(1, bytes("a"), null));
            assertThat(publisher.messages()).isZero();
        }
    }

    @Test
    void aTimeThatIsOverIsNotWaitedFor() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(Peer::drain);
                RelayPublisher publisher =
                        open(acked(relay).closeTimeout(SHORT).maxBody(10).bufferSize(18))) {
            publish(publisher, "0123456789");
            for (Duration over : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofSeconds(Long.MIN_VALUE))) {
                assertThat(CompletableFuture.supplyAsync(() -> unflushed(publisher, over))
                                .get(120, TimeUnit.SECONDS))
                        .returns(1L, PublishException::unsettled);
                assertThat(publisher.publish(1, bytes("x"), over)).isEqualTo(PublishOutcome.FULL);
            }
            badEnd(publisher);
        }
    }

    /** Its thread would wait for itself. */
    @Test
    void aListenerDoesNotWaitForItsOwnPublisher() throws Exception {
        CompletableFuture<RelayPublisher> made = new CompletableFuture<>();
        CompletableFuture<String> told = new CompletableFuture<>();
        try (ScriptedRelay relay = ScriptedRelay.of(this::serveOne);
                RelayPublisher publisher =
                        open(acked(relay).maxBody(10).bufferSize(18).onAck((number, sequence) -> {
                            Duration day = Duration.ofDays(1);
                            try {
                                RelayPublisher mine = made.join();
                                told.complete(unflushed(mine, day).unsettled() + " "
                                        + mine.publish(1, bytes("x"), day) + " "
                                        + mine.publish(1, new byte[1], 0, 1, day) + " "
                                        + catchThrowable(() -> mine.publish(1, "x"))
                                                .getMessage());
                            } catch (InterruptedException e) {
                                told.completeExceptionally(e);
                            }
                        }))) {
            publish(publisher, "0123456789");
            made.complete(publisher);
            assertThat(told.get(120, TimeUnit.SECONDS))
                    .isEqualTo("1 FULL FULL the message was not taken: the buffer has no room");
            publisher.flush(LONG);
        }
    }

    @Test
    void aListenerMayCloseItsOwnPublisherAndNothingIsLost() throws Exception {
        CompletableFuture<RelayPublisher> made = new CompletableFuture<>();
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    takeAll(client, 0, 3);
                    client.send(ack(1, 1));
                    client.send(ack(3, 3));
                    client.drain();
                });
                RelayPublisher publisher = open(acked(relay).onAck((number, sequence) -> {
                    assertThatNoException().isThrownBy(made.join()::close);
                }))) {
            publish(publisher, "a", "b", "c");
            made.complete(publisher);
            relay.await();
            publisher.close();
            assertThat(publisher.failure()).isEmpty();
            assertThat(publisher.settled()).isEqualTo(3);
        }
    }

    @Test
    void optionsThatCannotWorkAreNamed() {
        Endpoint endpoint = Endpoint.tcp("127.0.0.1", 1);
        assertThatThrownBy(() -> PublisherOptions.builder(endpoint)
                        .producer(ProducerId.random())
                        .build())
                .hasMessage("a first number and a producer id go with acknowledgements");
        assertThatThrownBy(() ->
                        PublisherOptions.builder(endpoint).firstNumber(0, 1).build())
                .hasMessage("a first number and a producer id go with acknowledgements");
        assertThatThrownBy(() -> PublisherOptions.builder(endpoint).firstNumber(0, -1))
                .hasMessageContaining("first number -1");
        assertThatThrownBy(() -> PublisherOptions.builder(endpoint).acks("").build())
                .hasMessageContaining("length of name, needed for ACKS");
        assertThatThrownBy(() ->
                        PublisherOptions.builder(endpoint).plain().acks("x").build())
                .hasMessageContaining("plain mode");
    }

    @Test
    void anIdThatAFileKeepsIsTheSameForTheNextRun(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("id");
        PublisherOptions.Builder options =
                PublisherOptions.builder("127.0.0.1:1").acks("x").producerFile(file);
        String kept = Files.readString(file);
        assertThat(kept).matches("[0-9a-f]{32}\n");
        ByteBuffer hello = options.build().hello(Token.NONE, 0, 0);
        assertThat(hello)
                .isEqualTo(PublisherOptions.builder("127.0.0.1:1")
                        .acks("x")
                        .producerFile(file)
                        .build()
                        .hello(Token.NONE, 0, 0))
                .isEqualTo(PublisherOptions.builder("127.0.0.1:1")
                        .acks("x")
                        .producer(ProducerId.parse(kept.strip()))
                        .build()
                        .hello(Token.NONE, 0, 0));
        if (folder.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
        }
        Files.writeString(file, "7");
        assertThatThrownBy(() -> options.producerFile(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(file.toString());
    }
}
