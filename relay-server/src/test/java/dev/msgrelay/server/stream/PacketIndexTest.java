package dev.msgrelay.server.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Workers;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The newest packets are found by position; older ones are forgotten, and that is noticed. */
class PacketIndexTest {
    private static final int CAPACITY = 64;
    private static final int STEP = 100;
    private static final int LOOKUPS = 400_000;

    @Test
    void everyPositionLeadsToTheFirstPacketAtOrAfterIt() {
        Random random = Seeds.random("PacketIndexTest");
        PacketIndex index = new PacketIndex(CAPACITY);
        List<Long> starts = new ArrayList<>();
        long position = 0;
        for (int n = 0; n < 500; n++) {
            starts.add(position);
            index.add(position, n * 3L + 1);
            assertThat(index.newest()).isEqualTo(n);
            long oldest = Math.max(0, n + 1 - CAPACITY);
            for (int k = 0; k < 20; k++) {
                long where = starts.get((int) oldest) + random.nextLong(position - starts.get((int) oldest) + 20);
                long expected = oldest;
                while (expected <= n && starts.get((int) expected) < where) {
                    expected++;
                }
                assertThat(index.firstAtOrAfter(where)).isEqualTo(expected);
                if (expected <= n) {
                    assertThat(index.positionOf(expected)).isEqualTo(starts.get((int) expected));
                    assertThat(index.sequenceOf(expected)).isEqualTo(expected * 3 + 1);
                }
            }
            position += 1 + random.nextInt(3000);
        }
    }

    @Test
    void everyMessageLeadsToItsPacket() {
        Random random = Seeds.random("PacketIndexTest");
        PacketIndex index = new PacketIndex(CAPACITY);
        assertThat(index.lastAtOrBefore(1)).as("of an empty index").isEqualTo(-1);
        List<Long> firsts = new ArrayList<>();
        long sequence = 1;
        for (int n = 0; n < 500; n++) {
            firsts.add(sequence);
            index.add(n * 1000L, sequence);
            long oldest = Math.max(0, n + 1 - CAPACITY);
            long least = firsts.get((int) oldest);
            for (long wanted = Math.max(0, least - 3); wanted < sequence + 3; wanted += 1 + random.nextInt(5)) {
                long expected = n;
                while (expected >= oldest && firsts.get((int) expected) > wanted) {
                    expected--;
                }
                assertThat(index.lastAtOrBefore(wanted)).isEqualTo(expected < oldest ? -1 : expected);
            }
            assertThat(index.lastAtOrBefore(Long.MAX_VALUE)).isEqualTo(n);
            assertThat(index.lastAtOrBefore(0)).isEqualTo(-1);
            // A packet that is begun twice at the same message has nothing in it the first time: the last one counts.
            sequence += random.nextInt(10);
        }
    }

    @Test
    void aForgottenPacketIsNoticed() {
        PacketIndex index = new PacketIndex(CAPACITY);
        for (int n = 0; n < CAPACITY - 1; n++) {
            index.add(n * 100L, n);
        }
        assertThat(index.stillHolds(0)).isTrue();
        index.add(9900, 99);
        // Its slot is the one that may be under way for the next packet.
        assertThat(index.stillHolds(0)).isFalse();
        assertThat(index.stillHolds(1)).isTrue();
    }

    @Test
    void itHasRoomForEveryPacketThatTheLogCanHold() {
        for (int packet : new int[] {536, 1460, 8960, 65_496}) {
            for (int log = 1 << 20; log > 0 && log <= 1 << 30; log <<= 1) {
                // Two neighbours together are larger than a packet, or they would be one.
                long most = 2L * log / packet + 2;
                int capacity = PacketLog.indexCapacity(log, packet);
                assertThat(Integer.bitCount(capacity)).isEqualTo(1);
                assertThat((long) capacity).isGreaterThan(most);
            }
        }
    }

    @Test
    void whatStillHoldsUnderAWriterIsRight() throws InterruptedException {
        PacketIndex index = new PacketIndex(CAPACITY);
        index.add(0, 1);
        AtomicBoolean stop = new AtomicBoolean();
        Workers workers = new Workers().start("writer", () -> {
            for (long n = 1; !stop.get(); n++) {
                index.add(n * STEP, n * 7 + 1);
            }
        });
        int held = 0;
        try {
            for (int i = 0; i < LOOKUPS; i++) {
                held += lookUp(index, (i & 63) * STEP + 1) ? 1 : 0;
            }
        } finally {
            stop.set(true);
            workers.join();
        }
        assertThat(held).as("look-ups in time").isPositive();
    }

    private static boolean lookUp(PacketIndex index, int back) {
        long where = Math.max(0, index.newest() * STEP - back);
        long packet = index.firstAtOrAfter(where);
        if (packet > index.newest()) {
            return false;
        }
        long position = index.positionOf(packet);
        long sequence = index.sequenceOf(packet);
        if (!index.stillHolds(packet)) {
            return false;
        }
        if (position < where || position != packet * STEP || sequence != packet * 7 + 1) {
            throw new AssertionError(
                    "packet " + packet + " at " + position + ", message " + sequence + ", was found for " + where);
        }
        return true;
    }
}
