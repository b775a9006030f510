package dev.msgrelay.server.subscribe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Policies;
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
            rig.cycles(1);
            rig.group.tick(rig.clock.nanoTime());
            rig.clock.advanceMillis(1000);
        }
        assertThat(begun.told().count()).isBetween(1L, TYPES - 1L);
        assertThat(waits.told().count()).isZero();
        assertThat(rig.sum(Counter.STATE_LATE)).isEqualTo(1);
    }

    /** Two ticks, since the first one sees what came since the one before. */
    private void passTwoSeconds() {
        for (int i = 0; i < 2; i++) {
            rig.clock.advanceMillis(i * 2000L);
            rig.group.tick(rig.clock.nanoTime());
        }
    }
}
