package dev.msgrelay.server.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A subscriber that is to be told why it ends, and whose socket takes nothing. */
class FarewellTest {
    private final FanoutRig rig = new FanoutRig();

    @AfterEach
    void close() {
        rig.close();
    }

    /** Its place is given to the next one: were a timer to keep it, there would be more of them than there is memory for. */
    @Test
    void nothingKeepsOneThatIsGone() {
        FanoutRig.Subscriber subscriber = rig.connect();
        subscriber.block();
        rig.publishMany(5, 100);
        rig.pump();
        subscriber.say(ByteBuffer.wrap(new byte[] {1}));
        assertThat(rig.closed(CloseReason.UNEXPECTED_INPUT)).isEqualTo(1);
        assertThat(subscriber.channel.runScheduledPendingTasks())
                .as("it is told, or closed in the end")
                .isPositive();
        subscriber.channel.pipeline().fireChannelInactive();
        assertThat(rig.table.allGone()).isTrue();
        assertThat(subscriber.channel.runScheduledPendingTasks()).isEqualTo(-1);
    }
}
