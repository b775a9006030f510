package dev.msgrelay.server.subscribe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.SubscribeFrame;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.access.AccessPolicy;
import dev.msgrelay.server.harness.Policies;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import java.util.List;
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

    /** SUBSCRIBE gives the stream of new types, not their state: also of types that the state does not have. */
    @Test
    void aSubscribeBehindHelloChangesNothingAboutTheState() {
        AccessPolicy access = Policies.of("all { token = secret, subscribe = all }");
        for (HelloFrame.Builder hello : List.of(
                HelloFrame.subscriber().fromState(0, 0), HelloFrame.subscriber().fromState(FanoutRig.EPOCH, 3))) {
            try (FanoutRig kept = FanoutRig.withState(SOME, access)) {
                for (int type : new int[] {1, 7, 5, 2}) {
                    kept.publish(type, 10);
                }
                FanoutRig.Subscriber subscriber =
                        kept.connect().hello(hello.types(SOME).token(Token.of("secret")));
                subscriber.say(new SubscribeFrame(1, TypeRanges.of(7, 7)).encode());
                kept.cycles(3);
                boolean all = hello.build().number() == 0;
                assertThat(subscriber.told().messages()).isEqualTo(all ? List.of(1L, 5L, 2L) : List.of(5L, 2L));
                assertThat(types(subscriber)).isEqualTo(TypeRanges.of(7, 7).text(8));
                kept.publish(1, 10);
                kept.publish(7, 10);
                kept.cycles(1);
                assertThat(subscriber.told().messages()).endsWith(2L, 7L);
                assertThat(kept.closes()).isEmpty();
            }
        }
    }
}
