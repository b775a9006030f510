package dev.msgrelay.client;

import static dev.msgrelay.client.Frames.EPOCH;
import static dev.msgrelay.client.Frames.ack;
import static dev.msgrelay.client.Frames.welcome;
import static dev.msgrelay.client.Frames.welcomePublisher;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import dev.msgrelay.testing.scripted.ScriptedRelay.Script;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A publisher with acknowledgements goes on where it stood, over whatever connection. */
@SuppressWarnings("try") // closing early is what is tested
class AcknowledgedPublisherTest extends ScriptedPublishing {
    private static final ProducerId PRODUCER = new ProducerId(1, 2);

    @Test
    void numbersGoOnBehindWhatTheRelayHasAccepted() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    takeAll(client, 41, 2);
                    client.send(ack(43, 100));
                    client.drain();
                });
                RelayPublisher publisher = open(acked(relay).producer(PRODUCER))) {
            settle(publisher, "a", "b");
            assertThat(relay.hellos())
                    .containsExactly(HelloFrame.publisher()
                            .name("orders")
                            .features(Features.ACKS | Features.EPOCHS | Features.PEER)
                            .producer(PRODUCER)
                            .build());
            assertThat(got).containsExactly("1:a", "1:b");
            assertThat(acks).containsExactly("43@100");
            assertThat(publisher.firstNumber()).isEqualTo(42);
            assertThat(publisher.settled()).isEqualTo(2);
            assertThat(publisher.settledBytes()).isEqualTo(18);
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
                RelayPublisher publisher = open(acked(relay))) {
            publish(publisher, "early");
            published.countDown();
            publisher.flush(LONG);
            publisher.close();
            relay.await();
        }
    }

    /** What a WELCOME settles needs no ACK any more, also when the connection is lost before it is sent once more. */
    @Test
    void whatWasAcceptedIsNotSentToARestartedRelay() throws Exception {
        Script takes = client -> {
            takeAll(client, 0, 3);
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
                RelayPublisher publisher = open(acked(relay))) {
            settleAndEnd(publisher, relay, "a", "b", "c");
            assertThat(got).containsExactly("1:a", "1:b", "1:c", "1:c");
            assertThat(acks).containsExactly("2@0", "3@1");
        }
    }

    @Test
    void afterGoAwayItSendsNothingMoreHearsTheLastAckAndGoesToTheNextAddress() throws Exception {
        CountDownLatch leaving = new CountDownLatch(1);
        CountDownLatch published = new CountDownLatch(1);
        Script leaves = client -> {
            takeAll(client, 0, 1);
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
                RelayPublisher publisher = open(PublisherOptions.builder(one.endpoint(), other.endpoint())
                        .acks("orders")
                        .onEvent(event -> {
                            events.add(event);
                            if (event instanceof SessionEvent.GoingAway) {
                                leaving.countDown();
                            }
                        }))) {
            publish(publisher, "a");
            assertThat(leaving.await(120, TimeUnit.SECONDS)).isTrue();
            publish(publisher, "b");
            published.countDown();
            publisher.flush(LONG);
            publisher.close();
            other.await();
            assertThat(got).containsExactly("1:a", "1:b");
            assertThat(one.hellos()).hasSize(1);
        }
    }

    @Test
    void twoOfThemHaveTwoProducerIds() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(this::serveOne, this::serveOne)) {
            for (int i = 0; i < 2; i++) {
                try (RelayPublisher publisher = open(acked(relay))) {
                    settle(publisher, "a");
                }
            }
            assertThat(relay.hellos()).extracting(HelloFrame::producer).doesNotHaveDuplicates();
        }
    }

    /** Of 1 to 3, the relay has 1 and 2 of a former publisher: only 3 is acknowledged anew. */
    @Test
    void aFirstNumberGoesOnBehindWhatAFormerPublisherSent() throws Exception {
        long epoch = Frames.EPOCH;
        CountDownLatch welcomed = new CountDownLatch(1);
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    takeAll(client, 2, 3);
                    welcomed.await();
                    client.send(ack(3, 100));
                    client.drain();
                });
                RelayPublisher publisher = open(acked(relay).firstNumber(epoch, 1))) {
            assertThat(publisher.firstNumber()).isEqualTo(1);
            publish(publisher, "a", "b", "c");
            assertThat(unflushed(publisher, SHORT)).as("c is not acknowledged").isNotNull();
            welcomed.countDown();
            publisher.flush(LONG);
            assertThat(relay.hellos()).singleElement().satisfies(hello -> {
                assertThat(hello.number()).isEqualTo(1);
                assertThat(hello.epoch()).isEqualTo(epoch);
            });
            assertThat(got).containsExactly("1:a", "1:b", "1:c");
            assertThat(acks).containsExactly("2@0", "3@100");
            assertThat(publisher.settled()).isEqualTo(3);
        }
    }

    /** The relay has more than is published so far, and the connection is lost over it. */
    @Test
    void aFirstNumberFarBehindTheRelaysOutlivesALostConnection() throws Exception {
        CountDownLatch again = new CountDownLatch(1);
        try (ScriptedRelay relay = ScriptedRelay.of(
                        client -> {
                            takeAll(client, 5, 2);
                        },
                        client -> {
                            HelloFrame hello = client.hello();
                            got.add("number " + hello.number());
                            again.countDown();
                            client.send(welcomePublisher(5));
                            take(client, 4);
                            client.send(ack(6, 100));
                            client.drain();
                        });
                RelayPublisher publisher = open(acked(relay).firstNumber(0, 1))) {
            publish(publisher, "1", "2");
            publisher.flush(LONG);
            again.await();
            settle(publisher, "3", "4", "5", "6");
            assertThat(publisher.settled()).isEqualTo(6);
            assertThat(acks).containsExactly("5@0", "6@100");
            assertThat(publisher.failure()).isEmpty();
        }
        assertThat(got.subList(0, 3)).containsExactly("1:1", "1:2", "number 3");
        assertThat(got.subList(3, 7)).containsExactly("1:3", "1:4", "1:5", "1:6");
    }

    @Test
    void aFirstNumberBeyondTheRelaysNextOneIsAGap() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(welcomePublisher(2));
                    client.drain();
                });
                RelayPublisher publisher = RelayPublisher.open(acked(relay)
                        .firstNumber(0, 4)
                        .reconnect(ReconnectPolicy.none())
                        .build())) {
            assertThat(failure(publisher)).hasMessageContaining("accepted only 2, this publisher goes on with 4");
        }
    }

    /** It was with another relay meanwhile, and this one has less of its name. */
    @Test
    void aRelayOfAnotherEpochMayHaveLess() throws Exception {
        Script one = client -> {
            takeAll(client, 0, 2);
            client.send(ack(2, 2));
        };
        Script other = client -> {
            assertThat(client.hello().number()).isEqualTo(3);
            client.send(welcome(EPOCH + 1, WelcomeFrame.EPOCH_CHANGED, 50, 1, Frames.LONG_IDLE));
            take(client, 1);
            client.send(ack(3, 50));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(one, other);
                RelayPublisher publisher = open(acked(relay))) {
            settle(publisher, "a", "b");
            settleAndEnd(publisher, relay, "c");
            assertThat(acks).containsExactly("2@2", "3@50");
        }
    }

    @Test
    void aRelayWithoutAJournalCannotAcknowledgeWhatIsForced() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    client.hello();
                    client.send(welcomePublisher(0));
                    client.drain();
                });
                RelayPublisher publisher = RelayPublisher.open(PublisherOptions.builder(relay.endpoint())
                        .acks("orders", Level.FORCED)
                        .onEvent(this::note)
                        .build())) {
            assertThat(failure(publisher))
                    .isInstanceOf(RelayUnsuitableException.class)
                    .hasMessage(
                            "the relay at " + relay.endpoint() + " keeps no journal, so acks forced is not possible");
            assertThat(relay.hellos()).hasSize(1);
        }
    }
}
