package dev.msgrelay.lab.batching;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.message.MessageCheck;
import dev.msgrelay.loadgen.message.SizeTable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/**
 * The article's worked example against its own arithmetic: 10 messages, 100 us a packet, a clock that is set by hand.
 */
class WorkedExampleTest {
    private static final int BODY = 100;
    private static final int MESSAGES = SlowDevice.MESSAGES;
    private static final int MTU = 1_448;

    private long now;
    private final SlowDevice device = new SlowDevice(
            nanos -> now += nanos, new MessageCheck(MESSAGES, SizeTable.fixed(BODY), MessageCheck.Order.UNHEARD));

    @Test
    void serialTheyQueueOneBehindTheOther() throws Exception {
        Sender sender = Sender.serial(device);
        for (int i = 0; i < MESSAGES; i++) {
            sender.newOutlet().send(message(i));
        }
        assertThat(device.packets()).isEqualTo(10);
        // The article says 500; the mean of 100, 200 ... 1,000 is 550.
        assertBurst(100, 550, 1_000);
    }

    @Test
    void batchedTheyGoInOnePacketWhenAllAreThere() throws Exception {
        Queue<byte[]> queue = new ArrayDeque<>();
        for (int i = 0; i < MESSAGES; i++) {
            queue.add(copy(i));
        }
        batch(device, MTU, queue);
        assertThat(device.packets()).isOne();
        assertBurst(100, 100, 100);
    }

    @Test
    void atWorstOneGoesAheadAndNineFollow() throws Exception {
        Queue<byte[]> queue = new ArrayDeque<>();
        queue.add(copy(0));
        Sender.NetworkFacade whileTheFirstIsSent = packet -> {
            for (int i = 1; device.packets() == 0 && i < MESSAGES; i++) {
                queue.add(copy(i));
            }
            device.send(packet);
        };
        // The queue is looked at again only after the packet is away.
        batch(whileTheFirstIsSent, MTU, onlyOne(queue));
        batch(whileTheFirstIsSent, MTU, queue);
        assertThat(device.packets()).isEqualTo(2);
        assertBurst(100, 190, 200);
    }

    @Test
    void theHandlerOfTheDisruptorDoesTheSame() throws Exception {
        DisruptorSender.NetworkBatchHandler handler =
                new DisruptorSender.NetworkBatchHandler(new Sender.Packet(device, MTU));
        handler.onEvent(event(0), 0, true);
        for (int i = 1; i < MESSAGES; i++) {
            handler.onEvent(event(i), i, i == MESSAGES - 1);
        }
        assertThat(device.packets()).isEqualTo(2);
        assertBurst(100, 190, 200);
    }

    @Test
    void aPacketHoldsAsManyWholeFramesAsFit() throws Exception {
        Queue<byte[]> queue = new ArrayDeque<>();
        for (int i = 0; i < MESSAGES; i++) {
            queue.add(copy(i));
        }
        // Four frames of 108 bytes, and not quite a fifth: 4 + 4 + 2.
        batch(device, 5 * 108 - 1, queue);
        assertThat(device.packets()).isEqualTo(3);
        assertBurst(100, (4 * 100 + 4 * 200 + 2 * 300) / 10.0, 300);
    }

    private static void batch(Sender.NetworkFacade device, int size, Queue<byte[]> queue) throws IOException {
        Sender.Queued.batch(queue.poll(), queue, new Sender.Packet(device, size));
    }

    /** A view that is empty once one message has been taken. */
    private static Queue<byte[]> onlyOne(Queue<byte[]> queue) {
        Queue<byte[]> one = new ArrayDeque<>();
        one.add(queue.remove());
        return one;
    }

    /** There was one, with these latencies in microseconds. */
    private void assertBurst(double best, double average, double worst) {
        assertThat(device.bursts()).hasSize(1).first().satisfies(burst -> {
            assertThat(burst.getMin() / 1e3).isEqualTo(best);
            assertThat(burst.getAverage() / 1e3).isEqualTo(average);
            assertThat(burst.getMax() / 1e3).isEqualTo(worst);
        });
    }

    /** All messages arrive at time 0. */
    private static ByteBuffer message(int producer) {
        return new Producers.Frame(producer, BODY).of(0, 0);
    }

    private static byte[] copy(int producer) {
        ByteBuffer frame = message(producer);
        byte[] bytes = new byte[frame.remaining()];
        frame.get(bytes);
        return bytes;
    }

    private static ByteBuffer event(int producer) {
        ByteBuffer slot = ByteBuffer.allocate(108);
        DisruptorSender.set(slot, message(producer));
        return slot;
    }
}
