package dev.msgrelay.loadgen.lab.batching;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.lab.batching.BurstTally.Burst;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/** The article's worked example against its own arithmetic: 10 messages, 100 us a packet, a clock that is set by hand. */
class WorkedExampleTest {
    private static final int BODY = 100;
    private static final int MESSAGES = BurstContestant.MESSAGES;
    private static final int MTU = 1_448;

    private final HandClock clock = new HandClock();
    private final BurstTally tally = new BurstTally(MESSAGES, new FrameCheck(MESSAGES, BODY));
    private final SlowDevice device = new SlowDevice(BurstContestant.PACKET_NANOS, clock, tally);

    @Test
    void serialTheyQueueOneBehindTheOther() throws Exception {
        Sender sender = new SerialSender(device);
        for (int i = 0; i < MESSAGES; i++) {
            sender.newOutlet().send(message(i));
        }
        assertThat(device.packets()).isEqualTo(10);
        // The article says 500; the mean of 100, 200 ... 1,000 is 550.
        assertThat(tally.bursts()).containsExactly(micros(100, 550, 1_000));
    }

    @Test
    void batchedTheyGoInOnePacketWhenAllAreThere() throws Exception {
        Queue<Message> queue = new ArrayDeque<>();
        for (int i = 0; i < MESSAGES; i++) {
            queue.add(Message.copyOf(message(i)));
        }
        new NetworkBatcher(device, MTU, queue).drain();
        assertThat(device.packets()).isOne();
        assertThat(tally.bursts()).containsExactly(micros(100, 100, 100));
    }

    @Test
    void atWorstOneGoesAheadAndNineFollow() throws Exception {
        Queue<Message> queue = new ArrayDeque<>();
        queue.add(Message.copyOf(message(0)));
        NetworkFacade whileTheFirstIsSent = packet -> {
            for (int i = 1; device.packets() == 0 && i < MESSAGES; i++) {
                queue.add(Message.copyOf(message(i)));
            }
            device.send(packet);
        };
        NetworkBatcher batcher = new NetworkBatcher(whileTheFirstIsSent, MTU, queue);
        // The queue is looked at again only after the packet is away.
        new NetworkBatcher(whileTheFirstIsSent, MTU, onlyOne(queue)).drain();
        batcher.drain();
        assertThat(device.packets()).isEqualTo(2);
        assertThat(tally.bursts()).containsExactly(micros(100, 190, 200));
    }

    @Test
    void theHandlerOfTheDisruptorDoesTheSame() throws Exception {
        NetworkBatchHandler handler = new NetworkBatchHandler(device, MTU);
        handler.onEvent(event(0), 0, true);
        for (int i = 1; i < MESSAGES; i++) {
            handler.onEvent(event(i), i, i == MESSAGES - 1);
        }
        assertThat(device.packets()).isEqualTo(2);
        assertThat(tally.bursts()).containsExactly(micros(100, 190, 200));
    }

    @Test
    void aPacketHoldsAsManyWholeFramesAsFit() throws Exception {
        Queue<Message> queue = new ArrayDeque<>();
        for (int i = 0; i < MESSAGES; i++) {
            queue.add(Message.copyOf(message(i)));
        }
        // Four frames of 108 bytes, and not quite a fifth: 4 + 4 + 2.
        new NetworkBatcher(device, 5 * 108 - 1, queue).drain();
        assertThat(device.packets()).isEqualTo(3);
        assertThat(tally.bursts()).containsExactly(micros(100, (4 * 100 + 4 * 200 + 2 * 300) / 10.0, 300));
    }

    /** A view that is empty once one message has been taken. */
    private static Queue<Message> onlyOne(Queue<Message> queue) {
        Queue<Message> one = new ArrayDeque<>();
        one.add(queue.remove());
        return one;
    }

    private static Burst micros(double best, double average, double worst) {
        return new Burst(best * 1e3, average * 1e3, worst * 1e3);
    }

    /** All messages arrive at time 0. */
    private static ByteBuffer message(int producer) {
        return new Frame(producer, BODY).of(0, 0);
    }

    private static FrameEvent event(int producer) {
        FrameEvent event = new FrameEvent(108);
        event.set(message(producer));
        return event;
    }

    private static final class HandClock implements DeviceTime {
        private long now;

        @Override
        public long nanos() {
            return now;
        }

        @Override
        public void awaitMoment(long moment) {
            now = moment;
        }
    }
}
