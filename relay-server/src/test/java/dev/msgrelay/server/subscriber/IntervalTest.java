package dev.msgrelay.server.subscriber;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.SubscribedFrame;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.server.access.AccessPolicy;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Account;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Numbered;
import dev.msgrelay.server.harness.Policies;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.SpeakingSubscriber;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.net.Transport;
import dev.msgrelay.testing.ConcurrentTest;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;

/** Subscribers with an interval: at each of its ticks the newest message of each type that has changed. */
class IntervalTest {
    private static final int TYPES = 50;
    private static final TypeRanges FEW = TypeRanges.of(3, 9, 30, 30);
    private static final int HOUR = 3_600_000;

    private static HelloFrame.Builder every(int millis, TypeRanges types) {
        return SpeakingSubscriber.numbered(types).policy(Policy.LATEST).intervalMillis(millis);
    }

    private static RelayConfig.Builder withState(RelayConfig.Builder relay) {
        return StateTest.withState(relay).set(HEARTBEAT, Duration.ofMillis(200));
    }

    /** Waits until the subscriber is told that it has all up to the end, and checks its view at each PING. */
    private static void assertCaughtUp(Numbered messages, SpeakingSubscriber subscriber, TypeRanges types, long end) {
        Await.until(
                () -> "the PING at " + end + ": " + subscriber,
                () -> StateTest.pings(subscriber).stream().anyMatch(ping -> PingFrame.next(ping.body()) == end)
                        || subscriber.account().wrong() != null
                        || subscriber.end() != null);
        assertThat(subscriber.account().wrong()).isNull();
        assertThat(subscriber.end()).isNull();
        StateTest.assertViews(
                messages, subscriber, types, subscriber.account().welcome().next());
        assertThat(StateTest.reasons(subscriber)).isSubsetOf(GapReason.SUPERSEDED);
    }

    @ConcurrentTest
    void fitfulReadersWithThreeLoops() throws Exception {
        fitfulReaders(new Setting(Transport.NIO, false, 3));
    }

    /** Of several intervals and types. Some stop and go on at any moment, some come later, and one leaves. */
    @Over.Pairs
    void fitfulReaders(Setting setting) throws Exception {
        Random random = Seeds.random("IntervalTest fitful " + setting);
        Numbered messages = new Numbered(random, TYPES, 60, 60, 60, 4000, 100_000);
        try (Scene scene = Scene.small(setting, messages, IntervalTest::withState)) {
            Map<SpeakingSubscriber, TypeRanges> readers = new LinkedHashMap<>();
            for (int round = 0; round < 300; round++) {
                if (round % 30 == 0) {
                    TypeRanges types = random.nextInt(3) == 0 ? FEW : TypeRanges.ALL;
                    HelloFrame.Builder hello = every(round % 60 == 0 ? 10 : 30, types);
                    SpeakingSubscriber reader = scene.paused().hello(round % 90 == 0 ? hello : hello.fromState(0, 0));
                    reader.resumeUntilWelcome().awaitWelcome();
                    readers.put(reader, types);
                }
                scene.publisher.publish(1 + random.nextInt(20));
                List<SpeakingSubscriber> all = new ArrayList<>(readers.keySet());
                SpeakingSubscriber one = all.get(random.nextInt(all.size()));
                one.resume();
                if (random.nextBoolean()) {
                    one.pause();
                }
            }
            SpeakingSubscriber leaves = readers.keySet().iterator().next();
            readers.remove(leaves);
            leaves.close();
            long end = scene.publisher.next();
            scene.relay.awaitMessagesIn(end - 1);
            // They are no laggards, of which an alert would tell.
            Await.until("no lag", () -> scene.relay.stats().get(Counter.LARGEST_LAG_BYTES) == 0);
            readers.keySet().forEach(SpeakingSubscriber::resume);
            readers.forEach((reader, types) -> assertCaughtUp(messages, reader, types, end));
            scene.publisher.publish(100);
            readers.forEach((reader, types) -> assertCaughtUp(messages, reader, types, end + 100));
            assertThat(scene.relay.stats().get(Counter.STATE_CONFLATED)).isZero();
            assertThat(scene.relay.stats().get(Counter.STATE_CONFLATIONS)).isZero();
            assertThat(scene.relay.stats().get(Counter.STATE_READERS)).isZero();
            Await.until(
                    "readers of intervals",
                    () -> scene.relay.stats().get(Counter.STATE_INTERVAL_READERS) == readers.size());
            assertThat(scene.relay.stats().closes().keySet())
                    .isSubsetOf(CloseReason.PEER_CLOSED, CloseReason.CONNECTION_LOST);
            scene.relay.relay().connections().stream()
                    .filter(row -> !row.publisher())
                    .forEach(row -> assertThat(row.intervalMillis()).isIn(10, 30));
        }
    }

    /** Its connection ends within a tick; it goes on from its count, or begins anew, as it likes. */
    @ConcurrentTest
    void oneThatComesBack() throws Exception {
        Random random = Seeds.random("IntervalTest back");
        Numbered messages = new Numbered(random, TYPES, 4000, 100_000);
        try (Scene scene = Scene.small(Setting.NIO_TCP, messages, IntervalTest::withState)) {
            for (int round = 0; round < 10; round++) {
                SpeakingSubscriber cut = scene.paused().hello(every(10, TypeRanges.ALL));
                cut.resumeUntilWelcome().awaitWelcome();
                long end = scene.fill(4 << 20);
                cut.resume();
                long some = cut.account().welcome().next() + random.nextInt(TYPES);
                Await.until("some of it", () -> cut.account().next() > some);
                cut.close();
                Account account = cut.account();
                assertThat(account.wrong()).isNull();
                long epoch = account.welcome().epoch();
                HelloFrame.Builder hello = every(10, TypeRanges.ALL);
                SpeakingSubscriber back = scene.greeting(
                        round % 2 == 0
                                ? hello.fromSequence(epoch, account.next())
                                : hello.fromState(epoch, account.next()));
                assertThat(back.awaitWelcome().next()).isEqualTo(account.next());
                assertCaughtUp(messages, back, TypeRanges.ALL, end);
            }
        }
    }

    /** The journal is read only for the place of the start. */
    @ConcurrentTest
    void startsInTheJournal(@TempDir Path folder) throws Exception {
        Numbered messages = new Numbered(Seeds.random("IntervalTest journal"), TYPES, 60, 40_000);
        try (Scene scene = Scene.small(new Setting(Transport.NIO, false, 2), messages, b -> withState(b)
                .set(JOURNAL, folder.resolve("journal"))
                .set(JOURNAL_SEGMENT, 16 << 20))) {
            long end = scene.fill(4L * TestRelay.SMALL_LOG);
            for (TypeRanges types : List.of(TypeRanges.ALL, FEW)) {
                List<HelloFrame.Builder> starts = List.of(
                        every(20, types),
                        every(20, types).fromEarliest(),
                        every(20, types).fromTime(1),
                        every(20, types).fromSequence(0, 9),
                        every(20, types).fromState(0, 0));
                for (HelloFrame.Builder start : starts) {
                    SpeakingSubscriber reader = scene.greeting(start);
                    assertThat(reader.awaitWelcome().next()).isIn(1L, 9L, end);
                    assertCaughtUp(messages, reader, types, end);
                }
            }
            assertThat(scene.relay.stats().get(Counter.JOURNAL_REPLAY_BYTES)).isZero();
            Await.until("no replay", () -> scene.relay.stats().get(Counter.JOURNAL_REPLAYS) == 0);
        }
    }

    @ConcurrentTest
    void otherTypes() throws Exception {
        Numbered messages = new Numbered(Seeds.random("IntervalTest types"), TYPES, 60, 40_000);
        try (Scene scene = Scene.small(Setting.NIO_TCP, messages, IntervalTest::withState)) {
            SpeakingSubscriber reader = scene.welcomed(every(20, FEW));
            scene.publisher.publish(500);
            reader.subscribe(1, TypeRanges.ALL);
            Account.Said answer = reader.awaitSaid(ControlFrames.SUBSCRIBED, 1);
            long from = SubscribedFrame.decode(answer.body()).sequence();
            scene.publisher.publish(500);
            assertCaughtUp(messages, reader, FEW, 1001);
            StateTest.assertViews(messages, reader, TypeRanges.ALL, from);
        }
    }

    /** The relay ends long before the tick: what has changed comes before. */
    @Over.Loops
    void theEndOfTheRelay(Setting setting) throws Exception {
        Numbered messages = new Numbered(Seeds.random("IntervalTest end " + setting), TYPES, 60, 4000);
        try (Scene scene = Scene.of(setting, messages, IntervalTest::withState)) {
            SpeakingSubscriber reader = StateTest.complete(scene.greeting(every(HOUR, TypeRanges.ALL)));
            scene.publisher.publish(1000);
            scene.relay.awaitMessagesIn(1000);
            assertThat(reader.account().count()).isZero();
            scene.relay.relay().close();
            reader.awaitEnd();
            assertThat(reader.account().next()).isEqualTo(1001);
            assertThat(reader.account().wrong()).isNull();
            StateTest.assertViews(messages, reader, TypeRanges.ALL, 1);
            assertThat(reader.account().said(ControlFrames.GOAWAY)).hasSize(1);
        }
    }

    /** An identity has a least one, and a rate, which pauses it within a tick. */
    @ConcurrentTest
    void anIdentityWithLimits() throws Exception {
        Numbered messages = new Numbered(Seeds.random("IntervalTest limits"), TYPES, 60, 4000);
        AccessPolicy access =
                Policies.of("board { token = secret, subscribe = all, max-rate = 1000000, min-interval = 50ms }\n"
                        + "feed { from = \"127.0.0.0/8\", publish = all }");
        try (Scene scene =
                Scene.small(Setting.NIO_TCP, messages, b -> withState(b).set(ACCESS, access))) {
            SpeakingSubscriber reader = scene.welcomed(every(10, TypeRanges.ALL).token(Token.of("secret")));
            assertThat(reader.account().welcome().intervalMillis()).isEqualTo(50);
            long end = scene.fill(2L * TestRelay.SMALL_LOG);
            assertCaughtUp(messages, reader, TypeRanges.ALL, end);
            assertThat(scene.relay.stats().closes()).isEmpty();
        }
    }

    /** Put in place of a valid interval of a valid HELLO, which has it at the end of what is left of the name. */
    private static ByteBuffer hello(HelloFrame.Builder valid, int interval) {
        ByteBuffer frame = valid.build().encode();
        frame.putInt(frame.limit() - Integer.BYTES, interval);
        return frame;
    }

    @Over.Sockets
    void badIntervals(Setting setting) throws Exception {
        Numbered messages = new Numbered(Seeds.random("IntervalTest bad " + setting), TYPES, 60);
        try (Scene scene = Scene.of(setting, messages, IntervalTest::withState)) {
            for (int wrong : new int[] {1, 9, HOUR + 1, Integer.MAX_VALUE, -1}) {
                SpeakingSubscriber reader = scene.speaker().send(hello(every(10, TypeRanges.ALL), wrong));
                Scene.assertError(
                        reader,
                        CloseReason.MALFORMED_CONTROL,
                        "interval",
                        Integer.toUnsignedString(wrong),
                        "10..3600000");
            }
            for (Policy other : List.of(Policy.RELAY_DEFAULT, Policy.DISCONNECT, Policy.SKIP, Policy.REPLAY)) {
                HelloFrame.Builder none = HelloFrame.subscriber().policy(other).intervalMillis(0);
                SpeakingSubscriber reader = scene.speaker().send(hello(none, 10));
                Scene.assertError(reader, CloseReason.MALFORMED_CONTROL, "policy", "needed for an interval");
            }
            for (int millis : new int[] {0, 10, HOUR}) {
                WelcomeFrame welcome =
                        scene.welcomed(every(millis, TypeRanges.ALL)).account().welcome();
                assertThat(welcome.policy()).isEqualTo(Policy.LATEST);
                assertThat(welcome.grants(Features.INTERVAL)).isEqualTo(millis > 0);
                assertThat(welcome.intervalMillis()).isEqualTo(millis);
            }
        }
    }

    /** What latest is refused, is refused. */
    @ConcurrentTest
    void refusals() throws Exception {
        Numbered messages = new Numbered(Seeds.random("IntervalTest refusals"), TYPES, 60);
        try (Scene scene = Scene.of(Setting.NIO_TCP, messages)) {
            Scene.assertError(scene.greeting(every(10, FEW)), CloseReason.UNSUPPORTED, "latest", "--state");
        }
        try (Scene scene =
                Scene.of(Setting.NIO_TCP, messages, b -> withState(b).set(STATE_TYPES, TypeRanges.of(1, 9)))) {
            Scene.assertError(scene.greeting(every(10, FEW)), CloseReason.UNSUPPORTED, "--state-types", "30");
            Scene.assertError(
                    scene.greeting(every(10, TypeRanges.of(1, 9)).level(Level.WRITTEN)),
                    CloseReason.UNSUPPORTED,
                    "latest",
                    "written");
        }
        try (Scene scene =
                Scene.of(Setting.NIO_TCP, messages, b -> withState(b).set(ALLOW_POLICIES, List.of(Policy.SKIP)))) {
            WelcomeFrame welcome = scene.welcomed(every(10, FEW)).account().welcome();
            assertThat(welcome.policy()).isEqualTo(Policy.DISCONNECT);
            assertThat(welcome.grants(Features.INTERVAL)).isFalse();
        }
    }
}
