package dev.msgrelay.loadgen.message;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.plan.Json;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class OrderTraceTest {
    private static final long SAME = -1;

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);

    @Test
    void theSameOrderIsTheSame() {
        long[] stream = stream(100_000);
        assertThat(differences(trace(stream), trace(stream), trace(stream))).containsOnly(SAME);
    }

    @RepeatedTest(20)
    void twoMessagesThatChangedPlacesShowInTheirBlock() {
        long[] stream = stream(1 + random.nextInt(50_000) + 2);
        int place = random.nextInt(stream.length - 1);
        long[] swapped = stream.clone();
        swapped[place] = stream[place + 1];
        swapped[place + 1] = stream[place];
        long[] found = differences(trace(stream), trace(swapped), trace(stream));
        assertThat(found[0]).isEqualTo(SAME);
        assertThat(found[2]).isEqualTo(SAME);
        assertThat(found[1])
                .as("seed %d, %d messages, place %d", seed, stream.length, place)
                .isBetween(Math.max(0, place - 2L * stream.length / OrderTrace.MAX_BLOCKS - 1), place + 1L);
    }

    @Test
    void messagesWithTheSameNumberThatChangedPlacesShowAtAnyDistance() {
        for (int distance = 1; distance <= 1 << 17; distance *= 2) {
            long[] stream = new long[(1 << 17) + 1];
            for (int i = 0; i < stream.length; i++) {
                stream[i] = LoadMessage.stamp(0, i);
            }
            stream[distance] = LoadMessage.stamp(1, 0);
            long[] swapped = stream.clone();
            swapped[0] = stream[distance];
            swapped[distance] = stream[0];
            assertThat(differences(trace(stream), trace(swapped))[1])
                    .as("distance %d", distance)
                    .isNotEqualTo(SAME);
        }
    }

    @Test
    void whoMissedSomeIsComparedWhereItMissedNothing() {
        long[] stream = stream(20_000);
        OrderTrace missed = new OrderTrace();
        Arrays.stream(stream, 0, 7_000).forEach(missed::startRun);
        missed.skip(2_000);
        long[] rest = Arrays.copyOfRange(stream, 9_000, stream.length);
        Arrays.stream(rest).forEach(missed::startRun);
        assertThat(missed.messages()).isEqualTo(20_000);
        assertThat(differences(trace(stream), missed)).containsOnly(SAME);

        OrderTrace swapped = new OrderTrace();
        Arrays.stream(stream, 0, 7_000).forEach(swapped::startRun);
        swapped.skip(2_000);
        long first = rest[5_000];
        rest[5_000] = rest[5_001];
        rest[5_001] = first;
        Arrays.stream(rest).forEach(swapped::startRun);
        assertThat(differences(trace(stream), swapped)[1]).isBetween(13_800L, 14_001L);
        assertThat(differences(swapped, trace(stream))[1])
                .as("the first that has a block is what others are compared with")
                .isBetween(13_800L, 14_001L);
    }

    @Test
    void whoWasCutOffIsComparedUpToItsLastWholeBlock() {
        long[] stream = stream(30_000);
        long[] start = Arrays.copyOf(stream, 20_000);
        assertThat(differences(trace(stream), trace(start))).containsOnly(SAME);
        start[3] = 1;
        assertThat(differences(trace(stream), trace(start))[1]).isBetween(0L, 3L);
    }

    @Test
    void aGapOfAnyLengthTakesNoTime() {
        OrderTrace trace = new OrderTrace();
        trace.startRun(1);
        trace.skip(Long.MAX_VALUE / 2);
        trace.startRun(2);
        assertThat(trace.messages()).isEqualTo(Long.MAX_VALUE / 2 + 2);
    }

    @Test
    void aRunAcrossBlocksIsTheSameForWhoMissedItsFirstHalf() {
        OrderTrace whole = new OrderTrace();
        whole.startRun(LoadMessage.stamp(0, 0));
        whole.continueRun(9_999);
        for (int missing : new int[] {1, 4, 512, 1_024, 4_096, 5_000}) {
            OrderTrace half = new OrderTrace();
            half.skip(missing);
            half.startRun(LoadMessage.stamp(0, missing));
            half.continueRun(9_999 - missing);
            assertThat(differences(whole, half)).as("%d missing", missing).containsOnly(SAME);
        }
    }

    @Test
    void survivesTheWayToAnotherProcess() {
        long[] stream = stream(12_345);
        OrderTrace told = Json.read(Json.tree(trace(stream)), OrderTrace.class);
        assertThat(told.messages()).isEqualTo(stream.length);
        assertThat(differences(trace(stream), told)).containsExactly(-1, -1);
        stream[7]++;
        assertThat(differences(trace(stream), told)[1]).isNotNegative();
    }

    private long[] stream(int messages) {
        return random.longs(messages).toArray();
    }

    private static OrderTrace trace(long... stream) {
        OrderTrace trace = new OrderTrace();
        Arrays.stream(stream).forEach(trace::startRun);
        return trace;
    }

    private static long[] differences(OrderTrace... traces) {
        return OrderTrace.differences(List.of(traces));
    }
}
