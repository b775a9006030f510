package dev.msgrelay.loadgen.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SizeTableTest {
    @Test
    void aHistogramComesOutInItsExactShares() {
        assertThat(counts("sizes:16x3,1000x1", 1)).isEqualTo(Map.of(16, 49_152, 1000, 16_384));
    }

    @Test
    void remaindersGoToTheLargest() {
        // A third of 65,536 is 21,845 and a third: one of the three gets the last entry.
        assertThat(counts("sizes:20x1,30x1,40x1", 1)).isEqualTo(Map.of(20, 21_846, 30, 21_845, 40, 21_845));
        // 0.9 of it is 58,982.4, a tenth 6,553.6.
        assertThat(counts("sizes:20x9,30x1", 1)).isEqualTo(Map.of(20, 58_982, 30, 6_554));
    }

    @Test
    void aRareSizeComesOnceAllTheSame() {
        assertThat(counts("sizes:20x1000000000000,30x1,40x1", 1)).isEqualTo(Map.of(20, 65_534, 30, 1, 40, 1));
    }

    @Test
    void aUniformRangeGivesEverySizeEquallyOften() {
        Map<Integer, Integer> counts = counts("uniform:101-612", 1);
        assertThat(counts).hasSize(512).containsKeys(101, 612);
        assertThat(counts.values()).containsOnly(SizeTable.LENGTH / 512);
        assertThat(counts("uniform:16-1000", 1).values()).as("985 sizes").containsOnly(66, 67);
    }

    @Test
    void aRangeWiderThanTheTableIsCoveredEvenly() {
        TreeMap<Integer, Integer> counts = counts("uniform:16-1000000", 1);
        assertThat(counts).hasSize(SizeTable.LENGTH);
        assertThat(counts.firstKey()).isBetween(16, 32);
        assertThat(counts.lastKey()).isBetween(999_984, 1_000_000);
    }

    @Test
    void theSeedAloneSetsTheOrder() {
        BodySizes body = BodySizes.parse("uniform:16-1000");
        assertThat(sequence(SizeTable.of(body, 5), 0)).isEqualTo(sequence(SizeTable.of(body, 5), 0));
        assertThat(sequence(SizeTable.of(body, 5), 0)).isNotEqualTo(sequence(SizeTable.of(body, 6), 0));
        assertThat(counts("uniform:16-1000", 5)).isEqualTo(counts("uniform:16-1000", 6));
    }

    @Test
    void publishersStartAtDifferentPlacesOfTheTable() {
        SizeTable table = SizeTable.of(BodySizes.parse("uniform:16-1000"), 1);
        assertThat(sequence(table, 0)).isNotEqualTo(sequence(table, 1));
        assertThat(table.sizeOf(LoadMessage.stamp(LoadMessage.MAX_PUBLISHER, (1L << 48) - 1)))
                .isBetween(16, 1000);
    }

    @Test
    void allOfOneSizeNeedNoTable() {
        SizeTable table = SizeTable.of(BodySizes.fixed(100), 1);
        assertThat(table.isFixed()).isTrue();
        assertThat(table.sizeOf(LoadMessage.stamp(9, 1L << 40))).isEqualTo(100);
    }

    /** How often each size comes in as many messages of a publisher as the table has entries. */
    private static TreeMap<Integer, Integer> counts(String body, long seed) {
        SizeTable table = SizeTable.of(BodySizes.parse(body), seed);
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
