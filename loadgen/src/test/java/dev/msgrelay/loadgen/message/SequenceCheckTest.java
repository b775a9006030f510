package dev.msgrelay.loadgen.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SequenceCheckTest {
    private final SequenceCheck check = new SequenceCheck(2);

    @Test
    void aStreamInOrderIsClean() {
        feed(0, 0, 1, 2, 3);
        assertThat(check.heardOfAll()).isFalse();
        feed(1, 0, 1);
        assertThat(check.heardOfAll()).isTrue();
        check.onEnd(0, 4);
        check.onEnd(1, 2);
        expect(6, 0, 0, 0);
    }

    @ParameterizedTest(name = "{0}: {1} of {2}")
    @CsvSource({
        "the first numbers are lost too, '5,6', 7, 2, 5, 0, 0",
        "a missing number is lost, '0,1,3,4', 5, 4, 1, 0, 0",
        "a missing tail is lost, '0,1', 10, 2, 8, 0, 0",
        "who was never heard of is lost as a whole, '', 3, 0, 3, 0, 0",
        "a number twice is a duplicate, '0,1,1,2,0', 3, 3, 0, 2, 0",
        "a swap is one reordering and no loss, '0,2,1,3', 4, 4, 0, 0, 1",
        "a late number that comes twice is a reordering and a duplicate, '0,4,2,2,5', 6, 4, 2, 1, 1",
    })
    void countsWhatIsWrong(
            String what, String numbers, long sent, long accepted, long lost, long duplicated, long reordered) {
        feed(
                0,
                Stream.of(numbers.split(","))
                        .filter(number -> !number.isEmpty())
                        .mapToLong(Long::parseLong)
                        .toArray());
        check.onEnd(0, sent);
        expect(accepted, lost, duplicated, reordered);
    }

    @Test
    void publishersAreCountedApart() {
        feed(0, 0, 1);
        feed(1, 0, 2);
        feed(0, 2);
        expect(5, 1, 0, 0);
    }

    @Test
    void anIdThatNobodyExpectsIsToldApart() {
        check.onMessage(LoadMessage.stamp(2, 0));
        assertThat(check.unknown()).isOne();
        expect(0, 0, 0, 0);
    }

    @Test
    void randomShufflesLossesAndDuplicatesAreCountedExactly() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            int sent = 3 + random.nextInt(60);
            List<Integer> stream = new ArrayList<>();
            for (int i = 1; i < sent; i++) {
                stream.add(i);
            }
            Collections.shuffle(stream, random);
            int lost = random.nextInt(stream.size());
            List<Integer> rest = new ArrayList<>(stream.subList(lost, stream.size()));
            int duplicates = random.nextInt(5);
            for (int i = 0; i < duplicates; i++) {
                int from = random.nextInt(rest.size());
                rest.add(from + random.nextInt(rest.size() - from) + 1, rest.get(from));
            }
            SequenceCheck fresh = new SequenceCheck(1);
            fresh.onMessage(LoadMessage.stamp(0, 0));
            rest.forEach(number -> fresh.onMessage(LoadMessage.stamp(0, number)));
            fresh.onEnd(0, sent);
            assertThat(fresh.lost()).as("lost, seed %d round %d", seed, round).isEqualTo(lost);
            assertThat(fresh.duplicated())
                    .as("duplicated, seed %d round %d", seed, round)
                    .isEqualTo(duplicates);
            assertThat(fresh.accepted())
                    .as("accepted, seed %d round %d", seed, round)
                    .isEqualTo(sent - lost);
            assertThat(fresh.reordered())
                    .as("reordered, seed %d round %d", seed, round)
                    .isEqualTo(overtaken(rest));
        }
    }

    private static long overtaken(List<Integer> stream) {
        long count = 0;
        int highest = 0;
        for (int i = 0; i < stream.size(); i++) {
            int number = stream.get(i);
            if (number < highest && stream.indexOf(number) == i) {
                count++;
            }
            highest = Math.max(highest, number);
        }
        return count;
    }

    private void feed(int publisher, long... numbers) {
        for (long number : numbers) {
            check.onMessage(LoadMessage.stamp(publisher, number));
        }
    }

    private void expect(long accepted, long lost, long duplicated, long reordered) {
        assertThat(new long[] {check.accepted(), check.lost(), check.duplicated(), check.reordered()})
                .as("accepted, lost, duplicated, reordered")
                .containsExactly(accepted, lost, duplicated, reordered);
    }
}
