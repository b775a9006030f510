package dev.msgrelay.server.attack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.SubscribeFrame;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.TestRelay;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Readers that say much and read nothing: what the relay keeps for them has a limit in bytes. */
class QueuedSubscribesTest {
    private static final int READERS = 1000;
    private static final int SUBSCRIBES = 16;
    private static final int RANGES = 1024;
    /** What the system takes for a reader that does not read, and some more: from then on SUBSCRIBEs wait. */
    private static final int FULL_SOCKET = 400_000;

    @Test
    void theHeapIsNotTheirs() throws Exception {
        int count = Descriptors.connections(READERS);
        byte[] hello = HelloFrame.subscriber().build().encode().array();
        byte[] subscribes = subscribes();
        try (MemoryWatch memory = new MemoryWatch();
                TestRelay relay = AttackRelay.start(b -> b.slowSubscriber(Policy.SKIP));
                HealthyPair pair = AttackRelay.pair(relay);
                Crowd readers = new Crowd()) {
            readers.connect(relay.subscribe(), count);
            assertThat(readers.offer(hello)).isEqualTo(count);
            Await.until(
                    () -> "all are there: " + relay.stats(), () -> relay.stats().subscribers() == count + 1);
            // Up to here they are subscribers like others, if many.
            pair.push(FULL_SOCKET, 1000);
            pair.begin();
            ByteBuffer[] left = new ByteBuffer[count];
            for (int i = 0; i < count; i++) {
                left[i] = ByteBuffer.wrap(subscribes);
            }
            // Who is cut off meanwhile is done, too; so is who is not read any more, which shows by no progress.
            long[] unsent = {Long.MAX_VALUE, 0};
            Await.until("they have said it all, or are not listened to", () -> {
                long now = offerAll(readers, left);
                unsent[1] = now < unsent[0] ? 0 : unsent[1] + 1;
                unsent[0] = now;
                return now == 0 || unsent[1] == 200;
            });
            pair.end(count + " readers with 16 SUBSCRIBEs each");
            memory.assertHeapWithinBudget(relay);
            memory.assertWithinBudget(relay);
            AttackRelay.assertNoFault(relay);
            System.out.println("closed: " + relay.stats().closes() + ", not sent: " + unsent[0]);
            // Ranges that others have taken the place of are not kept, so nobody has to be cut off for them.
            assertThat(relay.closed(CloseReason.MEMORY_LIMIT)).isZero();
            assertThat(unsent[0]).as("bytes that were not read").isZero();
            pair.finish();
        }
    }

    private static long offerAll(Crowd readers, ByteBuffer[] left) {
        long unsent = 0;
        for (int i = 0; i < left.length; i++) {
            if (left[i].hasRemaining()) {
                int before = left[i].remaining();
                Crowd.offer(readers.get(i), left[i]);
                unsent += readers.get(i).isOpen() && left[i].remaining() == before ? before : left[i].remaining();
            }
        }
        return unsent;
    }

    private static byte[] subscribes() {
        int[] ranges = new int[2 * RANGES];
        for (int i = 0; i < ranges.length; i++) {
            ranges[i] = 10 * i;
        }
        Frames frames = new Frames();
        for (int i = 1; i <= SUBSCRIBES; i++) {
            frames.raw(new SubscribeFrame(i, TypeRanges.of(ranges)).encode().array());
        }
        return frames.bytes();
    }
}
