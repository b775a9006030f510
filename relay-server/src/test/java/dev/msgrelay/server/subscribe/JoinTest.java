package dev.msgrelay.server.subscribe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.SubscribeFrame;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The ranges of a subscriber take what they need of the budget, as long as they are in force or wanted. */
class JoinTest {
    private static final TypeRanges SOME = TypeRanges.of(1, 2, 5, 6);
    private static final TypeRanges OTHERS = TypeRanges.of(1, 2);

    @AutoClose
    private final FanoutRig rig = new FanoutRig();

    private long used() {
        return rig.budget.pool(Part.CONTROL).used();
    }

    private String types(FanoutRig.Subscriber subscriber) {
        return subscriber.connection.report(0).types();
    }

    @Test
    void whoWantsEveryTypeAgainHasNoRangesAnyMore() {
        FanoutRig.Subscriber subscriber = rig.joined(HelloFrame.subscriber().types(SOME));
        assertThat(used()).isPositive();
        subscriber.say(new SubscribeFrame(1, TypeRanges.ALL).encode());
        rig.pump();
        assertThat(types(subscriber)).isEmpty();
        assertThat(used()).isZero();
    }

    @Test
    void aSubscribeBehindHelloReplacesItsTypes() {
        FanoutRig.Subscriber subscriber =
                rig.connect().hello(HelloFrame.subscriber().types(SOME));
        long some = used();
        subscriber.say(new SubscribeFrame(1, OTHERS).encode());
        long others = used();
        assertThat(others).isLessThan(some);
        rig.pump();
        assertThat(types(subscriber)).isEqualTo(OTHERS.text(8));
        assertThat(used()).isEqualTo(others);
        subscriber.hangUp();
        assertThat(used()).isZero();
    }
}
