package dev.msgrelay.server.subscriber;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.GoAwayFrame;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.harness.Numbered;
import dev.msgrelay.server.harness.NumberedPublisher;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.SpeakingSubscriber;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.Workers;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The relay shuts down: GOAWAY, the rest of the stream, ERROR; a plain subscriber gets the stream and nothing else. */
class DrainTest {
    private final Numbered messages = new Numbered(Seeds.random("DrainTest"), 5, 60, 700, 9000, 100_000);

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#pairs")
    void theRestOfTheStreamAndThenTheReason(Setting setting) throws Exception {
        TestRelay relay = TestRelay.small(setting, Policy.BACKPRESSURE);
        NumberedPublisher publisher = new NumberedPublisher(relay, messages);
        try (SpeakingSubscriber greeted = relay.pausedSpeaker(messages);
                SpeakingSubscriber filtered = relay.speaker(messages);
                SpeakingSubscriber plain = relay.speaker(messages)) {
            relay.awaitSubscribers(3);
            greeted.hello(HelloFrame.subscriber()).resume();
            greeted.awaitWelcome();
            filtered.hello(HelloFrame.subscriber().types(TypeRanges.of(1, 2)).features(Features.SEQUENCES))
                    .awaitWelcome();
            greeted.pause();
            publisher.publishBytes(500_000);
            long end = publisher.next();
            relay.awaitMessagesIn(end - 1);
            Workers closing = new Workers().start("close", relay::close);
            filtered.awaitSaid(ControlFrames.GOAWAY, 1);
            greeted.resume();
            closing.join();
            assertThat(greeted.awaitError().code()).isEqualTo(CloseReason.SHUTDOWN.code());
            assertThat(filtered.awaitError().code()).isEqualTo(CloseReason.SHUTDOWN.code());
            GoAwayFrame goAway = GoAwayFrame.decode(
                    greeted.awaitSaid(ControlFrames.GOAWAY, 1).body());
            assertThat(goAway.reason()).isEqualTo(CloseReason.SHUTDOWN);
            assertThat(goAway.closesInMillis()).isEqualTo(TestRelay.DRAIN_SECONDS * 1000);
            greeted.account().assertCompleteUpTo(end);
            assertThat(greeted.account().next()).isEqualTo(end);
            filtered.account().assertCompleteUpTo(end);
            plain.awaitEnd();
            assertThat(plain.end()).isEqualTo("end of stream");
            assertThat(plain.account().said()).isEmpty();
            assertThat(plain.account().plainNext()).isEqualTo(end);
            assertThat(plain.account().plainGaps()).isZero();
            assertThat(plain.account().leftover()).isZero();
            assertThat(relay.stats().closes()).containsOnlyKeys(CloseReason.SHUTDOWN);
        }
    }

    /** With nothing left to send it goes fast, and GOAWAY still comes before ERROR. */
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#pairs")
    void anIdleOneIsToldBoth(Setting setting) throws Exception {
        for (int round = 0; round < 3; round++) {
            TestRelay relay = TestRelay.start(setting);
            Workers closing = new Workers();
            try (SpeakingSubscriber subscriber = relay.speaker(messages)) {
                subscriber.hello(HelloFrame.subscriber()).awaitWelcome();
                closing.start("close", relay::close);
                assertThat(subscriber.awaitError().code()).isEqualTo(CloseReason.SHUTDOWN.code());
                assertThat(subscriber.account().said(ControlFrames.GOAWAY))
                        .as("round %d: %s", round, subscriber)
                        .hasSize(1);
            }
            closing.join();
        }
    }

    /** A time that GOAWAY has no room for is told as the longest there is. */
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void aDrainTimeoutOfAYear() throws Exception {
        TestRelay relay = TestRelay.start(Setting.NIO_TCP, b -> b.drainTimeout(Duration.ofDays(366)));
        Workers closing = new Workers();
        try (SpeakingSubscriber subscriber = relay.speaker(messages)) {
            subscriber.hello(HelloFrame.subscriber()).awaitWelcome();
            closing.start("close", relay::close);
            GoAwayFrame goAway = GoAwayFrame.decode(
                    subscriber.awaitSaid(ControlFrames.GOAWAY, 1).body());
            assertThat(goAway.closesInMillis()).isEqualTo(Integer.MAX_VALUE);
        }
        closing.join();
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    void itIsBoundedWhenNobodyCloses(Setting setting) throws Exception {
        TestRelay relay = TestRelay.start(setting, b -> b.drainTimeout(Duration.ofMillis(200)));
        NumberedPublisher publisher = new NumberedPublisher(relay, messages);
        try (SpeakingSubscriber reading = relay.speaker(messages);
                SpeakingSubscriber full = relay.pausedSpeaker(messages)) {
            reading.staysOpen().hello(HelloFrame.subscriber()).awaitWelcome();
            full.staysOpen().hello(HelloFrame.subscriber()).resume();
            full.awaitWelcome();
            full.pause();
            // More than its socket takes, less than the log holds.
            publisher.publishBytes(7 << 20);
            relay.awaitMessagesIn(publisher.next() - 1);
            reading.awaitNext(publisher.next());
            // Both keep their connections open; one does not even read.
            relay.close();
            assertThat(relay.stats().closes()).containsOnlyKeys(CloseReason.SHUTDOWN);
            assertThat(reading.awaitError().code()).isEqualTo(CloseReason.SHUTDOWN.code());
            full.resume();
            full.awaitEnd();
            full.account().assertCompleteUpTo(full.account().next());
        }
    }
}
