package dev.msgrelay.server.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The order in which the subscribers of a loop are sent to. */
class FairTurnsTest {
    private static final int SUBSCRIBERS = 3;

    private final FanoutRig rig = new FanoutRig();
    private final List<Integer> written = new ArrayList<>();

    @AfterEach
    void close() {
        rig.close();
    }

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

    @Test
    void nobodyIsAlwaysServedFirst() {
        for (int i = 0; i < SUBSCRIBERS; i++) {
            connect(i);
        }
        List<Integer> first = new ArrayList<>();
        for (int i = 0; i < SUBSCRIBERS; i++) {
            List<Integer> round = round();
            assertThat(round).containsExactlyInAnyOrder(0, 1, 2);
            first.add(round.get(0));
        }
        assertThat(first).containsExactlyInAnyOrder(0, 1, 2);
    }

    @Test
    void oneThatLeavesTakesNobodysTurn() {
        List<FanoutRig.Subscriber> all = new ArrayList<>();
        for (int i = 0; i < SUBSCRIBERS; i++) {
            all.add(connect(i));
        }
        round();
        all.get(1).hangUp();
        List<Integer> first = new ArrayList<>();
        for (int i = 0; i < SUBSCRIBERS - 1; i++) {
            List<Integer> round = round();
            assertThat(round).containsExactlyInAnyOrder(0, 2);
            first.add(round.get(0));
        }
        assertThat(first).containsExactlyInAnyOrder(0, 2);
    }
}
