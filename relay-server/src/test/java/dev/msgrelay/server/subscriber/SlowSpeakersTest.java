package dev.msgrelay.server.subscriber;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.harness.Account;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Numbered;
import dev.msgrelay.server.harness.NumberedPublisher;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.SpeakingSubscriber;
import dev.msgrelay.server.harness.Stream;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.Workers;
import dev.msgrelay.server.ops.Counter;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Subscribers that say HELLO and then read too slowly: each policy does what it says, and tells exactly what it did. */
class SlowSpeakersTest {
    private static final int TYPES = 10;
    private static final TypeRanges SOME = TypeRanges.of(0, 6);

    private static TestRelay relay(Setting setting, UnaryOperator<RelayConfig.Builder> more) throws Exception {
        return TestRelay.start(
                setting,
                b -> more.apply(b.ringSize(TestRelay.SMALL_RING)
                        .logSize(TestRelay.SMALL_LOG)
                        .maxBody(TestRelay.SMALL_MAX_BODY)));
    }

    private static Numbered messages(String test, Setting setting) {
        return new Numbered(Seeds.random(test + " " + setting), TYPES, 60, 700, 700, 9000, 100_000);
    }

    /** A publisher at full speed, readers that pause: what is missing is told, to the message. */
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#pairs")
    void skipTellsWhatIsMissed(Setting setting) throws Exception {
        Numbered messages = messages("SlowSpeakersTest", setting);
        Workers workers = new Workers();
        try (TestRelay relay = relay(setting, b -> b.heartbeat(Duration.ofMillis(100)));
                NumberedPublisher publisher = new NumberedPublisher(relay, messages);
                SpeakingSubscriber all = relay.pausedSpeaker(messages);
                SpeakingSubscriber some = relay.pausedSpeaker(messages)) {
            all.hello(HelloFrame.subscriber().policy(Policy.SKIP)).resume();
            some.hello(HelloFrame.subscriber().policy(Policy.SKIP).types(SOME).features(Features.SEQUENCES))
                    .resume();
            assertThat(all.awaitWelcome().policy()).isEqualTo(Policy.SKIP);
            some.awaitWelcome();
            publisher.publishOn(workers);
            for (int pause = 0; pause < 3; pause++) {
                all.pause();
                some.pause();
                long until = publisher.bytes() + Stream.ENOUGH / 2;
                Await.until("the log runs away", () -> publisher.bytes() > until || workers.failed());
                all.resume();
                some.resume();
                // It has missed something, was told, and goes on behind it.
                long now = publisher.next();
                all.awaitNext(now);
                some.awaitNext(now);
            }
            publisher.stop();
            workers.join();
            long end = publisher.next();
            for (SpeakingSubscriber slow : new SpeakingSubscriber[] {all, some}) {
                // The last PING says that nothing more is missing, also where no message of its types came last.
                slow.awaitNext(end);
                Account account = slow.account();
                account.assertCompleteUpTo(end);
                assertThat(account.missed()).isPositive();
                assertThat(account.said(ControlFrames.GAP))
                        .allSatisfy(g -> assertThat(GapFrame.reason(g.body())).isEqualTo(GapReason.SLOW.code()));
            }
            assertThat(relay.stats().get(Counter.MESSAGES_SKIPPED))
                    .isEqualTo(all.account().missed() + some.account().missed());
            assertThat(relay.stats().closes()).isEmpty();
        }
    }

    /** What was begun is completed, then comes ERROR. */
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    void disconnectIsSaidBehindAWholeFrame(Setting setting) throws Exception {
        HelloFrame.Builder filtered = HelloFrame.subscriber().types(SOME).features(Features.SEQUENCES);
        for (HelloFrame.Builder hello : List.of(HelloFrame.subscriber().policy(Policy.DISCONNECT), filtered)) {
            Numbered messages = messages("SlowSpeakersTest", setting);
            Workers workers = new Workers();
            try (TestRelay relay = relay(setting, b -> b);
                    NumberedPublisher publisher = new NumberedPublisher(relay, messages);
                    SpeakingSubscriber good = relay.speaker(messages);
                    SpeakingSubscriber slow = relay.pausedSpeaker(messages)) {
                good.hello(HelloFrame.subscriber()).awaitWelcome();
                slow.hello(hello).resume();
                assertThat(slow.awaitWelcome().policy()).isEqualTo(Policy.DISCONNECT);
                slow.pause();
                workers.start("publisher", () -> {
                    while (relay.closed(CloseReason.SLOW_SUBSCRIBER) == 0) {
                        publisher.publishBytes(100_000);
                        good.awaitNext(publisher.next());
                    }
                });
                // It reads on at once, while it can still be told.
                Await.until(
                        () -> "too slow: " + relay.stats(),
                        () -> relay.closed(CloseReason.SLOW_SUBSCRIBER) > 0 || workers.failed());
                slow.resume();
                workers.join();
                PlainPublisher.Error error = slow.awaitError();
                assertThat(error.code()).isEqualTo(CloseReason.SLOW_SUBSCRIBER.code());
                assertThat(error.text()).contains("" + TestRelay.SMALL_LOG);
                slow.account().assertCompleteUpTo(slow.account().next());
                assertThat(slow.account().missed()).isZero();
                assertThat(relay.closed(CloseReason.SLOW_SUBSCRIBER)).isEqualTo(1);
                good.awaitNext(publisher.next()).account().assertCompleteUpTo(publisher.next());
            }
        }
    }

    /** A plain one is cut, and gets not one byte that is not of the stream. */
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    void aPlainOneIsToldNothing(Setting setting) throws Exception {
        Numbered messages = messages("SlowSpeakersTest", setting);
        try (TestRelay relay = relay(setting, b -> b);
                NumberedPublisher publisher = new NumberedPublisher(relay, messages);
                SpeakingSubscriber good = relay.speaker(messages);
                SpeakingSubscriber slow = relay.pausedSpeaker(messages)) {
            good.hello(HelloFrame.subscriber()).awaitWelcome();
            relay.awaitSubscribers(2);
            while (relay.closed(CloseReason.SLOW_SUBSCRIBER) < 1) {
                publisher.publishBytes(100_000);
                good.awaitNext(publisher.next());
            }
            slow.resume();
            slow.awaitEnd();
            assertThat(slow.account().wrong()).isNull();
            assertThat(slow.account().said()).isEmpty();
            assertThat(slow.account().plainGaps()).isZero();
            assertThat(slow.account().plainNext()).isBetween(2L, publisher.next() - 1);
            good.account().assertCompleteUpTo(publisher.next());
        }
    }

    /** Who asks for backpressure and may have it holds the publisher back, wherever its stream starts. */
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#pairs")
    void backpressureLosesNothing(Setting setting) throws Exception {
        Numbered messages = messages("SlowSpeakersTest", setting);
        Workers workers = new Workers();
        try (TestRelay relay = relay(setting, b -> b.allowPolicies(Set.of(Policy.BACKPRESSURE)));
                NumberedPublisher publisher = new NumberedPublisher(relay, messages);
                SpeakingSubscriber live = relay.pausedSpeaker(messages);
                SpeakingSubscriber filtered = relay.pausedSpeaker(messages)) {
            live.hello(HelloFrame.subscriber().policy(Policy.BACKPRESSURE)).resume();
            filtered.hello(HelloFrame.subscriber()
                            .policy(Policy.BACKPRESSURE)
                            .features(Features.SEQUENCES)
                            .types(SOME))
                    .resume();
            assertThat(live.awaitWelcome().policy()).isEqualTo(Policy.BACKPRESSURE);
            filtered.awaitWelcome();
            live.pause();
            filtered.pause();
            publisher.publishOn(workers);
            awaitStandstill(relay, TestRelay.SMALL_LOG / 4);
            assertThat(relay.stats().get(Counter.LARGEST_LAG_BYTES)).isLessThanOrEqualTo(TestRelay.SMALL_LOG);
            live.resume();
            filtered.resume();
            long until = publisher.bytes() + Stream.ENOUGH / 4;
            Await.until("it goes on", () -> publisher.bytes() > until || workers.failed());
            publisher.stop();
            workers.join();
            live.awaitNext(publisher.next()).account().assertCompleteUpTo(publisher.next());
            filtered.account().assertCompleteUpTo(filtered.account().next());
            assertThat(live.account().missed() + filtered.account().missed()).isZero();
            assertThat(relay.stats().closes()).isEmpty();
        }
    }

    /** It starts far back in the log, while messages come in at full speed: from WELCOME on they wait for it. */
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#pairs")
    void backpressureFromEarliest(Setting setting) throws Exception {
        Numbered messages = messages("SlowSpeakersTest", setting);
        Workers workers = new Workers();
        try (TestRelay relay = relay(
                        setting,
                        // Skip is what holds until HELLO is there.
                        b -> b.logSize(16 << 20)
                                .slowSubscriber(Policy.SKIP)
                                .allowPolicies(Set.of(Policy.BACKPRESSURE)));
                NumberedPublisher publisher = new NumberedPublisher(relay, messages)) {
            publisher.publishBytes(20 << 20).publishOn(workers);
            try (SpeakingSubscriber subscriber = relay.pausedSpeaker(messages)) {
                subscriber
                        .hello(HelloFrame.subscriber()
                                .policy(Policy.BACKPRESSURE)
                                .fromEarliest())
                        .resumeUntilWelcome()
                        .awaitWelcome();
                Await.until(() -> "held back: " + relay.stats(), () -> {
                    long in = relay.stats().get(Counter.BYTES_IN);
                    return !relay.stats().closes().isEmpty()
                            || Await.staysTrue(50, () -> relay.stats().get(Counter.BYTES_IN) == in);
                });
                assertThat(relay.stats().closes()).isEmpty();
                subscriber.resume();
                subscriber.awaitNext(publisher.next());
                publisher.stop();
                workers.join();
                subscriber.awaitNext(publisher.next()).account().assertCompleteUpTo(publisher.next());
                assertThat(subscriber.account().missed()).isZero();
                assertThat(relay.stats().closes()).isEmpty();
            }
        }
    }

    private static void awaitStandstill(TestRelay relay, long atLeast) {
        Await.until(() -> "the stream stands still: " + relay.stats(), () -> {
            long in = relay.stats().get(Counter.BYTES_IN);
            return in > atLeast && Await.staysTrue(50, () -> relay.stats().get(Counter.BYTES_IN) == in);
        });
    }

    /** The policy that is granted holds from WELCOME on; before it the stream is that of any plain subscriber. */
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    void theGrantedPolicyHoldsFromWelcomeOn(Setting setting) throws Exception {
        Numbered messages = messages("SlowSpeakersTest", setting);
        try (TestRelay relay = relay(setting, b -> b.slowSubscriber(Policy.SKIP));
                NumberedPublisher publisher = new NumberedPublisher(relay, messages);
                SpeakingSubscriber subscriber = relay.pausedSpeaker(messages)) {
            relay.awaitSubscribers(1);
            // Its write is stuck, and the log has gone on over it.
            publisher.publishBytes(Stream.ENOUGH);
            long end = publisher.next();
            relay.awaitMessagesIn(end - 1);
            subscriber.hello(HelloFrame.subscriber().policy(Policy.DISCONNECT));
            publisher.publish(1);
            relay.awaitMessagesIn(end);
            subscriber.resume();
            assertThat(subscriber.awaitWelcome().policy()).isEqualTo(Policy.DISCONNECT);
            publisher.publish(100);
            subscriber.awaitNext(end + 101).account().assertCompleteUpTo(end + 101);
            assertThat(relay.stats().closes()).isEmpty();
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    void whoStallsPublishersIsToldAndCutOff(Setting setting) throws Exception {
        Numbered messages = messages("SlowSpeakersTest", setting);
        Workers workers = new Workers();
        try (TestRelay relay = relay(setting, b -> b.stallTimeout(Duration.ofMillis(300))
                        .allowPolicies(Set.of(Policy.BACKPRESSURE)));
                NumberedPublisher publisher = new NumberedPublisher(relay, messages);
                SpeakingSubscriber stalled = relay.pausedSpeaker(messages)) {
            stalled.hello(HelloFrame.subscriber().policy(Policy.BACKPRESSURE)).resume();
            stalled.awaitWelcome();
            stalled.pause();
            publisher.publishOn(workers);
            relay.awaitClosed(CloseReason.STALLED_SUBSCRIBER, 1);
            stalled.resume();
            assertThat(stalled.awaitError().code()).isEqualTo(CloseReason.STALLED_SUBSCRIBER.code());
            assertThat(stalled.account().error().text()).contains("300 ms");
            stalled.account().assertCompleteUpTo(stalled.account().next());
            long now = publisher.next();
            Await.until("publishers go on", () -> publisher.next() > now + 1000 || workers.failed());
            publisher.stop();
            workers.join();
        }
    }
}
