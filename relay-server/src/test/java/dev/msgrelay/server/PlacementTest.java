package dev.msgrelay.server;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.server.assembly.RelayParts;
import dev.msgrelay.server.connection.EngineLoop;
import dev.msgrelay.server.connection.Session;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Certificates;
import dev.msgrelay.server.harness.Numbered;
import dev.msgrelay.server.harness.NumberedPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.SpeakingSubscriber;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.TlsBridge;
import dev.msgrelay.server.net.Transport;
import dev.msgrelay.server.subscribe.SendGroup;
import dev.msgrelay.server.tls.TlsFiles;
import dev.msgrelay.server.tls.TlsHandler;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The loop of a subscriber: the sending one with the fewest, from when the subscriber becomes live. */
class PlacementTest {
    private static final int MESSAGES = 50;

    @TempDir
    private Path directory;

    private static Setting loops(int loops) {
        return new Setting(Transport.NIO, false, loops);
    }

    private static Session newest(TestRelay relay) {
        return Sessions.of(relay.relay()).stream()
                .max(Comparator.comparingLong(c -> Sessions.<Long>get(c, "id")))
                .orElseThrow();
    }

    /** The number of the loop whose group has a subscriber; -1: it is in none of them just now. */
    private static int loopOf(TestRelay relay, Session subscriber) {
        SendGroup[] groups = Sessions.groups(relay.relay().engine());
        SendGroup group = Sessions.get(subscriber.role(), "group");
        boolean present = Sessions.get(subscriber.role(), "present");
        return present ? List.of(groups).indexOf(group) : -1;
    }

    private static int comes(TestRelay relay, List<PlainSubscriber> clients) throws Exception {
        clients.add(relay.subscriber());
        return loopOf(relay, newest(relay));
    }

    private static void leave(TestRelay relay, List<PlainSubscriber> clients, int... who) throws Exception {
        for (int i : who) {
            clients.get(i).close();
        }
        relay.awaitSubscribers(clients.size() - who.length);
    }

    @ParameterizedTest
    @CsvSource({"1, '0, 0'", "2, '1, 1'", "3, '1, 2, 1, 2, 1, 2'"})
    void whoComesGoesWhereTheFewestAre(int loops, String expected) throws Exception {
        List<PlainSubscriber> clients = new ArrayList<>();
        List<Integer> came = new ArrayList<>();
        try (TestRelay relay = TestRelay.start(loops(loops))) {
            for (int i = 0; i < expected.split(",").length; i++) {
                came.add(comes(relay, clients));
            }
            assertThat(came).hasToString("[" + expected + "]");
            assertThat(Sessions.thread(newest(relay))).isEqualTo("relay-loop-" + (loops - 1));
        }
    }

    @Test
    void whoComesGoesWhereOthersHaveLeft() throws Exception {
        List<PlainSubscriber> clients = new ArrayList<>();
        try (TestRelay relay = TestRelay.start(loops(3))) {
            for (int i = 0; i < 6; i++) {
                comes(relay, clients);
            }
            leave(relay, clients, 1, 3);
            // One is left on the second sender, and three are on the first.
            assertThat(comes(relay, clients)).isEqualTo(2);
            assertThat(comes(relay, clients)).isEqualTo(2);
            assertThat(comes(relay, clients)).isEqualTo(1);
        }
    }

    /** Also where more were on its loop when it came than when it has caught up. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void whoHasCaughtUpGoesWhereTheFewestAre(int loops) throws Exception {
        Numbered messages = new Numbered(Seeds.random("PlacementTest"), 10, 40);
        try (TestRelay relay = replaying(loops);
                NumberedPublisher publisher = new NumberedPublisher(relay, messages)) {
            publisher.publish(MESSAGES);
            relay.awaitMessagesIn(MESSAGES);
        }
        List<PlainSubscriber> clients = new ArrayList<>();
        try (TestRelay relay = replaying(loops);
                SpeakingSubscriber late = relay.speaker(messages)) {
            relay.awaitSubscribers(1);
            Session connection = newest(relay);
            assertThat(loopOf(relay, connection)).isEqualTo(loops == 1 ? 0 : 1);
            for (int i = 0; i < 3; i++) {
                comes(relay, clients);
            }
            if (loops == 3) {
                // Those of the second sender.
                clients.get(0).close();
                clients.get(2).close();
                relay.awaitSubscribers(2);
            }
            late.hello(HelloFrame.subscriber().fromEarliest());
            late.awaitNext(MESSAGES + 1);
            assertThat(relay.stats().get(Counter.JOURNAL_REPLAYS_BEGUN)).isOne();
            Await.until(() -> "caught up: " + relay.stats(), () -> relay.stats().get(Counter.JOURNAL_REPLAYS) == 0);
            assertThat(loopOf(relay, connection)).isEqualTo(loops - 1);
            assertThat(Sessions.thread(connection)).isEqualTo("relay-loop-" + (loops - 1));
        }
    }

    private TestRelay replaying(int loops) throws Exception {
        return TestRelay.start(loops(loops), b -> b.set(JOURNAL, directory).set(JOURNAL_KEEP_TIME, Duration.ofDays(1)));
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "3, 1", "4, 2", "7, 2", "8, 3", "128, 3"})
    void autoFollowsTheProcessorCores(int cores, int loops) {
        assertThat(RelayParts.autoLoops(cores)).isEqualTo(loops);
    }

    /** Told to read on when it was about to leave, it does so where it comes to: never on two threads at once. */
    @Test
    void whatWaitsOfTlsIsReadWhereItComesTo() throws Exception {
        try (Certificates certificates = new Certificates()) {
            whatWaitsIsReadWhereItComesTo(certificates.client(), certificates.relayFiles());
        }
    }

    private static void whatWaitsIsReadWhereItComesTo(SSLContext trust, TlsFiles files) throws Exception {
        try (TestRelay relay =
                        TestRelay.start(loops(2), b -> b.set(TLS_FILES, files).set(TLS_SUBSCRIBE_PORT, 0));
                SSLSocket client = TlsBridge.connect(trust, relay.relay().tlsSubscribeAddress(), 0)) {
            relay.awaitSubscribers(1);
            Session subscriber = newest(relay);
            Channel channel = Sessions.channel(subscriber);
            EngineLoop[] loops = Sessions.get(Sessions.get(relay.relay(), "parts"), "loops");
            EngineLoop to = loops[0].io() == channel.eventLoop() ? loops[1] : loops[0];
            Object in = Sessions.get(TlsHandler.of(channel), "in");
            CompletableFuture<Boolean> waitsOnTheWay = new CompletableFuture<>();
            // The other loop has it only once this one has done all that it began.
            to.io().execute(waitsOnTheWay::join);
            Sessions.onItsThread(subscriber, () -> {
                EventLoop from = channel.eventLoop();
                channel.config().setAutoRead(false);
                Sessions.set(in, "more", true);
                EngineLoop.move(channel, to, there -> {});
                channel.config().setAutoRead(true);
                from.execute(() -> waitsOnTheWay.complete(Sessions.get(in, "more")));
            });
            assertThat(waitsOnTheWay.get(Await.LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
            Await.until("it is read there", () -> !Sessions.<Boolean>get(in, "more"));
            assertThat(client.isConnected()).isTrue();
        }
    }
}
