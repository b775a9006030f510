package dev.msgrelay.server.subscribe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.PongFrame;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.Policies;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Subscribers that get the state at the same time, and share the memory for its batches. */
class StateTurnsTest {
    private static final int TYPES = 200;
    private static final int BODY = 1000;

    /** As many as there are batches. */
    private static final int BATCHES = 64;

    @AutoClose
    private final FanoutRig rig = FanoutRig.withState(
            TypeRanges.ALL,
            Policies.of("slow { token = slow, subscribe = all, max-rate = 1000 }\n"
                    + "swift { token = swift, subscribe = all }"));

    private FanoutRig.Subscriber greeting(String token) {
        return rig.connect().hello(HelloFrame.subscriber().fromState(0, 0).token(Token.of(token)));
    }

    @Test
    void thoseThatPauseForTheirRateKeepNoBatches() {
        rig.publishMany(TYPES, BODY);
        rig.joined(HelloFrame.subscriber().token(Token.of("slow")));
        List<FanoutRig.Subscriber> slow = new ArrayList<>();
        for (int i = 0; i < BATCHES; i++) {
            slow.add(greeting("slow"));
        }
        // All of them have asked when the rate is used up.
        for (int i = 0; i < 2; i++) {
            rig.pump();
            rig.publish(i, BODY);
        }
        rig.cycles(2 * BATCHES);
        assertThat(slow).allMatch(subscriber -> subscriber.told().count() < TYPES);
        FanoutRig.Subscriber swift = greeting("swift");
        rig.cycles(2 * BATCHES);
        assertThat(swift.told().count()).isEqualTo(TYPES);
        assertThat(rig.closes()).isEmpty();
    }

    @Test
    void whoReadsNothingIsClosedOnlyWhileOthersWait() {
        rig.publishMany(TYPES, BODY);
        List<FanoutRig.Subscriber> holders = new ArrayList<>();
        for (int i = 0; i < BATCHES; i++) {
            holders.add(greeting("swift"));
        }
        rig.pump();
        holders.forEach(FanoutRig.Subscriber::block);
        rig.cycles(BATCHES);
        FanoutRig.Subscriber waits = greeting("swift");
        rig.cycles(1);
        waits.hangUp();
        passTwoSeconds();
        assertThat(rig.closed(CloseReason.STALLED_SUBSCRIBER))
                .as("nobody waits any more")
                .isZero();
        FanoutRig.Subscriber patient = greeting("swift");
        rig.cycles(1);
        passTwoSeconds();
        assertThat(rig.closed(CloseReason.STALLED_SUBSCRIBER)).isEqualTo(BATCHES);
        holders.forEach(FanoutRig.Subscriber::hangUp);
        rig.cycles(BATCHES);
        assertThat(patient.told().count()).isEqualTo(TYPES);
    }

    /** The rate lets one of them begin, and keeps the other one waiting for its first part. */
    @Test
    void whoWaitsForTheFirstPartIsNotLate() {
        rig.publishMany(TYPES, BODY);
        FanoutRig.Subscriber begun = greeting("slow");
        rig.cycles(2);
        FanoutRig.Subscriber waits = greeting("slow");
        for (int seconds = 0; seconds < 20; seconds++) {
            passASecond(begun, waits);
        }
        assertThat(begun.told().count()).isBetween(1L, TYPES - 1L);
        assertThat(waits.told().count()).isZero();
        assertThat(rig.sum(Counter.STATE_LATE)).isEqualTo(1);
    }

    /** Between two batches of a slow rate it hears PINGs, which do not say that the state has come. */
    @Test
    void whoPausesForItsRateHearsPings() {
        rig.publishMany(TYPES, BODY);
        FanoutRig.Subscriber slow = greeting("slow");
        rig.cycles(2);
        long before = slow.told().count();
        for (int seconds = 0; seconds < 45; seconds++) {
            passASecond(slow);
        }
        assertThat(slow.told().count()).isEqualTo(before).isBetween(1L, TYPES - 1L);
        assertThat(pings(slow)).hasSizeGreaterThan(2).allSatisfy(ping -> {
            assertThat(PingFrame.next(ping)).isZero();
            assertThat(PingFrame.head(ping)).isEqualTo(TYPES);
        });
        assertThat(rig.closes()).isEmpty();
        for (int seconds = 0; slow.told().count() < TYPES && seconds < 1000; seconds++) {
            passASecond(slow);
        }
        passASecond(slow);
        List<ByteBuffer> pings = pings(slow);
        assertThat(PingFrame.next(pings.get(pings.size() - 1))).isEqualTo(TYPES + 1);
    }

    @Test
    void whoAnswersNoneOfThemIsClosed() {
        rig.publishMany(TYPES, BODY);
        greeting("slow");
        rig.cycles(2);
        for (int seconds = 0; seconds < 60; seconds++) {
            passASecond();
        }
        assertThat(rig.closed(CloseReason.IDLE_TIMEOUT)).isEqualTo(1);
    }

    private static List<ByteBuffer> pings(FanoutRig.Subscriber subscriber) {
        return subscriber.told().controls.stream()
                .filter(control -> control.type() == ControlFrames.PING)
                .map(Control::body)
                .toList();
    }

    /** A second, in which some subscribers send PONG. */
    private void passASecond(FanoutRig.Subscriber... alive) {
        rig.cycles(1);
        rig.group.tick(rig.clock.nanoTime());
        rig.clock.advanceMillis(1000);
        for (FanoutRig.Subscriber subscriber : alive) {
            ByteBuffer pong = ByteBuffer.allocate(PongFrame.FRAME_LENGTH);
            PongFrame.put(pong, 0);
            subscriber.say(pong.flip());
        }
    }

    /** Two ticks, since the first one sees what came since the one before. */
    private void passTwoSeconds() {
        for (int i = 0; i < 2; i++) {
            rig.clock.advanceMillis(i * 2000L);
            rig.group.tick(rig.clock.nanoTime());
        }
    }
}
