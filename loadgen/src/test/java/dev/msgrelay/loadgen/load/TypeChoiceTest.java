package dev.msgrelay.loadgen.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.TypeRanges;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TypeChoiceTest {
    @Test
    void theChosenOnesHaveRanksWithoutAHole() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 100; round++) {
            int types = 1 + random.nextInt(12);
            int from = random.nextInt(types + 2);
            SizeTable sizes = SizeTable.fixed(16).withTypes(types);
            TypeRanges wanted = TypeRanges.of(from, from + random.nextInt(5));
            TypeChoice choice = new TypeChoice(sizes, wanted);
            long rank = 0;
            for (int number = 0; number < 60; number++) {
                long stamp = LoadMessage.stamp(3, number);
                assertThat(choice.rank(number))
                        .as("%s of %d, seed %d", wanted, types, seed)
                        .isEqualTo(rank);
                assertThat(choice.contains(stamp)).isEqualTo(wanted.contains(sizes.typeOf(stamp)));
                if (choice.contains(stamp)) {
                    assertThat(choice.ranked(stamp)).isEqualTo(LoadMessage.stamp(3, rank));
                    rank++;
                }
            }
            assertThat(choice.isAll()).isEqualTo(rank == 60);
        }
    }
}
