package dev.msgrelay.server.subscriber;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.SubscribedFrame;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;
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
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;

/** Subscribers with the policy latest: one that is too far behind gets the newest message of each type instead. */
class LatestTest {
    private static final int TYPES = 50;
    private static final TypeRanges FEW = TypeRanges.of(3, 9, 30, 30);

    private static HelloFrame.Builder latest(TypeRanges types) {
        return SpeakingSubscriber.numbered(types).policy(Policy.LATEST);
    }

    private static long superseded(SpeakingSubscriber subscriber) {
        return subscriber.account().said(ControlFrames.GAP).stream()
                .filter(gap -> GapFrame.reason(gap.body()) == GapReason.SUPERSEDED.code())
                .mapToLong(gap -> GapFrame.to(gap.body()) - GapFrame.from(gap.body()) + 1)
                .sum();
    }

    /** Waits until it is live at the end of the stream, and checks its views. */
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
    }

    private static RelayConfig.Builder withState(RelayConfig.Builder relay) {
        return StateTest.withState(relay).set(HEARTBEAT, Duration.ofMillis(200));
    }

    @ConcurrentTest
    void aSlowReaderWithThreeLoops() throws Exception {
        aSlowReader(new Setting(Transport.NIO, false, 3));
    }

    /** The log goes past it several times. A healthy one beside it gets all, and the publisher never waits. */
    @Over.Pairs
    void aSlowReader(Setting setting) throws Exception {
        Numbered messages = new Numbered(Seeds.random("LatestTest slow " + setting), TYPES, 60, 40_000);
        try (Scene scene = Scene.small(setting, messages, LatestTest::withState)) {
            SpeakingSubscriber healthy = scene.welcomed(HelloFrame.subscriber());
            SpeakingSubscriber slow = scene.paused().hello(latest(TypeRanges.ALL));
            SpeakingSubscriber few = scene.paused().hello(latest(FEW));
            slow.resumeUntilWelcome().awaitWelcome();
            few.resumeUntilWelcome().awaitWelcome();
            assertThat(slow.account().welcome().policy()).isEqualTo(Policy.LATEST);
            long end = 0;
            for (int i = 0; i < 40; i++) {
                end = scene.fill(1 << 20);
                healthy.awaitNext(end);
            }
            // They are no laggards, of which an alert would tell.
            Await.until("no lag", () -> scene.relay.stats().get(Counter.LARGEST_LAG_BYTES) == 0);
            slow.resume();
            few.resume();
            assertCaughtUp(messages, slow, TypeRanges.ALL, end);
            assertCaughtUp(messages, few, FEW, end);
            scene.publisher.publish(100);
            assertCaughtUp(messages, slow, TypeRanges.ALL, end + 100);
            assertCaughtUp(messages, few, FEW, end + 100);
            Scene.assertNoGap(end + 100, healthy);
            assertThat(StateTest.reasons(slow)).containsExactly(GapReason.SUPERSEDED);
            assertThat(StateTest.reasons(few)).containsExactly(GapReason.SUPERSEDED);
            assertThat(scene.relay.stats().get(Counter.STATE_CONFLATED)).isEqualTo(superseded(slow) + superseded(few));
            assertThat(scene.relay.relay().connections()).anyMatch(row -> row.conflated() == superseded(few));
            assertThat(scene.relay.stats().get(Counter.STATE_CONFLATIONS)).isGreaterThanOrEqualTo(2);
            assertThat(scene.relay.stats().get(Counter.MESSAGES_SKIPPED)).isZero();
            assertThat(scene.relay.stats().get(Counter.BACKPRESSURE_MILLIS)).isZero();
            assertThat(scene.relay.stats().closes()).isEmpty();
        }
    }

    @ConcurrentTest
    void fitfulReadersWithOneLoop() throws Exception {
        fitfulReaders(new Setting(Transport.NIO, false, 1));
    }

    @ConcurrentTest
    void fitfulReadersWithThreeLoops() throws Exception {
        fitfulReaders(new Setting(Transport.NIO, true, 3));
    }

    /** They stop and go on at any moment, and change their types. */
    private void fitfulReaders(Setting setting) throws Exception {
        Random random = Seeds.random("LatestTest fitful " + setting);
        Numbered messages = new Numbered(random, TYPES, 60, 60, 60, 4000, 100_000);
        try (Scene scene = Scene.small(setting, messages, b -> withState(b).set(CONFLATE_AFTER, 64 << 10))) {
            Map<SpeakingSubscriber, TypeRanges> readers = new HashMap<>();
            for (int i = 0; i < 6; i++) {
                TypeRanges types = i % 2 == 0 ? TypeRanges.ALL : FEW;
                HelloFrame.Builder hello = latest(types);
                SpeakingSubscriber reader = scene.paused().hello(i < 3 ? hello : hello.fromState(0, 0));
                reader.resumeUntilWelcome().awaitWelcome();
                readers.put(reader, types);
            }
            List<SpeakingSubscriber> all = new ArrayList<>(readers.keySet());
            for (int round = 0; round < 300; round++) {
                scene.publisher.publish(1 + random.nextInt(20));
                SpeakingSubscriber one = all.get(random.nextInt(all.size()));
                one.resume();
                if (random.nextBoolean()) {
                    one.pause();
                }
            }
            long end = scene.publisher.next();
            scene.relay.awaitMessagesIn(end - 1);
            readers.keySet().forEach(SpeakingSubscriber::resume);
            readers.forEach((reader, types) -> assertCaughtUp(messages, reader, types, end));
            readers.keySet()
                    .forEach(reader -> assertThat(StateTest.reasons(reader)).isSubsetOf(GapReason.SUPERSEDED));
            assertThat(scene.relay.stats().closes()).isEmpty();
            StateTest.awaitReaders(scene, 0);
        }
    }

    /** Its rate leaves it behind in bursts, often right before a message of its types, behind others. */
    @ConcurrentTest
    void inBursts() throws Exception {
        Numbered messages = new Numbered(Seeds.random("LatestTest bursts"), TYPES, 60);
        AccessPolicy access = Policies.of("board { token = secret, subscribe = all, max-rate = 2000 }\n"
                + "all { from = \"127.0.0.0/8\", publish = all, subscribe = all }");
        try (Scene scene = Scene.of(Setting.NIO_TCP, messages, b -> withState(b)
                .set(CONFLATE_AFTER, 1 << 10)
                .set(ACCESS, access))) {
            SpeakingSubscriber few = scene.welcomed(latest(FEW).token(Token.of("secret")));
            SpeakingSubscriber all = scene.welcomed(latest(TypeRanges.ALL));
            for (int burst = 0; burst < 300; burst++) {
                // The first ones come as a stream, and few of them are wanted.
                scene.publisher.publish(5);
                all.awaitNext(scene.publisher.next());
                scene.publisher.publish(40);
                all.awaitNext(scene.publisher.next());
            }
            assertCaughtUp(messages, few, FEW, scene.publisher.next());
            assertCaughtUp(messages, all, TypeRanges.ALL, scene.publisher.next());
            assertThat(StateTest.reasons(few)).containsExactly(GapReason.SUPERSEDED);
        }
    }

    /** Each start that lies before the log: the state has what is needed, and nothing is missing. */
    @ConcurrentTest
    void startsBeforeTheLog() throws Exception {
        Numbered messages = new Numbered(Seeds.random("LatestTest starts"), TYPES, 60, 40_000);
        try (Scene scene = Scene.small(Setting.NIO_TCP, messages, LatestTest::withState)) {
            long end = scene.fill(4L * TestRelay.SMALL_LOG);
            for (TypeRanges types : List.of(TypeRanges.ALL, FEW)) {
                for (long number : new long[] {1, 17, end - 1, end}) {
                    SpeakingSubscriber back = scene.greeting(latest(types).fromSequence(0, number));
                    assertThat(back.awaitWelcome().next()).isEqualTo(number);
                    assertCaughtUp(messages, back, types, end);
                    assertThat(StateTest.reasons(back)).isSubsetOf(GapReason.SUPERSEDED);
                }
            }
            Scene.assertError(
                    scene.greeting(latest(TypeRanges.ALL).fromSequence(0, end + 1)), CloseReason.BAD_START, "" + end);
        }
    }

    /** The journal is read only for the place of the start. */
    @ConcurrentTest
    void startsInTheJournal(@TempDir Path folder) throws Exception {
        Numbered messages = new Numbered(Seeds.random("LatestTest journal"), TYPES, 60, 40_000);
        try (Scene scene = Scene.small(new Setting(Transport.NIO, false, 2), messages, b -> withState(b)
                .set(JOURNAL, folder.resolve("journal"))
                .set(JOURNAL_SEGMENT, 16 << 20))) {
            long end = scene.fill(4L * TestRelay.SMALL_LOG);
            for (TypeRanges types : List.of(TypeRanges.ALL, FEW)) {
                List<HelloFrame.Builder> starts = List.of(
                        latest(types).fromEarliest(),
                        latest(types).fromTime(1),
                        latest(types).fromSequence(0, 9),
                        latest(types).fromState(0, 0));
                for (HelloFrame.Builder start : starts) {
                    SpeakingSubscriber reader = scene.greeting(start);
                    assertThat(reader.awaitWelcome().next()).isIn(1L, 9L);
                    assertCaughtUp(messages, reader, types, end);
                    assertThat(StateTest.reasons(reader)).containsExactly(GapReason.SUPERSEDED);
                }
            }
            assertThat(scene.relay.stats().get(Counter.JOURNAL_REPLAY_BYTES)).isZero();
            Await.until("no replay", () -> scene.relay.stats().get(Counter.JOURNAL_REPLAYS) == 0);
            scene.publisher.publish(100);
            scene.relay.awaitMessagesIn(end + 99);
        }
    }

    @ConcurrentTest
    void otherTypesWhileItConflates() throws Exception {
        Numbered messages = new Numbered(Seeds.random("LatestTest types"), TYPES, 60, 40_000);
        try (Scene scene = Scene.small(Setting.NIO_TCP, messages, LatestTest::withState)) {
            SpeakingSubscriber slow = scene.paused().hello(latest(FEW));
            slow.resumeUntilWelcome().awaitWelcome();
            scene.fill(4L * TestRelay.SMALL_LOG);
            slow.subscribe(1, TypeRanges.ALL);
            long end = scene.fill(4L * TestRelay.SMALL_LOG);
            slow.resume();
            Account.Said answer = slow.awaitSaid(ControlFrames.SUBSCRIBED, 1);
            long from = SubscribedFrame.decode(answer.body()).sequence();
            scene.publisher.publish(100);
            assertCaughtUp(messages, slow, FEW, end + 100);
            StateTest.assertViews(messages, slow, TypeRanges.ALL, from);
        }
    }

    /** What was forgotten is told first. */
    @ConcurrentTest
    void whatWasForgotten() throws Exception {
        Numbered messages = new Numbered(Seeds.random("LatestTest forgotten"), 20_000, 60);
        try (Scene scene =
                Scene.small(Setting.NIO_TCP, messages, b -> withState(b).set(STATE, 400_000))) {
            scene.publisher.publish(100_000);
            scene.relay.awaitMessagesIn(100_000);
            SpeakingSubscriber back = scene.greeting(latest(TypeRanges.ALL).fromSequence(0, 5));
            back.awaitNext(100_001);
            Account.Said gap = back.account().said(ControlFrames.GAP).get(0);
            assertThat(GapFrame.from(gap.body())).isEqualTo(5);
            assertThat(GapFrame.reason(gap.body())).isEqualTo(GapReason.NOT_HELD.code());
            StateTest.assertViews(messages, back, TypeRanges.ALL, GapFrame.to(gap.body()) + 1);
            assertThat(scene.relay.stats().get(Counter.JOURNAL_REPLAY_MISSED)).isZero();
        }
    }

    /** A rate makes it conflate, instead of ending it. */
    @ConcurrentTest
    void oneWithARate() throws Exception {
        Numbered messages = new Numbered(Seeds.random("LatestTest rate"), TYPES, 60);
        AccessPolicy access = Policies.of("board { token = secret, subscribe = all, max-rate = 8388608 }\n"
                + "feed { from = \"127.0.0.0/8\", publish = all }");
        try (Scene scene =
                Scene.small(Setting.NIO_TCP, messages, b -> withState(b).set(ACCESS, access))) {
            SpeakingSubscriber reader = scene.welcomed(latest(TypeRanges.ALL).token(Token.of("secret")));
            long end = scene.fill(8L * TestRelay.SMALL_LOG);
            assertCaughtUp(messages, reader, TypeRanges.ALL, end);
            assertThat(StateTest.reasons(reader)).containsExactly(GapReason.SUPERSEDED);
            assertThat(scene.relay.stats().closes()).isEmpty();
        }
    }

    @Over.Sockets
    void refusals(Setting setting) throws Exception {
        Numbered messages = new Numbered(Seeds.random("LatestTest refusals " + setting), TYPES, 60);
        TypeRanges kept = TypeRanges.of(1, 9);
        try (Scene scene = Scene.of(setting, messages, b -> withState(b).set(STATE_TYPES, kept))) {
            for (TypeRanges types : List.of(TypeRanges.ALL, TypeRanges.of(9, 10))) {
                Scene.assertError(
                        scene.greeting(latest(types)),
                        CloseReason.UNSUPPORTED,
                        "1-9",
                        "--state-types",
                        "policy latest",
                        types.toString());
            }
            Scene.assertError(
                    scene.greeting(latest(kept).level(Level.WRITTEN)), CloseReason.UNSUPPORTED, "latest", "written");
            SpeakingSubscriber widens = scene.welcomed(latest(kept));
            widens.subscribe(1, TypeRanges.of(2, 3));
            widens.awaitSaid(ControlFrames.SUBSCRIBED, 1);
            widens.subscribe(2, TypeRanges.of(2, 10));
            Scene.assertError(widens, CloseReason.UNSUPPORTED, "1-9", "2-10");
            // Others do not get the policy.
            assertThat(scene.welcomed(HelloFrame.subscriber())
                            .account()
                            .welcome()
                            .policy())
                    .isEqualTo(Policy.DISCONNECT);
        }
        try (Scene scene = Scene.of(setting, messages, b -> withState(b).set(ALLOW_POLICIES, List.of(Policy.SKIP)))) {
            assertThat(scene.welcomed(latest(TypeRanges.ALL))
                            .account()
                            .welcome()
                            .policy())
                    .isEqualTo(Policy.DISCONNECT);
        }
    }
}
