package dev.msgrelay.server.subscribe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.connection.SessionRole;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.stream.LogReader;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When a subscriber with the policy latest is too far behind, and when the relay is. */
class ConflationTest {
    private static final int AFTER = FanoutRig.MOST_BEHIND;
    private static final int BODY = 100;

    /** More than it takes to get the state. */
    private static final int CYCLES = 10;

    /** Messages of twice the bytes after which a subscriber conflates. */
    private static final int MANY = 2 * AFTER / (8 + BODY);

    /** Messages of the bytes of a write, and of twice those after which a subscriber conflates. */
    private static final int MORE_THAN_A_WRITE = MANY + SendGroup.WRITE_BYTES / (8 + BODY);

    private static final TypeRanges FEW = TypeRanges.of(MANY / 2, MANY / 2);

    @AutoClose
    private final FanoutRig rig = FanoutRig.withState();

    private FanoutRig.Subscriber latest(HelloFrame.Builder hello) {
        FanoutRig.Subscriber subscriber = rig.joined(hello.policy(Policy.LATEST));
        rig.cycles(CYCLES);
        return subscriber;
    }

    private FanoutRig.Subscriber latest() {
        return latest(HelloFrame.subscriber());
    }

    private static long gaps(Told told) {
        return told.controls.stream()
                .filter(control -> control.type() == ControlFrames.GAP)
                .peek(gap -> assertThat(GapFrame.reason(gap.body())).isEqualTo(GapReason.SUPERSEDED.code()))
                .count();
    }

    private void assertConflations(long expected) {
        assertThat(rig.closes()).isEmpty();
        assertThat(rig.sum(Counter.STATE_CONFLATIONS)).isEqualTo(expected);
    }

    /**
     * Their sockets take all, and the relay waits for enough bytes for a write, or reads more in one cycle than it may
     * be behind: with several in a group, and with one alone.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void emptySocketsAreNotBehind(int readers) {
        for (int i = 0; i < readers; i++) {
            latest(
                    i % 2 == 0
                            ? HelloFrame.subscriber()
                            : HelloFrame.subscriber().types(FEW));
        }
        for (int cycle = 0; cycle < 20; cycle++) {
            rig.publishMany(MANY, BODY);
            rig.group.pump(false);
            if (cycle % 3 == 2) {
                rig.cycles(CYCLES);
            }
        }
        rig.cycles(CYCLES);
        assertConflations(0);
        assertThat(rig.sum(Counter.MESSAGES_OUT)).isEqualTo(20L * MANY * ((readers + 1) / 2) + 20L * (readers / 2));
    }

    @Test
    void aFullSocketIs() {
        FanoutRig.Subscriber slow = latest();
        latest();
        slow.block();
        rig.publishMany(3, BODY);
        rig.pump();
        rig.publishMany(MANY, BODY);
        rig.pump();
        slow.unblock();
        rig.cycles(CYCLES);
        assertConflations(1);
        assertThat(slow.told().count()).isEqualTo(3 + MANY);
    }

    /** The write is taken before the next cycle, and is shorter than what came in this one. */
    @Test
    void aSocketThatIsFullWithinACycleIs() {
        FanoutRig.Subscriber slow = latest();
        rig.publishMany(MORE_THAN_A_WRITE, BODY);
        slow.block();
        assertThat(slow.connection.send(rig.head(), 1, true)).isFalse();
        slow.unblock();
        assertConflations(0);
        rig.cycles(CYCLES);
        assertConflations(1);
    }

    /** Behind its last message there were others, which its ranges leave out, and of which it was told nothing. */
    @Test
    void thePlaceWhereItIsLeftBehindIsTold() {
        FanoutRig.Subscriber few = latest(HelloFrame.subscriber().types(FEW));
        few.told();
        few.block();
        rig.publish(MANY / 2, BODY);
        rig.publishMany(3, BODY);
        rig.pump();
        rig.publishMany(MANY, BODY);
        rig.pump();
        few.unblock();
        rig.cycles(CYCLES);
        assertConflations(1);
        List<Control> controls = few.told().controls;
        assertThat(controls.stream().filter(c -> c.type() == ControlFrames.PING).map(c -> PingFrame.next(c.body())))
                .containsExactly(5L, MANY + 5L);
        assertThat(controls.stream().filter(c -> c.type() == ControlFrames.GAP).map(c -> GapFrame.from(c.body())))
                .startsWith(5L);
    }

    /** It was behind before it came, and the log still has all of it. */
    @Test
    void aStartFarBackIs() {
        rig.publishMany(MANY, BODY);
        FanoutRig.Subscriber back = latest(HelloFrame.subscriber().fromSequence(FanoutRig.EPOCH, 1));
        assertConflations(1);
        assertThat(gaps(back.told())).isZero();
        latest(HelloFrame.subscriber().fromSequence(FanoutRig.EPOCH, MANY - 2));
        assertConflations(1);
    }

    /** It waits for the state, perhaps long, and holds no memory of the log meanwhile. */
    @Test
    void aStartBeforeTheLogPinsNothing() {
        rig.publishMany(2 * FanoutRig.LONG_LOG / (8 + BODY), BODY);
        FanoutRig.Subscriber back =
                rig.joined(HelloFrame.subscriber().policy(Policy.LATEST).fromSequence(FanoutRig.EPOCH, 1));
        assertThat(back.connection.getsState()).isTrue();
        assertThat(back.connection.pinnedFrom()).isEqualTo(LogReader.NOTHING);
    }

    /** One that starts with the state is not slow for what that leaves out. */
    @Test
    void onlySlownessCounts() {
        rig.publishMany(MANY, BODY);
        rig.publishMany(MANY, BODY);
        FanoutRig.Subscriber slow = latest(HelloFrame.subscriber().fromState(0, 0));
        assertThat(gaps(slow.told())).isPositive();
        assertThat(rig.sum(Counter.STATE_CONFLATED)).isZero();
        slow.block();
        rig.publish(1, BODY);
        rig.pump();
        rig.publishMany(MANY, BODY);
        rig.publishMany(MANY, BODY);
        rig.pump();
        slow.unblock();
        rig.cycles(CYCLES);
        assertConflations(1);
        assertThat(rig.sum(Counter.STATE_CONFLATED)).isEqualTo(MANY);
        assertThat(slow.connection.report(0).conflated()).isEqualTo(MANY);
    }

    /**
     * Its lag in messages is what it was not told of. It has no lag in bytes, since it is not on its way through them.
     */
    @Test
    void whoGetsTheStateIsAsFarAsItWasTold() {
        rig.publishMany(MANY, BODY);
        FanoutRig.Subscriber reader = rig.joined(HelloFrame.subscriber().fromState(0, 0));
        rig.publishMany(2 * MANY, BODY);
        assertRow(reader, 3L * MANY, "state");
        rig.cycles(1);
        assertThat(reader.connection.getsState()).isTrue();
        Told told = reader.told();
        Control gap = told.controls.stream()
                .filter(c -> c.type() == ControlFrames.GAP)
                .findFirst()
                .orElseThrow();
        assertRow(reader, 3L * MANY - GapFrame.to(gap.body()) - told.count(), "state");
        rig.cycles(CYCLES);
        assertRow(reader, 0, "");
    }

    private void assertRow(FanoutRig.Subscriber reader, long messages, String waitsFor) {
        SessionRole.Report row = reader.connection.report(rig.head().position());
        assertThat(row.lagMessages()).isEqualTo(messages);
        assertThat(row.lagBytes()).isZero();
        assertThat(row.waitsFor()).isEqualTo(waitsFor);
    }
}
