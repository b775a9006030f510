package dev.msgrelay.server.subscribe;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The order in which the subscribers of a loop are sent to. */
class FairTurnsTest {
    private static final int SUBSCRIBERS = 3;

    @AutoClose
    private final FanoutRig rig = new FanoutRig();

    private final List<Integer> written = new ArrayList<>();

    private FanoutRig.Subscriber connect(int number) {
        FanoutRig.Subscriber subscriber = rig.connect();
        subscriber.channel.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
            @Override
            public void write(ChannelHandlerContext ctx, Object msg, ChannelPromise promise) {
                written.add(number);
                ctx.write(msg, promise);
            }
        });
        return subscriber;
    }

    /** One message to all: the subscribers in the order in which they got it. */
    private List<Integer> round() {
        written.clear();
        rig.publish(1, 20);
        rig.group.pump(true);
        return List.copyOf(written);
    }

    /** Each of them is served once in each round, and first once in as many rounds. */
    private void assertFair(Integer... subscribers) {
        List<Integer> first = new ArrayList<>();
        for (int i = 0; i < subscribers.length; i++) {
            List<Integer> round = round();
            assertThat(round).containsExactlyInAnyOrder(subscribers);
            first.add(round.get(0));
        }
        assertThat(first).containsExactlyInAnyOrder(subscribers);
    }

    /** Also where one leaves: it takes nobody's turn. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nobodyIsAlwaysServedFirst(boolean oneLeaves) {
        List<FanoutRig.Subscriber> all = new ArrayList<>();
        for (int i = 0; i < SUBSCRIBERS; i++) {
            all.add(connect(i));
        }
        if (oneLeaves) {
            round();
            all.get(1).hangUp();
            assertFair(0, 2);
        } else {
            assertFair(0, 1, 2);
        }
    }
}
