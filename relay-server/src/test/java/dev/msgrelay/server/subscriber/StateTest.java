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
import dev.msgrelay.protocol.SubscribeFrame;
import dev.msgrelay.protocol.SubscribedFrame;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Account;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Numbered;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.io.TempDir;

/** Subscribers that start with the state: the newest message of each type, then the stream from the exact next one. */
class StateTest {
    static final int TYPES = 500;

    // Where a reader is to be in the middle of the state, that has more bytes than a socket takes at once.

    static RelayConfig.Builder withState(RelayConfig.Builder relay) {
        return relay.set(STATE, 32 << 20).set(REPLAYS_PER_ADDRESS, 100_000);
    }

    private static HelloFrame.Builder ofState() {
        return SpeakingSubscriber.numbered(TypeRanges.ALL).fromState(0, 0);
    }

    /** Waits for the PING that says so: the state is complete. */
    static SpeakingSubscriber complete(SpeakingSubscriber subscriber) {
        Await.until(
                () -> "a complete state: " + subscriber,
                () -> pings(subscriber).stream().anyMatch(StateTest::completes)
                        || subscriber.account().wrong() != null);
        assertThat(subscriber.account().wrong()).isNull();
        return subscriber;
    }

    static void awaitReaders(Scene scene, long count) {
        Await.until(
                () -> count + " that get the state: " + scene.relay.stats(),
                () -> scene.relay.stats().get(Counter.STATE_READERS) == count);
    }

    static List<Account.Said> pings(SpeakingSubscriber subscriber) {
        return subscriber.account().said(ControlFrames.PING);
    }

    static boolean completes(Account.Said ping) {
        return PingFrame.next(ping.body()) == PingFrame.head(ping.body()) + 1;
    }

    /**
     * Checks that at each PING behind the state's start, and at the end, the subscriber had the newest message of each
     * type.
     */
    static void assertViews(Numbered messages, SpeakingSubscriber subscriber, TypeRanges types, long from) {
        assertThat(subscriber.account().wrong()).isNull();
        List<Long> places = new ArrayList<>();
        pings(subscriber).stream().map(ping -> PingFrame.next(ping.body())).forEach(places::add);
        places.add(subscriber.account().next());
        for (long next : places) {
            if (next > from) {
                newest(messages, from, next, types).forEach((type, number) -> assertThat(
                                subscriber.account().has(number))
                        .as("message %d of type %d at %d: %s", number, type, next, subscriber)
                        .isTrue());
            }
        }
    }

    static Map<Integer, Long> newest(Numbered messages, long from, long next, TypeRanges types) {
        Map<Integer, Long> newest = new HashMap<>();
        for (long number = from; number < next; number++) {
            if (types.contains(messages.type(number))) {
                newest.put(messages.type(number), number);
            }
        }
        return newest;
    }

    static List<GapReason> reasons(SpeakingSubscriber subscriber) {
        return subscriber.account().said(ControlFrames.GAP).stream()
                .map(gap -> GapReason.ofCode(GapFrame.reason(gap.body())))
                .distinct()
                .toList();
    }

    @Over.Pairs
    void theStateThenTheStream(Setting setting) throws Exception {
        Numbered messages = new Numbered(Seeds.random("StateTest " + setting), TYPES, 60, 300);
        try (Scene scene = Scene.of(setting, messages, StateTest::withState)) {
            SpeakingSubscriber first = complete(scene.greeting(ofState()));
            assertThat(first.awaitWelcome().next()).isEqualTo(1);
            scene.publisher.publish(5000);
            scene.relay.awaitMessagesIn(5000);
            SpeakingSubscriber second = complete(scene.greeting(ofState()));
            Map<Integer, Long> newest = newest(messages, 1, 5001, TypeRanges.ALL);
            assertThat(second.account().count()).isEqualTo(newest.size());
            assertThat(reasons(second)).containsExactly(GapReason.SUPERSEDED);
            assertThat(PingFrame.next(pings(second).get(0).body())).isEqualTo(5001);
            scene.publisher.publish(100);
            Scene.assertNoGap(5101, first);
            Scene.assertComplete(5101, second);
            assertThat(second.account().count()).isEqualTo(newest.size() + 100);
            assertViews(messages, second, TypeRanges.ALL, 1);
            // Nobody was too slow, nothing was missed.
            assertThat(scene.relay.stats().get(Counter.MESSAGES_SKIPPED)).isZero();
            assertThat(scene.relay.stats().get(Counter.STATE_JOINS)).isEqualTo(2);
            Await.until("all types", () -> scene.relay.stats().get(Counter.STATE_TYPES) == TYPES);
        }
    }

    /** Frames of one length, which the ring takes as such, whatever their types. */
    @ConcurrentTest
    void typesOfOneLength() throws Exception {
        Numbered messages = new Numbered(Seeds.random("StateTest one length"), 5, 8);
        try (Scene scene = Scene.of(Setting.NIO_TCP, messages, StateTest::withState)) {
            for (int i = 0; i < 50; i++) {
                scene.publisher.publish(200);
                scene.relay.awaitMessagesIn(scene.publisher.next() - 1);
                assertViews(messages, complete(scene.greeting(ofState())), TypeRanges.ALL, 1);
            }
        }
    }

    @ConcurrentTest
    void joinsUnderLoadWithOneLoop() throws Exception {
        joinsUnderLoad(1);
    }

    @ConcurrentTest
    void joinsUnderLoadWithThreeLoops() throws Exception {
        joinsUnderLoad(3);
    }

    private void joinsUnderLoad(int loops) throws Exception {
        Random random = Seeds.random("StateTest load " + loops);
        // Many to a batch, and longer than a batch.
        Numbered messages = new Numbered(random, TYPES, 60, 60, 60, 60, 4000, 100_000);
        Setting setting = new Setting(Transport.NIO, false, loops);
        // A log that is used again all the time, so most of the state is copied.
        try (Scene scene =
                Scene.small(setting, messages, b -> withState(b).set(SLOW_SUBSCRIBER, Policy.BACKPRESSURE))) {
            Map<SpeakingSubscriber, TypeRanges> joined = new HashMap<>();
            for (int round = 0; round < 300; round++) {
                scene.publisher.publish(1 + random.nextInt(20));
                if (round % 10 == 0) {
                    TypeRanges types = random.nextBoolean() ? TypeRanges.ALL : TypeRanges.of(7, 90, 200, 201);
                    joined.put(scene.greeting(SpeakingSubscriber.numbered(types).fromState(0, 1)), types);
                }
                if (round % 50 == 49) {
                    joined.keySet().forEach(StateTest::complete);
                    awaitAll(scene.publisher.next(), joined);
                }
            }
            scene.publisher.publish(1000);
            awaitAll(scene.publisher.next(), joined);
            joined.forEach((subscriber, types) -> {
                assertViews(messages, subscriber, types, 1);
                assertThat(pings(subscriber)).anyMatch(StateTest::completes);
            });
            assertThat(scene.relay.stats().get(Counter.STATE_READERS)).isZero();
            assertThat(scene.relay.stats().get(Counter.STATE_FORGOTTEN)).isZero();
        }
    }

    private static void awaitAll(long end, Map<SpeakingSubscriber, TypeRanges> joined) {
        joined.forEach((subscriber, types) -> {
            if (types.isAll()) {
                subscriber.awaitNext(end);
            }
        });
    }

    @Over.Sockets
    void oneThatComesBack(Setting setting) throws Exception {
        Numbered messages = new Numbered(Seeds.random("StateTest back " + setting), TYPES, 60);
        try (Scene scene = Scene.of(setting, messages, StateTest::withState)) {
            scene.publisher.publish(3000);
            scene.relay.awaitMessagesIn(3000);
            long epoch = complete(scene.greeting(ofState())).account().welcome().epoch();
            for (long number : new long[] {2, 1500, 2990, 3000, 3001}) {
                SpeakingSubscriber back = complete(scene.greeting(ofState().fromState(epoch, number)));
                assertThat(back.account().welcome().next()).isEqualTo(number);
                assertThat(back.account().welcome().epochChanged()).isFalse();
                assertThat(back.account().count())
                        .isEqualTo(
                                newest(messages, number, 3001, TypeRanges.ALL).size());
                assertThat(back.account().next()).isEqualTo(3001);
                assertViews(messages, back, TypeRanges.ALL, number);
            }
            SpeakingSubscriber foreign = complete(scene.greeting(ofState().fromState(4711, 2000)));
            WelcomeFrame welcome = foreign.account().welcome();
            assertThat(welcome.epochChanged()).isTrue();
            assertThat(welcome.next()).isEqualTo(1);
            assertThat(foreign.account().count())
                    .isEqualTo(newest(messages, 1, 3001, TypeRanges.ALL).size());
            SpeakingSubscriber beyond = scene.greeting(ofState().fromState(epoch, 3002));
            Scene.assertError(beyond, CloseReason.BAD_START, "3002", "3001");
        }
    }

    /** One that stops reading in the middle; meanwhile the log drops the place where the state would have ended. */
    @Over.Pairs
    void aSlowReader(Setting setting) throws Exception {
        Numbered messages = new Numbered(Seeds.random("StateTest slow " + setting), TYPES, 60, 120_000);
        try (Scene scene = Scene.small(setting, messages, StateTest::withState)) {
            long end = scene.fill(40 << 20);
            SpeakingSubscriber slow = scene.paused().hello(ofState());
            slow.resumeUntilWelcome().awaitWelcome();
            awaitReaders(scene, 1);
            for (int i = 0; i < 3; i++) {
                end = scene.fill(2L * TestRelay.SMALL_LOG);
            }
            assertThat(scene.relay.stats().closes()).isEmpty();
            slow.resume();
            complete(slow).awaitNext(end);
            assertViews(messages, slow, TypeRanges.ALL, 1);
            assertThat(reasons(slow)).containsExactly(GapReason.SUPERSEDED);
            awaitReaders(scene, 0);
        }
    }

    /** The stream of the new types begins where the state ends. */
    @Over.Sockets
    void otherTypesWhileItRuns(Setting setting) throws Exception {
        Numbered messages = new Numbered(Seeds.random("StateTest types " + setting), TYPES, 60, 120_000);
        // Under any load the new messages are not faster than their reader.
        try (Scene scene = Scene.of(setting, messages, b -> withState(b).set(SLOW_SUBSCRIBER, Policy.BACKPRESSURE))) {
            long end = scene.fill(40 << 20);
            TypeRanges few = TypeRanges.of(0, 399);
            SpeakingSubscriber subscriber =
                    scene.paused().hello(SpeakingSubscriber.numbered(few).fromState(0, 0));
            subscriber.resumeUntilWelcome().awaitWelcome();
            awaitReaders(scene, 1);
            TypeRanges more = TypeRanges.of(300, 449);
            subscriber.subscribe(1, more);
            subscriber.resume();
            complete(subscriber);
            Account.Said answer = subscriber.awaitSaid(ControlFrames.SUBSCRIBED, 1);
            assertThat(SubscribedFrame.decode(answer.body()).sequence()).isEqualTo(end);
            newest(messages, 1, end, few).values().forEach(number -> assertThat(
                            subscriber.account().has(number))
                    .isTrue());
            scene.publisher.publish(1000);
            long newer = scene.publisher.next();
            Await.until("the new types", () -> newest(messages, end, newer, more).values().stream()
                    .allMatch(number -> subscriber.account().has(number)));
            assertThat(subscriber.account().wrong()).isNull();
        }
    }

    /** A SUBSCRIBE that comes with HELLO, as one before WELCOME: the state has the types of HELLO. */
    @Over.Sockets
    void otherTypesBeforeWelcome(Setting setting) throws Exception {
        Numbered messages = new Numbered(Seeds.random("StateTest before WELCOME " + setting), TYPES, 60);
        TypeRanges few = TypeRanges.of(0, 99);
        TypeRanges others = TypeRanges.of(300, 449);
        try (Scene scene = Scene.small(setting, messages, StateTest::withState)) {
            long end = scene.fill(4L * TestRelay.SMALL_LOG);
            for (HelloFrame.Builder hello : List.of(
                    SpeakingSubscriber.numbered(few).fromState(0, 0),
                    SpeakingSubscriber.numbered(few).fromSequence(0, 1).policy(Policy.LATEST))) {
                SpeakingSubscriber subscriber = scene.paused();
                HelloFrame said = hello.build();
                subscriber.account().begin(said);
                subscriber.account().requested(1, others);
                ByteBuffer both = ByteBuffer.allocate(1000).put(said.encode());
                subscriber.send(both.put(new SubscribeFrame(1, others).encode()).flip());
                subscriber.resume();
                complete(subscriber);
                Account.Said answer = subscriber.awaitSaid(ControlFrames.SUBSCRIBED, 1);
                assertThat(SubscribedFrame.decode(answer.body()).sequence()).isEqualTo(end);
                assertThat(newest(messages, 1, end, few).values()).allMatch(subscriber.account()::has);
                assertThat(subscriber.account().wrong()).isNull();
            }
        }
    }

    @ConcurrentTest
    void whatWasForgotten() throws Exception {
        Numbered messages = new Numbered(Seeds.random("StateTest forgotten"), 20_000, 60);
        try (Scene scene =
                Scene.small(Setting.NIO_TCP, messages, b -> withState(b).set(STATE, 400_000))) {
            scene.publisher.publish(30_000);
            scene.relay.awaitMessagesIn(30_000);
            Await.until(
                    "figures",
                    () -> scene.relay.stats().get(Counter.STATE_FORGOTTEN) > 0
                            && scene.relay.stats().get(Counter.STATE_TYPES) > 0);
            SpeakingSubscriber subscriber = complete(scene.greeting(ofState()));
            Account.Said gap = subscriber.account().said(ControlFrames.GAP).get(0);
            long lost = GapFrame.to(gap.body());
            assertThat(GapFrame.from(gap.body())).isEqualTo(1);
            assertThat(GapFrame.reason(gap.body())).isEqualTo(GapReason.NOT_HELD.code());
            Await.until("figures", () -> scene.relay.stats().get(Counter.STATE_FORGOTTEN_VALUE) == lost);
            assertThat(scene.relay.stats().get(Counter.STATE_BYTES)).isBetween(1L, 400_000L);
            assertViews(messages, subscriber, TypeRanges.ALL, lost + 1);
            SpeakingSubscriber whole = complete(scene.greeting(ofState().fromState(0, lost + 1)));
            assertThat(reasons(whole)).doesNotContain(GapReason.NOT_HELD);
        }
    }

    /** With a journal the state is read again, also what the journal has dropped meanwhile. */
    @ConcurrentTest
    void afterARestart(@TempDir Path folder) throws Exception {
        Numbered messages = new Numbered(Seeds.random("StateTest restart"), TYPES, 60, 60, 3000, 150_000);
        long whole = restarted(messages, folder.resolve("whole"), 1 << 30, 20 << 20);
        assertThat(whole).isZero();
        long dropped = restarted(messages, folder.resolve("dropped"), 32 << 20, 100 << 20);
        assertThat(dropped).isZero();
    }

    /** Returns the newest message that is lost. */
    private static long restarted(Numbered messages, Path journal, long keep, long bytes) throws Exception {
        UnaryOperator<RelayConfig.Builder> settings = b -> Scene.small(withState(b))
                .set(JOURNAL, journal)
                .set(JOURNAL_SEGMENT, 16 << 20)
                .set(JOURNAL_KEEP, keep);
        long epoch;
        long end;
        try (Scene scene = Scene.of(Setting.NIO_TCP, messages, settings)) {
            end = scene.fill(bytes);
            epoch = complete(scene.greeting(ofState())).account().welcome().epoch();
        }
        try (Scene scene = new Scene(TestRelay.start(Setting.NIO_TCP, settings), messages, end)) {
            SpeakingSubscriber subscriber = complete(scene.greeting(ofState()));
            long lost = subscriber.account().said(ControlFrames.GAP).stream()
                    .filter(gap -> GapFrame.reason(gap.body()) == GapReason.NOT_HELD.code())
                    .mapToLong(gap -> GapFrame.to(gap.body()))
                    .sum();
            assertThat(subscriber.account().next()).isEqualTo(end);
            assertViews(messages, subscriber, TypeRanges.ALL, lost + 1);
            scene.publisher.publish(600);
            scene.relay.awaitMessagesIn(600);
            // One that had all of the life before lacks nothing.
            SpeakingSubscriber back = complete(scene.greeting(ofState().fromState(epoch, end)));
            assertThat(back.account().welcome().epochChanged()).isFalse();
            assertThat(reasons(back)).doesNotContain(GapReason.NOT_HELD);
            assertViews(messages, back, TypeRanges.ALL, end);
            SpeakingSubscriber late = complete(scene.greeting(ofState()));
            assertViews(messages, late, TypeRanges.ALL, lost + 1);
            return lost;
        }
    }

    @Over.Sockets
    void refusals(Setting setting) throws Exception {
        Numbered messages = new Numbered(Seeds.random("StateTest refusals " + setting), TYPES, 60);
        try (Scene scene = Scene.of(setting, messages)) {
            Scene.assertError(scene.greeting(ofState()), CloseReason.UNSUPPORTED, "state", "--state");
            Scene.assertError(
                    scene.greeting(HelloFrame.subscriber().policy(Policy.LATEST)), CloseReason.UNSUPPORTED, "latest");
            assertThat(scene.relay.closed(CloseReason.UNSUPPORTED)).isEqualTo(2);
            // Figures that this relay does not have.
            assertThat(scene.relay.stats().values()).doesNotContainKey(Counter.STATE_TYPES);
        }
        TypeRanges kept = TypeRanges.of(1, 9, 20, 29);
        try (Scene scene = Scene.of(setting, messages, b -> withState(b).set(STATE_TYPES, kept))) {
            for (TypeRanges types : List.of(TypeRanges.ALL, TypeRanges.of(9, 10), TypeRanges.of(5, 25))) {
                SpeakingSubscriber refused =
                        scene.greeting(SpeakingSubscriber.numbered(types).fromState(0, 0));
                Scene.assertError(refused, CloseReason.UNSUPPORTED, "1-9,20-29", "--state-types", types.toString());
            }
            Scene.assertError(
                    scene.greeting(ofState().types(kept).level(Level.WRITTEN)), CloseReason.UNSUPPORTED, "written");
            complete(scene.greeting(ofState().types(TypeRanges.of(2, 3, 20, 20)).level(Level.STREAM)));
        }
    }

    /** Those for whom it is too early are welcomed, get PINGs that are no end of a state, and wait. */
    @ConcurrentTest
    void oneAfterTheOther() throws Exception {
        Numbered messages = new Numbered(Seeds.random("StateTest turns"), TYPES, 60);
        try (Scene scene = Scene.of(Setting.NIO_TCP, messages, b -> withState(b)
                .set(REPLAYS_PER_ADDRESS, 1)
                .set(HEARTBEAT, Duration.ofMillis(100)))) {
            scene.publisher.publish(1000);
            scene.relay.awaitMessagesIn(1000);
            complete(scene.greeting(ofState()));
            SpeakingSubscriber second = scene.greeting(ofState());
            second.awaitWelcome();
            second.awaitSaid(ControlFrames.PING, 1);
            complete(second);
            assertThat(second.account().count())
                    .isEqualTo(newest(messages, 1, 1001, TypeRanges.ALL).size());
            assertViews(messages, second, TypeRanges.ALL, 1);
        }
    }

    @ConcurrentTest
    void aThousandJoinsBesideAHealthyPair() throws Exception {
        Numbered messages = new Numbered(Seeds.random("StateTest thousand"), TYPES, 60);
        try (Scene scene = Scene.of(new Setting(Transport.NIO, false, 2), messages, b -> withState(b)
                .set(HANDSHAKES_PER_ADDRESS, 100_000))) {
            SpeakingSubscriber healthy = scene.welcomed(HelloFrame.subscriber());
            for (int round = 0; round < 20; round++) {
                List<SpeakingSubscriber> joined = new ArrayList<>();
                for (int i = 0; i < 50; i++) {
                    joined.add(scene.relay.speaker(messages).hello(ofState()));
                    scene.publisher.publish(10);
                }
                healthy.awaitNext(scene.publisher.next());
                for (SpeakingSubscriber subscriber : joined) {
                    complete(subscriber).close();
                    assertViews(messages, subscriber, TypeRanges.ALL, 1);
                }
            }
            assertThat(scene.relay.stats().get(Counter.STATE_JOINS)).isEqualTo(1000);
            scene.relay.awaitSubscribers(1);
            awaitReaders(scene, 0);
            Scene.assertNoGap(scene.publisher.next(), healthy);
        }
    }

    /** Hangs up at any place of the state: the memory comes back, which the end of the relay checks. */
    @Over.Pairs
    void cutAnywhere(Setting setting) throws Exception {
        Random random = Seeds.random("StateTest cut " + setting);
        Numbered messages = new Numbered(random, TYPES, 60, 40_000, 200_000);
        try (Scene scene = Scene.of(setting, messages, b -> withState(b).set(STATE, 64 << 20))) {
            long end = scene.fill(30 << 20);
            for (int i = 0; i < 100; i++) {
                SpeakingSubscriber subscriber = scene.relay.speaker(messages).hello(ofState());
                if (random.nextBoolean()) {
                    subscriber.awaitWelcome();
                }
                if (random.nextBoolean()) {
                    subscriber.awaitNext(1 + random.nextLong(end / 2));
                }
                subscriber.close();
            }
            complete(scene.greeting(ofState()));
            awaitReaders(scene, 0);
        }
    }
}
