package dev.msgrelay.server.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.Workers;
import dev.msgrelay.server.ops.Counter;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The pair that every attack is held against: content on a calm relay, and not on one that fails it. */
@Tag("alone")
class HealthyPairTest {
    @Test
    void onACalmRelay() throws Exception {
        try (TestRelay relay = AttackRelay.start(b -> b);
                HealthyPair pair = AttackRelay.pair(relay)) {
            pair.begin();
            pair.push(32 << 20);
            pair.end("nothing at all");
            pair.finish();
            assertThat(relay.stats().closes()).isEmpty();
            assertThat(relay.stats().get(Counter.BYTES_IN)).isGreaterThan(32 << 20);
        }
    }

    @Test
    void noticesWhenMessagesComeTooLate() throws Exception {
        // Somebody who does not read may hold publishers back for longer than the pair looks.
        try (TestRelay relay = AttackRelay.startSmall(b -> b.slowSubscriber(Policy.BACKPRESSURE));
                HealthyPair pair = AttackRelay.pair(relay);
                PlainPublisher flood = relay.publisher();
                Crowd stopped = new Crowd()) {
            stopped.connect(relay.subscribe());
            relay.awaitSubscribers(2);
            pair.begin();
            Frames frames = others(30);
            flood.send(frames);
            assertThatExceptionOfType(AssertionError.class)
                    .isThrownBy(() -> pair.end("a relay that waits"))
                    .withMessageContaining("a relay that waits: share of");
        }
    }

    /** In the end everything is there, and nearly in time. */
    @Test
    void noticesAStandstillInTheMiddle() throws Exception {
        try (TestRelay relay = AttackRelay.startSmall(b -> b.slowSubscriber(Policy.BACKPRESSURE));
                HealthyPair pair = AttackRelay.pair(relay);
                PlainPublisher flood = relay.publisher();
                Crowd stopped = new Crowd()) {
            stopped.connect(relay.subscribe());
            relay.awaitSubscribers(2);
            pair.begin();
            Frames frames = others(120);
            Workers flooding = new Workers().start("flood", () -> flood.send(frames));
            Await.until("a standstill", () -> pair.late() > 3 * HealthyPair.PER_SECOND / 2);
            // All the time from now on: the flood is not over yet.
            Workers reading = new Workers().start("reader", () -> {
                while (stopped.drain() == 0) {
                    LockSupport.parkNanos(1_000_000);
                }
            });
            Await.until("all on schedule again", () -> pair.late() < HealthyPair.PER_SECOND / 100);
            flooding.join();
            assertThatExceptionOfType(AssertionError.class)
                    .isThrownBy(() -> pair.end("a relay that stood still"))
                    .withMessageContaining("was behind its schedule");
            pair.finish();
            relay.relay().close();
            reading.join();
        }
    }

    @Test
    void aShortPauseOfTheMachineIsNotTheRelays() {
        Pace pace = new Pace(1000, 0, 0);
        long millis = 0;
        while (millis < 10_000) {
            // For 2 s nobody has a core, not even the one who looks.
            millis += millis == 4000 ? 2000 : 2;
            int due = (int) millis;
            int arrived = millis >= 6000 && millis < 6200 ? 4000 + (int) (millis - 6000) * 11 : due;
            pace.look(TimeUnit.MILLISECONDS.toNanos(millis), Math.min(due, arrived), due);
        }
        assertThat(pace.mostBehindMillis()).isLessThan(100);
        assertThat(pace.median()).isBetween(0.99, 1.01);
    }

    @Test
    void whoLooksAllTheTimeSeesWhatComesLate() {
        Pace pace = new Pace(1000, 0, 0);
        for (int millis = 2; millis <= 10_000; millis += 2) {
            // Nothing for a second and a half, then all at once.
            int arrived = millis > 2000 && millis < 3500 ? 2000 : millis;
            pace.look(TimeUnit.MILLISECONDS.toNanos(millis), arrived, millis);
        }
        assertThat(pace.mostBehindMillis()).isBetween(1490L, 1500L);
        assertThat(pace.median()).isBetween(0.99, 1.01);
    }

    @Test
    void theMiddleSecondIsOneOfAllSeconds() {
        Pace pace = new Pace(1000, 0, 0);
        for (int millis = 2; millis <= 9_000; millis += 2) {
            // Each second brings nine of ten that were due in it.
            pace.look(TimeUnit.MILLISECONDS.toNanos(millis), millis * 9 / 10, millis);
        }
        assertThat(pace.median()).isBetween(0.89, 0.91);
        assertThat(pace.mostBehindMillis()).isEqualTo(900);
    }

    @Test
    void noticesItsEnd() throws Exception {
        try (TestRelay relay = AttackRelay.start(b -> b);
                HealthyPair pair = AttackRelay.pair(relay)) {
            pair.begin();
            relay.relay().close();
            assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> pair.end("a relay that has gone"));
        }
    }

    @Test
    void noticesAMessageThatCameTwice() throws Exception {
        try (TestRelay relay = AttackRelay.start(b -> b);
                HealthyPair pair = AttackRelay.pair(relay);
                PlainPublisher forger = relay.publisher()) {
            forger.send(new Frames().frame(Frames.type(HealthyPair.PUSHED, 0), 100));
            pair.push(100_000);
            assertThatExceptionOfType(AssertionError.class).isThrownBy(pair::finish);
        }
    }

    /** Large messages of somebody else. */
    private static Frames others(int count) {
        Frames frames = new Frames();
        for (int i = 0; i < count; i++) {
            frames.frame(Frames.type(HealthyPair.FIRST_OTHER, i), 50_000);
        }
        return frames;
    }
}
