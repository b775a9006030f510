package dev.msgrelay.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.StringJoiner;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TypeRangesTest {
    private static final int LOWEST = ControlFrames.LAST + 1;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "7                   | 7",
                "100-199,7           | 7,100-199",
                " 1 , 3-4 , 2        | 1-4",
                "1-5,2-3,5-9         | 1-9",
                "10-20,1-9           | 1-20",
                "10-20,1-8           | 1-8,10-20",
                "7,7,7               | 7",
                "-5--1               | -5--1",
                "-5-5                | -5-5",
                "-1                  | -1",
                "-1,0                | -1-0",
                "2147483647          | 2147483647",
                "2147483646-2147483647,2147483647 | 2147483646-2147483647",
                "-2147483392         | -2147483392",
                "-2147483392-2147483647 | all",
                "0-2147483647,-2147483392--1 | all",
                "007                 | 7",
                " all                | all"
            })
    void readsRangesAndWritesThemInNormalForm(String text, String normal) {
        TypeRanges types = TypeRanges.parse(text);
        assertThat(types).hasToString(normal);
        assertThat(TypeRanges.parse(types.toString())).isEqualTo(types).hasSameHashCodeAs(types);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''         | \"\" is neither a type nor two types",
                "1,         | \"\" is neither",
                "1,,2       | \"\" is neither",
                "1;2        | \"1;2\" is neither",
                "1-2-3      | \"1-2-3\" is neither",
                "-          | \"-\" is neither",
                "1-         | \"1-\" is neither",
                "+1         | \"+1\" is neither",
                "1 - 2      | \"1 - 2\" is neither",
                "0x10       | \"0x10\" is neither",
                "5,9-3      | range 9 to 3 runs backwards",
                "5,2147483648 | type 2147483648 is not within -2147483648..2147483647",
                "-2147483649  | type -2147483649 is not within -2147483648..2147483647",
                "-2147483648  | range -2147483648 to -2147483648 holds reserved types, 0x80000000 to 0x800000FF",
                "-2147483393-1 | must not start below -2147483392",
                "1234567890123456789 | \"1234567890123456789\" is neither"
            })
    void saysWhatIsWrongWithAText(String text, String problem) {
        assertThatThrownBy(() -> TypeRanges.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(problem);
    }

    @Test
    void quotesNoMoreThanTheStartOfALongText() {
        assertThatThrownBy(() -> TypeRanges.parse("9".repeat(1_000_000)))
                .hasMessageContaining("\"" + "9".repeat(40) + "...\"")
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(200));
    }

    @Test
    void takesAsManyRangesAsTheLimitAndNoMore() {
        StringJoiner most = new StringJoiner(",");
        int[] bounds = new int[2 * TypeRanges.MAX_RANGES];
        for (int i = 0; i < TypeRanges.MAX_RANGES; i++) {
            most.add(Integer.toString(2 * i));
            bounds[2 * i] = 2 * i;
            bounds[2 * i + 1] = 2 * i;
        }
        assertThat(TypeRanges.parse(most.toString())).isEqualTo(TypeRanges.of(bounds));
        assertThat(TypeRanges.of(bounds).count()).isEqualTo(TypeRanges.MAX_RANGES);
        assertThatThrownBy(() -> TypeRanges.parse(most + ",-1"))
                .hasMessageContaining("1025 ranges are over the limit of 1024");
        assertThatThrownBy(() -> TypeRanges.of(new int[2 * TypeRanges.MAX_RANGES + 2]))
                .hasMessageContaining("1025 ranges are over the limit of 1024");
    }

    @Test
    void differentSetsHaveDifferentHashes() {
        Set<Integer> hashes = new HashSet<>();
        for (int from = 0; from < 20; from++) {
            for (int to = from; to < 20; to++) {
                hashes.add(TypeRanges.of(from, to).hashCode());
            }
        }
        assertThat(hashes).hasSizeGreaterThan(150);
        assertThat(TypeRanges.of(1, 9)).isNotEqualTo(TypeRanges.of(1, 8)).isNotEqualTo(TypeRanges.of(2, 9));
    }

    @Test
    void ofTakesPairs() {
        assertThat(TypeRanges.of(5, 9, 1, 4)).hasToString("1-9");
        assertThat(TypeRanges.of()).isEqualTo(TypeRanges.ALL);
        assertThatThrownBy(() -> TypeRanges.of(1, 2, 3)).hasMessageContaining("3 bounds");
        assertThatThrownBy(() -> TypeRanges.of(2, 1)).hasMessageContaining("range 2 to 1 runs backwards");
        assertThatThrownBy(() -> TypeRanges.of(1, 1, Integer.MIN_VALUE, 1))
                .hasMessageContaining("range -2147483648 to 1 holds reserved types");
    }

    @Test
    void everyTypeIsNoRangeOnTheWire() {
        assertThat(TypeRanges.ALL.isAll()).isTrue();
        assertThat(TypeRanges.ALL.count()).isZero();
        assertThat(TypeRanges.of(LOWEST, Integer.MAX_VALUE)).isEqualTo(TypeRanges.ALL);
        assertThat(TypeRanges.of(LOWEST, Integer.MAX_VALUE - 1).isAll()).isFalse();
        assertThat(TypeRanges.of(LOWEST + 1, Integer.MAX_VALUE).count()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {ControlFrames.FIRST, ControlFrames.ERROR, ControlFrames.LAST})
    void noReservedTypeIsEverContained(int type) {
        assertThat(TypeRanges.ALL.contains(type)).isFalse();
        assertThat(TypeRanges.of(LOWEST, 0).contains(type)).isFalse();
    }

    @Test
    void containsBothEndsOfARange() {
        TypeRanges types = TypeRanges.parse("-2147483392,-3--2,0,7-9,2147483647");
        for (int in : new int[] {LOWEST, -3, -2, 0, 7, 8, 9, Integer.MAX_VALUE}) {
            assertThat(types.contains(in)).as("type %d", in).isTrue();
        }
        for (int out : new int[] {LOWEST - 1, LOWEST + 1, -4, -1, 1, 6, 10, Integer.MAX_VALUE - 1}) {
            assertThat(types.contains(out)).as("type %d", out).isFalse();
        }
    }

    @RepeatedTest(50)
    void isTheSetOfTheTypesOfItsRanges() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        int[] bounds = new int[2 * (1 + random.nextInt(20))];
        boolean[] wanted = new boolean[200];
        for (int i = 0; i < bounds.length; i += 2) {
            bounds[i] = random.nextInt(wanted.length);
            bounds[i + 1] = Math.min(wanted.length - 1, bounds[i] + random.nextInt(20));
            Arrays.fill(wanted, bounds[i], bounds[i + 1] + 1, true);
        }
        TypeRanges types = TypeRanges.of(bounds);
        int runs = 0;
        for (int type = 0; type < wanted.length; type++) {
            assertThat(types.contains(type)).as("seed %d, type %d", seed, type).isEqualTo(wanted[type]);
            runs += wanted[type] && (type == 0 || !wanted[type - 1]) ? 1 : 0;
        }
        assertThat(types.count()).as("seed %d: ranges that touch are one", seed).isEqualTo(runs);
        assertThat(TypeRanges.parse(types.toString())).as("seed %d", seed).isEqualTo(types);
    }

    @Test
    void ofManyRangesTheFirstOnesAreTold() {
        TypeRanges types = TypeRanges.parse("1-9,12,20-21");
        assertThat(types.text(2)).isEqualTo("1-9,12 and 1 more");
        assertThat(types.text(3)).isEqualTo(types.toString()).isEqualTo("1-9,12,20-21");
        assertThat(TypeRanges.parse("all").text(1)).isEqualTo("all");
    }

    /** Against two sets of bits. */
    @Test
    void whatTwoSetsHaveInCommon() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < 1000; round++) {
            TypeRanges a = some(random);
            TypeRanges b = some(random);
            TypeRanges both = a.intersect(b);
            assertThat(both).as("seed %d", seed).isEqualTo(b.intersect(a));
            for (int type = -50; type < 150; type++) {
                assertThat(both != null && both.contains(type))
                        .as("seed %d, %s and %s, type %d", seed, a, b, type)
                        .isEqualTo(a.contains(type) && b.contains(type));
            }
            if (both != null) {
                // In normal form: what is read again is the same.
                assertThat(TypeRanges.parse(both.toString())).isEqualTo(both);
            }
            assertThat(a.intersect(TypeRanges.ALL)).isEqualTo(a);
            assertThat(TypeRanges.ALL.intersect(a)).isEqualTo(a);
        }
        assertThat(TypeRanges.of(1, 9).intersect(TypeRanges.of(10, 19))).isNull();
        assertThat(TypeRanges.ALL.intersect(TypeRanges.ALL).isAll()).isTrue();
    }

    private static TypeRanges some(Random random) {
        int[] bounds = new int[2 * (1 + random.nextInt(6))];
        for (int i = 0; i < bounds.length; i += 2) {
            bounds[i] = random.nextInt(100) - 40;
            bounds[i + 1] = bounds[i] + random.nextInt(20);
        }
        return TypeRanges.of(bounds);
    }
}
