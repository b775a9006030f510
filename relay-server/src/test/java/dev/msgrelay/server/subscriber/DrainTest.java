package dev.msgrelay.server.subscriber;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.GoAwayFrame;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.harness.Numbered;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.SpeakingSubscriber;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.testing.ConcurrentTest;
import java.time.Duration;

/** The relay shuts down: GOAWAY, the rest of the stream, ERROR; a plain subscriber gets the stream and nothing else. */
class DrainTest {
    private final Numbered messages = new Numbered(Seeds.random("DrainTest"), 5, 60, 700, 9000, 100_000);

    @Over.Pairs
    void theRestOfTheStreamAndThenTheReason(Setting setting) throws Exception {
        try (Scene scene = Scene.small(setting, messages, b -> b.set(SLOW_SUBSCRIBER, Policy.BACKPRESSURE))) {
            SpeakingSubscriber plain = scene.speaker();
            scene.relay.awaitSubscribers(1);
            SpeakingSubscriber greeted = scene.welcomedNarrow(HelloFrame.subscriber());
            SpeakingSubscriber filtered = scene.welcomed(SpeakingSubscriber.numbered(TypeRanges.of(1, 2)));
            greeted.pause();
            long end = scene.fill(500_000);
            scene.workers.start("close", scene.relay::close);
            filtered.awaitSaid(ControlFrames.GOAWAY, 1);
            greeted.resume();
            scene.workers.join();
            Scene.assertError(greeted, CloseReason.SHUTDOWN);
            Scene.assertError(filtered, CloseReason.SHUTDOWN);
            GoAwayFrame goAway = goAway(greeted);
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
            assertThat(scene.relay.stats().closes()).containsOnlyKeys(CloseReason.SHUTDOWN);
        }
    }

    private static GoAwayFrame goAway(SpeakingSubscriber subscriber) throws FrameException {
        return GoAwayFrame.decode(subscriber.awaitSaid(ControlFrames.GOAWAY, 1).body());
    }

    /** With nothing left to send it goes fast, and GOAWAY still comes before ERROR. */
    @Over.Pairs
    void anIdleOneIsToldBoth(Setting setting) throws Exception {
        for (int round = 0; round < 3; round++) {
            try (Scene scene = Scene.of(setting, messages)) {
                SpeakingSubscriber subscriber = scene.welcomed(HelloFrame.subscriber());
                scene.workers.start("close", scene.relay::close);
                Scene.assertError(subscriber, CloseReason.SHUTDOWN);
                assertThat(subscriber.account().said(ControlFrames.GOAWAY))
                        .as("round %d: %s", round, subscriber)
                        .hasSize(1);
                scene.workers.join();
            }
        }
    }

    /** A time that GOAWAY has no room for is told as the longest there is. */
    @ConcurrentTest
    void aDrainTimeoutOfAYear() throws Exception {
        try (Scene scene = Scene.of(Setting.NIO_TCP, messages, b -> b.set(DRAIN_TIMEOUT, Duration.ofDays(366)))) {
            SpeakingSubscriber subscriber = scene.welcomed(HelloFrame.subscriber());
            scene.workers.start("close", scene.relay::close);
            assertThat(goAway(subscriber).closesInMillis()).isEqualTo(Integer.MAX_VALUE);
            scene.workers.join();
        }
    }

    @Over.Sockets
    void itIsBoundedWhenNobodyCloses(Setting setting) throws Exception {
        try (Scene scene = Scene.of(setting, messages, b -> b.set(DRAIN_TIMEOUT, Duration.ofMillis(200)))) {
            SpeakingSubscriber reading = scene.welcomed(HelloFrame.subscriber()).staysOpen();
            SpeakingSubscriber full =
                    scene.welcomedNarrow(HelloFrame.subscriber()).staysOpen();
            full.pause();
            // More than its socket takes, less than the log holds.
            reading.awaitNext(scene.fill(7 << 20));
            // Both keep their connections open; one does not even read.
            scene.relay.close();
            assertThat(scene.relay.stats().closes()).containsOnlyKeys(CloseReason.SHUTDOWN);
            Scene.assertError(reading, CloseReason.SHUTDOWN);
            full.resume();
            full.awaitEnd();
            full.account().assertCompleteUpTo(full.account().next());
        }
    }
}
