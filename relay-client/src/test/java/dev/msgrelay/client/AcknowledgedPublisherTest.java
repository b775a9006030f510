package dev.msgrelay.client;

import static dev.msgrelay.client.Frames.EPOCH;
import static dev.msgrelay.client.Frames.ack;
import static dev.msgrelay.client.Frames.welcome;
import static dev.msgrelay.client.Frames.welcomePublisher;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import dev.msgrelay.testing.scripted.ScriptedRelay.Script;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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
                            .features(Features.ACKS)
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

    @Test
    void afterACutExactlyTheRestIsSentAgain() throws Exception {
        Script partly = client -> {
            takeAll(client, 0, 4);
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
                RelayPublisher publisher = open(acked(relay))) {
            settleAndEnd(publisher, relay, "a", "b", "c", "d");
            assertThat(got).containsExactly("1:a", "1:b", "1:c", "1:d", "1:c", "1:d");
            assertThat(acks).containsExactly("2@12", "3@0", "4@14");
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
    void worksOverAUnixSocketToo(@TempDir Path directory) throws Exception {
        Script cuts = client -> {
            takeAll(client, 0, 1);
        };
        try (ScriptedRelay relay = ScriptedRelay.unix(directory, cuts, this::serveOne);
                RelayPublisher publisher = open(acked(relay))) {
            settle(publisher, "a");
            assertThat(got).containsExactly("1:a", "1:a");
        }
    }

    @Test
    void duplicateAndOlderAcksDoNoHarm() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
                    takeAll(client, 0, 2);
                    client.send(ack(1, 1), ack(1, 1), ack(2, 2), ack(1, 1), ack(2, 2));
                    take(client, 1);
                    client.send(ack(3, 3));
                    client.drain();
                });
                RelayPublisher publisher = open(acked(relay))) {
            settle(publisher, "a", "b");
            settleAndEnd(publisher, relay, "c");
            assertThat(acks).containsExactly("1@1", "2@2", "3@3");
            assertThat(events(SessionEvent.Lost.class)).isEmpty();
        }
    }

    @Test
    void anAckOfWhatWasNotSentIsAFaultThatTheRelayIsTold() throws Exception {
        Script wrong = client -> {
            takeAll(client, 0, 1);
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
                RelayPublisher publisher = open(acked(relay))) {
            settleAndEnd(publisher, relay, "a");
        }
    }

    @Test
    void aRestartedRelayGetsWhatItHadNotAcknowledged() throws Exception {
        Script first = client -> {
            takeAll(client, 0, 3);
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
                RelayPublisher publisher = open(acked(relay))) {
            settleAndEnd(publisher, relay, "a", "b", "c");
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
    void isKnownAgainByItsProducerId() throws Exception {
        Script serve = client -> {
            client.hello();
            client.send(welcomePublisher(0));
        };
        try (ScriptedRelay relay = ScriptedRelay.of(serve, this::serveOne);
                RelayPublisher publisher = open(acked(relay))) {
            settle(publisher, "a");
            assertThat(relay.hellos()).hasSize(2);
            ProducerId id = relay.hellos().get(0).producer();
            assertThat(id.isNone()).isFalse();
            assertThat(relay.hellos().get(1).producer()).isEqualTo(id);
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
    void anotherLifeOfTheStreamIsNoEvent() throws Exception {
        Script first = client -> {
            takeAll(client, 0, 2);
            client.send(ack(1, 1));
        };
        Script restarted = client -> {
            HelloFrame hello = client.hello();
            assertThat(hello.number()).isEqualTo(2);
            assertThat(hello.epoch()).isEqualTo(EPOCH);
            client.send(welcome(EPOCH + 1, 0, 3, 2, Frames.LONG_IDLE));
            take(client, 1);
            assertThat(client.next()).isNull();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(first, restarted);
                RelayPublisher publisher = open(acked(relay))) {
            settleAndEnd(publisher, relay, "a", "b");
            assertThat(acks).containsExactly("1@1", "2@0");
            assertThat(events(SessionEvent.RelayRestarted.class)).isEmpty();
            assertThat(events(SessionEvent.AcknowledgedGone.class)).isEmpty();
        }
    }

    @Test
    void whatWasAcknowledgedAndIsGoneIsToldInOneEvent() throws Exception {
        Script first = client -> {
            takeAll(client, 0, 5);
            client.send(ack(4, 14));
        };
        Script restarted = client -> {
            assertThat(client.hello().number()).isEqualTo(5);
            client.send(Frames.welcomeRolledBack(EPOCH + 1, 12, 2));
            take(client, 1);
            client.send(ack(5, 12));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(first, restarted);
                RelayPublisher publisher = open(acked(relay))) {
            settleAndEnd(publisher, relay, "a", "b", "c", "d", "e");
            assertThat(acks).containsExactly("4@14", "5@12");
            assertThat(events(SessionEvent.AcknowledgedGone.class))
                    .containsExactly(new SessionEvent.AcknowledgedGone(relay.endpoint(), EPOCH, EPOCH + 1, 2, 4, 1));
            assertThat(events(SessionEvent.AcknowledgedGone.class).get(0).text())
                    .contains("messages 2 to 4, which it had acknowledged, may be gone; 1 message");
            assertThat(events(SessionEvent.RelayRestarted.class)).isEmpty();
        }
    }

    /** A relay that ends again before anything new has come says what the one before it has said. */
    @Test
    void whatIsGoneIsToldOnce() throws Exception {
        Script first = client -> {
            takeAll(client, 0, 5);
            client.send(ack(4, 14));
        };
        Script restarted = client -> {
            assertThat(client.hello().number()).isEqualTo(5);
            client.send(Frames.welcomeRolledBack(EPOCH + 1, 12, 2));
        };
        Script again = client -> {
            HelloFrame hello = client.hello();
            assertThat(hello.number()).isEqualTo(5);
            assertThat(hello.epoch()).isEqualTo(EPOCH + 1);
            client.send(Frames.welcomeRolledBack(EPOCH + 2, 12, 2));
            take(client, 1);
            client.send(ack(5, 12));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(first, restarted, again);
                RelayPublisher publisher = open(acked(relay))) {
            settleAndEnd(publisher, relay, "a", "b", "c", "d", "e");
            assertThat(events(SessionEvent.AcknowledgedGone.class))
                    .containsExactly(new SessionEvent.AcknowledgedGone(relay.endpoint(), EPOCH, EPOCH + 1, 2, 4, 1));
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Level.class,
            names = {"WRITTEN", "FORCED"})
    void aMessageIsKeptUntilItHasGotSoFar(Level level) throws Exception {
        boolean forced = level == Level.FORCED;
        CountDownLatch kept = new CountDownLatch(1);
        Script first = client -> {
            client.hello();
            client.send(Frames.welcomeWithLevels(1, 0));
            take(client, 3);
            client.send(ack(3, 13, 1, 0), ack(3, 13, 2, 1), ack(3, 13, forced ? 3 : 2, forced ? 2 : 0));
            kept.await();
        };
        Script second = client -> {
            HelloFrame hello = client.hello();
            assertThat(hello.number()).as("the first that has not got so far").isEqualTo(3);
            assertThat(hello.level()).isSameAs(level);
            client.send(Frames.welcomeWithLevels(14, 2));
            take(client, 1);
            client.send(ack(3, 13, 3, forced ? 3 : 0));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(first, second);
                RelayPublisher publisher = open(PublisherOptions.builder(relay.endpoint())
                        .acks("orders", level)
                        .onAck((number, sequence) -> acks.add(number + "@" + sequence))
                        .onEvent(this::note))) {
            publish(publisher, "a", "b", "c");
            assertThat(unflushed(publisher, SHORT)).as("3 has not got so far").isNotNull();
            kept.countDown();
            publisher.flush(LONG);
            publisher.close();
            relay.await();
            assertThat(got).containsExactly("1:a", "1:b", "1:c", "1:c");
            assertThat(acks).containsExactly("1@0", "2@0", "3@13");
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
