package dev.msgrelay.server.subscriber;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Numbered;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.SpeakingSubscriber;
import dev.msgrelay.server.harness.Stream;
import dev.msgrelay.server.harness.TestRelay;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Subscribers that say HELLO and then read too slowly: each policy does what it says, and tells exactly what it did.
 */
class SlowSpeakersTest {
    private static final int TYPES = 10;
    private static final TypeRanges SOME = TypeRanges.of(0, 6);

    private static Scene scene(Setting setting, UnaryOperator<RelayConfig.Builder> more) throws Exception {
        Random random = Seeds.random("SlowSpeakersTest " + setting);
        return Scene.small(setting, new Numbered(random, TYPES, 60, 700, 700, 9000, 100_000), more);
    }

    private static HelloFrame.Builder all(Policy policy) {
        return HelloFrame.subscriber().policy(policy);
    }

    private static HelloFrame.Builder some(Policy policy) {
        return SpeakingSubscriber.numbered(SOME).policy(policy);
    }

    /** A publisher at full speed, readers that pause: what is missing is told, to the message. */
    @Over.Pairs
    void skipTellsWhatIsMissed(Setting setting) throws Exception {
        try (Scene scene = scene(setting, b -> b.set(HEARTBEAT, Duration.ofMillis(100)))) {
            SpeakingSubscriber all = scene.welcomedNarrow(all(Policy.SKIP));
            SpeakingSubscriber some = scene.welcomedNarrow(some(Policy.SKIP));
            assertThat(all.account().welcome().policy()).isEqualTo(Policy.SKIP);
            scene.flood();
            for (int pause = 0; pause < 3; pause++) {
                all.pause();
                some.pause();
                scene.awaitFlood(Stream.ENOUGH / 2);
                all.resume();
                some.resume();
                // It has missed something, was told, and goes on behind it.
                long now = scene.publisher.next();
                all.awaitNext(now);
                some.awaitNext(now);
            }
            long end = scene.endFlood();
            for (SpeakingSubscriber slow : List.of(all, some)) {
                // The last PING says that nothing more is missing, also where no message of its types came last.
                Scene.assertComplete(end, slow);
                assertThat(slow.account().missed()).isPositive();
                assertThat(slow.account().said(ControlFrames.GAP))
                        .allSatisfy(g -> assertThat(GapFrame.reason(g.body())).isEqualTo(GapReason.SLOW.code()));
            }
            assertThat(scene.relay.stats().get(Counter.MESSAGES_SKIPPED))
                    .isEqualTo(all.account().missed() + some.account().missed());
            assertThat(scene.relay.stats().closes()).isEmpty();
        }
    }

    @Over.Sockets
    void disconnectIsSaidBehindAWholeFrame(Setting setting) throws Exception {
        for (HelloFrame.Builder hello : List.of(all(Policy.DISCONNECT), SpeakingSubscriber.numbered(SOME))) {
            try (Scene scene = scene(setting, b -> b)) {
                TestRelay relay = scene.relay;
                SpeakingSubscriber good = scene.welcomed(HelloFrame.subscriber());
                SpeakingSubscriber slow = scene.welcomedNarrow(hello);
                assertThat(slow.account().welcome().policy()).isEqualTo(Policy.DISCONNECT);
                slow.pause();
                scene.workers.start("publisher", () -> publishUntilOneIsTooSlow(scene, good));
                // It reads on at once, while it can still be told.
                Await.until(
                        () -> "too slow: " + relay.stats(),
                        () -> relay.closed(CloseReason.SLOW_SUBSCRIBER) > 0 || scene.workers.failed());
                slow.resume();
                scene.workers.join();
                Scene.assertError(slow, CloseReason.SLOW_SUBSCRIBER, "" + TestRelay.SMALL_LOG);
                slow.account().assertCompleteUpTo(slow.account().next());
                assertThat(slow.account().missed()).isZero();
                assertThat(relay.closed(CloseReason.SLOW_SUBSCRIBER)).isEqualTo(1);
                Scene.assertComplete(scene.publisher.next(), good);
            }
        }
    }

    private static void publishUntilOneIsTooSlow(Scene scene, SpeakingSubscriber good) {
        while (scene.relay.closed(CloseReason.SLOW_SUBSCRIBER) == 0) {
            scene.publisher.publishBytes(100_000);
            good.awaitNext(scene.publisher.next());
        }
    }

    @Over.Sockets
    void aPlainOneIsToldNothing(Setting setting) throws Exception {
        try (Scene scene = scene(setting, b -> b)) {
            SpeakingSubscriber good = scene.welcomed(HelloFrame.subscriber());
            SpeakingSubscriber slow = scene.paused();
            scene.relay.awaitSubscribers(2);
            publishUntilOneIsTooSlow(scene, good);
            slow.resume();
            slow.awaitEnd();
            assertThat(slow.account().wrong()).isNull();
            assertThat(slow.account().said()).isEmpty();
            assertThat(slow.account().plainGaps()).isZero();
            assertThat(slow.account().plainNext()).isBetween(2L, scene.publisher.next() - 1);
            good.account().assertCompleteUpTo(scene.publisher.next());
        }
    }

    /** Who asks for backpressure and may have it holds the publisher back, wherever its stream starts. */
    @Over.Pairs
    void backpressureLosesNothing(Setting setting) throws Exception {
        try (Scene scene = scene(setting, b -> b.set(ALLOW_POLICIES, Set.of(Policy.BACKPRESSURE)))) {
            SpeakingSubscriber live = scene.welcomedNarrow(all(Policy.BACKPRESSURE));
            SpeakingSubscriber filtered = scene.welcomedNarrow(some(Policy.BACKPRESSURE));
            assertThat(live.account().welcome().policy()).isEqualTo(Policy.BACKPRESSURE);
            live.pause();
            filtered.pause();
            scene.flood();
            awaitStandstill(scene.relay, TestRelay.SMALL_LOG / 4);
            assertThat(scene.relay.stats().get(Counter.LARGEST_LAG_BYTES)).isLessThanOrEqualTo(TestRelay.SMALL_LOG);
            live.resume();
            filtered.resume();
            scene.awaitFlood(Stream.ENOUGH / 4);
            Scene.assertComplete(scene.endFlood(), live);
            filtered.account().assertCompleteUpTo(filtered.account().next());
            assertThat(live.account().missed() + filtered.account().missed()).isZero();
            assertThat(scene.relay.stats().closes()).isEmpty();
        }
    }

    /** It starts far back in the log, while messages come in at full speed: from WELCOME on they wait for it. */
    @Over.Pairs
    void backpressureFromEarliest(Setting setting) throws Exception {
        // Skip is what holds until HELLO is there.
        try (Scene scene = scene(setting, b -> b.set(LOG_SIZE, 16 << 20)
                .set(SLOW_SUBSCRIBER, Policy.SKIP)
                .set(ALLOW_POLICIES, Set.of(Policy.BACKPRESSURE)))) {
            scene.publisher.publishBytes(20 << 20);
            scene.flood();
            SpeakingSubscriber subscriber = scene.paused()
                    .hello(all(Policy.BACKPRESSURE).fromEarliest())
                    .resumeUntilWelcome();
            subscriber.awaitWelcome();
            awaitStandstill(scene.relay, 0);
            assertThat(scene.relay.stats().closes()).isEmpty();
            subscriber.resume();
            subscriber.awaitNext(scene.publisher.next());
            Scene.assertComplete(scene.endFlood(), subscriber);
            assertThat(subscriber.account().missed()).isZero();
            assertThat(scene.relay.stats().closes()).isEmpty();
        }
    }

    private static void awaitStandstill(TestRelay relay, long atLeast) {
        Await.until(() -> "the stream stands still: " + relay.stats(), () -> {
            long in = relay.stats().get(Counter.BYTES_IN);
            return !relay.stats().closes().isEmpty()
                    || in > atLeast && Await.staysTrue(50, () -> relay.stats().get(Counter.BYTES_IN) == in);
        });
    }

    @Over.Sockets
    void theGrantedPolicyHoldsFromWelcomeOn(Setting setting) throws Exception {
        try (Scene scene = scene(setting, b -> b.set(SLOW_SUBSCRIBER, Policy.SKIP))) {
            SpeakingSubscriber subscriber = scene.paused();
            scene.relay.awaitSubscribers(1);
            // Its write is stuck, and the log has gone on over it.
            long end = scene.fill(Stream.ENOUGH);
            subscriber.hello(all(Policy.DISCONNECT));
            scene.publisher.publish(1);
            scene.relay.awaitMessagesIn(end);
            subscriber.resume();
            assertThat(subscriber.awaitWelcome().policy()).isEqualTo(Policy.DISCONNECT);
            scene.publisher.publish(100);
            Scene.assertComplete(end + 101, subscriber);
            assertThat(scene.relay.stats().closes()).isEmpty();
        }
    }

    @Over.Sockets
    void whoStallsPublishersIsToldAndCutOff(Setting setting) throws Exception {
        try (Scene scene = scene(setting, b -> b.set(STALL_TIMEOUT, Duration.ofSeconds(3))
                .set(ALLOW_POLICIES, Set.of(Policy.BACKPRESSURE)))) {
            SpeakingSubscriber stalled = scene.welcomedNarrow(all(Policy.BACKPRESSURE));
            stalled.pause();
            scene.flood();
            scene.relay.awaitClosed(CloseReason.STALLED_SUBSCRIBER, 1);
            // For as long again its ERROR waits for room in the socket.
            stalled.resume();
            Scene.assertError(stalled, CloseReason.STALLED_SUBSCRIBER, "3000 ms");
            stalled.account().assertCompleteUpTo(stalled.account().next());
            long now = scene.publisher.next();
            Await.until("publishers go on", () -> scene.publisher.next() > now + 1000 || scene.workers.failed());
            scene.endFlood();
        }
    }
}
