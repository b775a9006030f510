package dev.msgrelay.server.subscribe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.stream.LogReader;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Where slow subscribers hold more of the log than they may, those with the oldest piece go, and nobody else. */
class PinReliefTest {
    @AutoClose
    private FanoutRig rig = new FanoutRig(Policy.SKIP);

    private final List<FanoutRig.Subscriber> stopped = new ArrayList<>();

    private PinRelief relief() {
        return new PinRelief(rig.log, rig.table, rig.counters, FanoutRig.PINNED * FanoutRig.CHUNK);
    }

    private void starve(HelloFrame.Builder hello) {
        for (int i = 0; i < 100 && !rig.log.starved(); i++) {
            FanoutRig.Subscriber subscriber = rig.connect();
            if (hello != null) {
                subscriber.hello(hello);
                rig.pump();
            }
            subscriber.block();
            stopped.add(subscriber);
            for (int m = 0; m < 3 && rig.log.hasRoom(); m++) {
                rig.publish(m, FanoutRig.CHUNK / 2);
                rig.pump();
            }
        }
        assertThat(rig.log.starved()).isTrue();
    }

    private int relieveUntilItGoesOn() {
        PinRelief relief = relief();
        int calls = 0;
        while (rig.log.starved()) {
            relief.relieve();
            assertThat(++calls).as("nobody is found who holds it").isLessThan(100);
        }
        return calls;
    }

    @Test
    void thoseThatHoldTheOldestPieceAreCutOffAndNobodyElse() {
        FanoutRig.Subscriber healthy = rig.connect();
        starve(null);
        long oldest = stopped.get(0).connection.pinnedFrom();
        assertThat(oldest).isLessThan(rig.log.tail());
        relieveUntilItGoesOn();
        assertThat(stopped.get(0).channel.isOpen()).isFalse();
        assertThat(stopped.get(0).connection.pinnedFrom()).isEqualTo(LogReader.NOTHING);
        assertThat(stopped.get(stopped.size() - 1).channel.isOpen()).isTrue();
        assertThat(healthy.channel.isOpen()).isTrue();
        long cut = stopped.stream().filter(s -> !s.channel.isOpen()).count();
        assertThat(cut).isLessThan(stopped.size());
        assertThat(rig.closed(CloseReason.MEMORY_LIMIT)).isEqualTo(cut);
        assertThat(rig.sum(Counter.PINS_EVICTED)).isEqualTo(cut);
        assertThat(rig.log.hasRoom()).isTrue();
    }

    @Test
    void whereNobodyHoldsWhatTheLogHasDroppedNobodyIsCutOff() {
        rig.publishMany(50, 100);
        FanoutRig.Subscriber slow = rig.connect();
        slow.block();
        rig.publishMany(10, 100);
        rig.pump();
        assertThat(slow.connection.pinnedFrom()).isGreaterThanOrEqualTo(rig.log.tail());
        for (int i = 0; i < 5; i++) {
            relief().relieve();
        }
        assertThat(rig.closes()).isEmpty();
        assertThat(rig.sum(Counter.PINS_EVICTED)).isZero();
    }

    /**
     * Whoever is to be told why it ends holds its piece of the log until then, and the writer must not wait for that.
     */
    @ParameterizedTest
    @EnumSource(
            value = Policy.class,
            names = {"DISCONNECT", "SKIP"})
    void thoseThatAreBeingClosedAreFoundToo(Policy policy) {
        starve(HelloFrame.subscriber().policy(policy));
        relieveUntilItGoesOn();
        assertThat(rig.log.hasRoom()).isTrue();
        assertThat(rig.sum(Counter.PINS_EVICTED))
                .isEqualTo(stopped.stream().filter(s -> !s.channel.isOpen()).count());
    }
}
