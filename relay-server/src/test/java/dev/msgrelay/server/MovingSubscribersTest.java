package dev.msgrelay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.core.EngineLoop;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Certificates;
import dev.msgrelay.server.harness.Numbered;
import dev.msgrelay.server.harness.NumberedPublisher;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.SpeakingSubscriber;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.TlsBridge;
import dev.msgrelay.server.harness.Workers;
import dev.msgrelay.server.net.Transport;
import dev.msgrelay.server.ops.Counter;
import dev.msgrelay.server.session.Connection;
import dev.msgrelay.server.tls.TlsFiles;
import dev.msgrelay.server.tls.TlsHandler;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Subscribers go from loop to loop while messages flow: nobody misses a byte, and every connection ends once.
 * Moves by load are to go; until then CI alone runs these. */
@Tag("thorough")
class MovingSubscribersTest {
    private static final int TYPES = 100;
    private static final TypeRanges HALF = TypeRanges.of(0, 49);
    private static final int MOVES = 60;
    private static final int BYTES_BETWEEN_MOVES = 300_000;
    private static final int GUESTS = 150;
    private static final long FIRST_PING = 1;
    private static final long LAST_PING = FIRST_PING + MOVES;

    static Stream<Setting> settings() {
        return Setting.sockets().flatMap(s -> Stream.of(2, 3).map(l -> new Setting(s.transport(), s.unix(), l)));
    }

    @ParameterizedTest
    @MethodSource("settings")
    void everyoneGetsEverythingOnTheWay(Setting setting) throws Exception {
        Random random = Seeds.random("MovingSubscribersTest " + setting);
        Numbered messages = new Numbered(random, TYPES, 40, 40, 300, 8300, 70_000);
        Workers workers = new Workers();
        try (TestRelay relay = TestRelay.small(setting, Policy.BACKPRESSURE);
                NumberedPublisher publisher = new NumberedPublisher(relay, messages);
                SpeakingSubscriber counting = relay.speaker(messages);
                SpeakingSubscriber half = relay.speaker(messages);
                SpeakingSubscriber stops = relay.speaker(messages);
                SpeakingSubscriber plain = relay.speaker(messages)) {
            relay.awaitSubscribers(4);
            counting.hello(SpeakingSubscriber.numbered(TypeRanges.ALL)).awaitWelcome();
            half.hello(SpeakingSubscriber.numbered(HALF)).awaitWelcome();
            stops.hello(SpeakingSubscriber.numbered(TypeRanges.ALL)).awaitWelcome();
            relay.relay().spread(true);
            Await.until("all loops at work", () -> relay.stats().get(Counter.LOOPS_IN_USE) == setting.loops());
            relay.relay().spread(false);
            Await.until("one loop at work", () -> relay.stats().get(Counter.LOOPS_IN_USE) == 1);
            publisher.publishOn(workers);
            for (int move = 0; move < MOVES; move++) {
                // Its socket is full then, with a write in flight: it has to move later.
                boolean pause = random.nextInt(3) == 0;
                if (pause) {
                    stops.pause();
                }
                relay.relay().spread(random.nextBoolean());
                half.ping(FIRST_PING + move);
                if (pause) {
                    Await.until("a subscriber that holds everyone back", () -> gateBlocked(relay) || workers.failed());
                    relay.relay().spread(random.nextBoolean());
                    stops.resume();
                }
                long before = publisher.bytes();
                Await.until(
                        () -> "more messages: " + relay.stats(),
                        () -> publisher.bytes() - before > BYTES_BETWEEN_MOVES || workers.failed());
            }
            publisher.stop();
            workers.join();
            long end = publisher.next();
            for (SpeakingSubscriber subscriber : List.of(counting, stops)) {
                subscriber.awaitNext(end).account().assertCompleteUpTo(end);
            }
            half.ping(LAST_PING);
            Await.until(() -> "an answer behind the last message: " + half, () -> answered(half, LAST_PING));
            assertThat(half.account().wrong()).isNull();
            Await.until(() -> "all messages: " + plain, () -> plain.account().plainNext() == end);
            assertThat(plain.account().plainGaps()).isZero();
            assertThat(plain.account().wrong()).isNull();
            assertThat(relay.stats().closes()).isEmpty();
        }
    }

    private static boolean answered(SpeakingSubscriber subscriber, long ping) {
        return subscriber.account().said(ControlFrames.PONG).stream()
                .anyMatch(pong -> pong.body().getLong() == ping);
    }

    private static boolean gateBlocked(TestRelay relay) {
        return relay.stats().get(Counter.LARGEST_LAG_BYTES) > TestRelay.SMALL_LOG / 4;
    }

    /** Told to read on when it was about to leave, it does so where it comes to: never on two threads at once. */
    @Test
    void whatWaitsOfTlsIsReadWhereItComesTo() throws Exception {
        try (Certificates certificates = new Certificates()) {
            whatWaitsIsReadWhereItComesTo(certificates.client(), certificates.relayFiles());
        }
    }

    private void whatWaitsIsReadWhereItComesTo(SSLContext trust, TlsFiles files) throws Exception {
        try (TestRelay relay = TestRelay.start(
                        new Setting(Transport.NIO, false, 2), b -> b.tls(files).tlsSubscribePort(0));
                SSLSocket client = TlsBridge.connect(trust, relay.relay().tlsSubscribeAddress(), 0)) {
            relay.awaitSubscribers(1);
            Connection subscriber = Sessions.of(relay.relay()).iterator().next();
            Channel channel = Sessions.channel(subscriber);
            EngineLoop[] loops = Sessions.get(relay.relay(), "loops");
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

    /** With one loop there is nowhere to go. */
    @Test
    void whereThereIsOneLoopTheyStay() throws Exception {
        Setting setting = new Setting(Transport.NIO, false, 1);
        Numbered messages = new Numbered(Seeds.random("MovingSubscribersTest " + setting), TYPES, 40);
        try (TestRelay relay = TestRelay.small(setting, Policy.BACKPRESSURE);
                NumberedPublisher publisher = new NumberedPublisher(relay, messages);
                SpeakingSubscriber before = relay.speaker(messages)) {
            relay.awaitSubscribers(1);
            relay.relay().spread(true);
            try (SpeakingSubscriber after = relay.speaker(messages)) {
                relay.awaitSubscribers(2);
                assertThat(relay.stats().get(Counter.LOOPS_IN_USE)).isOne();
                Workers workers = new Workers();
                publisher.publishOn(workers);
                Await.until("some messages", () -> publisher.bytes() > BYTES_BETWEEN_MOVES || workers.failed());
                publisher.stop();
                workers.join();
                for (SpeakingSubscriber subscriber : List.of(before, after)) {
                    Await.until(
                            () -> "all messages: " + subscriber,
                            () -> subscriber.account().plainNext() == publisher.next());
                }
            }
        }
    }

    /** Guests come and go, on their own or for bad manners, in the middle of a move. */
    @ParameterizedTest
    @MethodSource("settings")
    void everyConnectionEndsOnce(Setting setting) throws Exception {
        Random random = Seeds.random("MovingSubscribersTest " + setting);
        Numbered messages = new Numbered(random, TYPES, 40, 300, 8300);
        Workers workers = new Workers();
        try (TestRelay relay = TestRelay.small(setting, Policy.SKIP);
                NumberedPublisher publisher = new NumberedPublisher(relay, messages)) {
            publisher.publishOn(workers);
            List<SpeakingSubscriber> guests = new ArrayList<>();
            int rude = 0;
            for (int i = 0; i < GUESTS; i++) {
                SpeakingSubscriber guest = relay.speaker(messages);
                guests.add(guest);
                if (random.nextBoolean()) {
                    guest.hello(SpeakingSubscriber.numbered(random.nextBoolean() ? HALF : TypeRanges.ALL));
                }
                relay.relay().spread(random.nextBoolean());
                SpeakingSubscriber leaves = guests.get(random.nextInt(guests.size()));
                if (leaves.end() == null && random.nextInt(3) == 0) {
                    relay.relay().spread(random.nextBoolean());
                    leaves.close();
                } else if (random.nextInt(4) == 0) {
                    // Not a control frame: the connection is closed for it.
                    rude += sendRudely(guest) ? 1 : 0;
                    relay.relay().spread(random.nextBoolean());
                }
            }
            publisher.stop();
            workers.join();
            for (SpeakingSubscriber guest : guests) {
                guest.close();
            }
            // A guest that came and left at once may still wait to be accepted.
            Await.until(() -> "an end for each guest: " + relay.stats().closes(), () -> ends(relay) >= GUESTS);
            Await.until("the last channel is gone", relay.relay()::allGone);
            assertThat(ends(relay)).as("%s", relay.stats().closes()).isEqualTo(GUESTS);
            assertThat(relay.closed(CloseReason.INTERNAL_ERROR)).isZero();
            assertThat(rude).isPositive();
        }
    }

    private static long ends(TestRelay relay) {
        return relay.stats().closes().values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    private static boolean sendRudely(SpeakingSubscriber guest) {
        try {
            guest.send(ByteBuffer.allocate(8).putInt(1).putInt(0).flip());
            return true;
        } catch (java.io.IOException closedAlready) {
            return false;
        }
    }
}
