package dev.msgrelay.loadgen.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SizeTableTest {
    @Test
    void aUniformRangeGivesEverySizeEquallyOften() {
        Map<Integer, Integer> counts = counts("101-612");
        assertThat(counts).hasSize(512).containsKeys(101, 612);
        assertThat(counts.values()).containsOnly(SizeTable.LENGTH / 512);
        assertThat(counts("16-1000").values()).as("985 sizes").containsOnly(66, 67);
    }

    @Test
    void aRangeWiderThanTheTableIsCoveredEvenly() {
        TreeMap<Integer, Integer> counts = counts("16-1000000");
        assertThat(counts).hasSize(SizeTable.LENGTH);
        assertThat(counts.firstKey()).isBetween(16, 32);
        assertThat(counts.lastKey()).isBetween(999_984, 1_000_000);
    }

    @Test
    void theOrderIsTheSameForAll() {
        BodySizes body = BodySizes.parse("16-1000");
        assertThat(sequence(SizeTable.of(body), 0)).isEqualTo(sequence(SizeTable.of(body), 0));
    }

    @Test
    void publishersStartAtDifferentPlacesOfTheTable() {
        SizeTable table = SizeTable.of(BodySizes.parse("16-1000"));
        assertThat(sequence(table, 0)).isNotEqualTo(sequence(table, 1));
        assertThat(table.sizeOf(LoadMessage.stamp(LoadMessage.MAX_PUBLISHER, (1L << 48) - 1)))
                .isBetween(16, 1000);
    }

    @Test
    void allOfOneSizeNeedNoTable() {
        SizeTable table = SizeTable.of(BodySizes.fixed(100));
        assertThat(table.isFixed()).isTrue();
        assertThat(table.sizeOf(LoadMessage.stamp(9, 1L << 40))).isEqualTo(100);
    }

    @Test
    void eachTypeComesOnceInTurnAndThenAtRandom() {
        int types = 10;
        SizeTable table = SizeTable.fixed(16).withTypes(types);
        int[] first = IntStream.range(0, types)
                .map(n -> table.typeOf(LoadMessage.stamp(3, n)))
                .toArray();
        assertThat(first).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
        int[] counts = new int[types + 1];
        int[] followed = new int[types + 1];
        int before = 0;
        for (int n = types; n < types + 100_000; n++) {
            int type = table.typeOf(LoadMessage.stamp(3, n));
            counts[type]++;
            followed[type] += before == 1 ? 1 : 0;
            before = type;
        }
        assertThat(counts[0]).isZero();
        assertThat(Arrays.stream(counts).skip(1)).allMatch(count -> count > 9_500 && count < 10_500);
        assertThat(Arrays.stream(followed).skip(1))
                .as("what comes behind type 1")
                .allMatch(count -> count > 800 && count < 1_200);
    }

    @Test
    void publishersCarryOtherTypesAndEachRunTheSame() {
        SizeTable table = SizeTable.fixed(16).withTypes(SizeTable.MAX_TYPES);
        long number = SizeTable.MAX_TYPES + 7L;
        assertThat(table.typeOf(LoadMessage.stamp(0, number)))
                .isNotEqualTo(table.typeOf(LoadMessage.stamp(1, number)))
                .isEqualTo(SizeTable.fixed(50).withTypes(SizeTable.MAX_TYPES).typeOf(LoadMessage.stamp(0, number)))
                .isBetween(1, SizeTable.MAX_TYPES);
    }

    /** How often each size comes in as many messages of a publisher as the table has entries. */
    private static TreeMap<Integer, Integer> counts(String body) {
        SizeTable table = SizeTable.of(BodySizes.parse(body));
        TreeMap<Integer, Integer> counts = new TreeMap<>();
        for (int n = 0; n < SizeTable.LENGTH; n++) {
            counts.merge(table.sizeOf(LoadMessage.stamp(3, 1_000 + n)), 1, Integer::sum);
        }
        return counts;
    }

    private static int[] sequence(SizeTable table, int publisher) {
        int[] sizes = new int[1_000];
        for (int n = 0; n < sizes.length; n++) {
            sizes[n] = table.sizeOf(LoadMessage.stamp(publisher, n));
        }
        return sizes;
    }
}
