package dev.msgrelay.server.subscriber;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.server.connection.RefusedConnection;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Numbered;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.SpeakingSubscriber;
import dev.msgrelay.server.harness.TestRelay;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** One connection more than there may be is told so, counted, and closed; when one has gone there is room again. */
class LimitsTest {
    private static final Numbered NOTHING = new Numbered(new Random(1), 1, 8);

    @Over.Pairs
    void connections(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting, b -> b.set(MAX_CONNECTIONS, 3));
                PlainSubscriber subscriber = relay.subscriber();
                PlainPublisher publisher = relay.publisher();
                SpeakingSubscriber third = relay.speaker(NOTHING)) {
            relay.awaitPublishers(1);
            third.hello(HelloFrame.subscriber()).awaitWelcome();
            for (int i = 1; i <= 20; i++) {
                SocketAddress port = i % 2 == 0 ? relay.subscribe() : relay.publish();
                try (PlainPublisher fourth = PlainPublisher.connect(port)) {
                    assertRefused(fourth, CloseReason.TOO_MANY_CONNECTIONS, "are 3 ");
                }
                assertThat(relay.closed(CloseReason.TOO_MANY_CONNECTIONS)).isEqualTo(i);
            }
            assertThat(relay.stats().closes()).hasSize(1);
            assertThat(relay.stats().subscribers()).isEqualTo(2);
            // Those that are there do not notice; to be refused takes nobody's place.
            publisher.send(new Frames().frame(Frames.type(0, 0), 100));
            subscriber.awaitMessages(1).received().assertAllOf(1);
        }
    }

    @Over.Pairs
    void publishers(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting, b -> b.set(MAX_PUBLISHERS, 1));
                PlainSubscriber subscriber = relay.subscriber()) {
            int number = 0;
            for (int round = 1; round <= 5; round++) {
                try (PlainPublisher only = relay.publisher()) {
                    only.send(new Frames().frame(Frames.type(0, number), 100));
                    subscriber.awaitMessages(++number);
                    try (PlainPublisher second = relay.publisher()) {
                        // What it sends is thrown away, and must not reset the connection before it was told.
                        second.send(new Frames().frame(Frames.type(1, 0), 100_000));
                        assertRefused(second, CloseReason.TOO_MANY_PUBLISHERS, "is 1 publisher already");
                    }
                    assertThat(relay.closed(CloseReason.TOO_MANY_PUBLISHERS)).isEqualTo(round);
                    try (SpeakingSubscriber another = relay.speaker(NOTHING)) {
                        another.hello(HelloFrame.subscriber()).awaitWelcome();
                    }
                }
                relay.awaitPublishers(0);
            }
            subscriber.awaitMessages(number).received().assertAllOf(number);
        }
    }

    /** The relay has one loop: with several, a place becomes free a moment after its connection's end is counted. */
    @Over.Sockets
    void roomAgain(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting, b -> b.set(MAX_CONNECTIONS, 1))) {
            for (int gone = 1; gone <= 20; gone++) {
                try (SpeakingSubscriber subscriber = relay.speaker(NOTHING)) {
                    subscriber.hello(HelloFrame.subscriber()).awaitWelcome();
                }
                relay.awaitClosed(CloseReason.PEER_CLOSED, gone);
            }
            assertThat(relay.stats().closes()).hasSize(1);
        }
    }

    /** All that come at once are told, however many they are. */
    @Over.Sockets
    void manyAtOnce(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting, b -> b.set(MAX_CONNECTIONS, 1));
                SpeakingSubscriber only = relay.speaker(NOTHING)) {
            only.hello(HelloFrame.subscriber()).awaitWelcome();
            List<PlainPublisher> refused = new ArrayList<>();
            for (int i = 0; i < 5 * RefusedConnection.Newest.MOST; i++) {
                refused.add(PlainPublisher.connect(i % 2 == 0 ? relay.subscribe() : relay.publish()));
            }
            relay.awaitClosed(CloseReason.TOO_MANY_CONNECTIONS, refused.size());
            for (PlainPublisher one : refused) {
                assertRefused(one, CloseReason.TOO_MANY_CONNECTIONS, "is 1 connection ");
                one.close();
            }
        }
    }

    private static void assertRefused(PlainPublisher refused, CloseReason reason, String limit) throws Exception {
        PlainPublisher.Error error = refused.awaitError();
        assertThat(error.code()).isEqualTo(reason.code());
        assertThat(error.text()).contains("there " + limit);
        assertThat(error.waitMillis()).isPositive();
    }
}
