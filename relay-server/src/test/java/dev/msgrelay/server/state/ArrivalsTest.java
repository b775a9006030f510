package dev.msgrelay.server.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.server.harness.Seeds;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The newest of each type among the last messages, against a plain map. */
class ArrivalsTest {
    private record Message(int type, int length, long number, long position) {}

    private final Random random = Seeds.random("ArrivalsTest");
    private final Arrivals arrivals = new Arrivals(-4711);
    private final Map<Integer, Message> newest = new HashMap<>();
    private long number = 1 + random.nextLong(1L << 50);
    private long position = random.nextLong(1L << 60);

    @Test
    void theNewestOfEachTypeInTheOrderOfTheNumbers() {
        for (int round = 0; round < 300; round++) {
            int types = 1 + random.nextInt(Arrivals.MOST_TYPES);
            int first = random.nextInt();
            int step = random.nextBoolean() ? 1 : 1 << random.nextInt(31);
            int between = 1 << random.nextInt(9);
            for (int i = random.nextInt(5000); i > 0 && !arrivals.isFull(number + between); i--) {
                number += random.nextInt(between);
                note(first + step * random.nextInt(types));
            }
            assertSorted();
        }
    }

    @Test
    void extremeTypes() {
        for (int i = 0; i < 5; i++) {
            for (int type : new int[] {0, -1, 1, Integer.MAX_VALUE, ControlFrames.LAST + 1}) {
                note(type);
            }
        }
        assertThat(newest).hasSize(5);
        assertSorted();
    }

    @Test
    void fullOfTypes() {
        for (int type = 0; type < Arrivals.MOST_TYPES; type++) {
            assertThat(arrivals.isFull(number + 1)).isFalse();
            note(type);
        }
        assertThat(arrivals.isFull(number + 1)).isTrue();
        assertSorted();
    }

    @Test
    void fullOfNumbers() {
        long first = number + 1;
        note(7);
        long full = first + Arrivals.MOST_NUMBERS;
        assertThat(arrivals.isFull(full)).isTrue();
        assertThat(arrivals.isFull(full - 1)).isFalse();
        number = full - 2;
        note(8);
        assertSorted();
        assertThat(arrivals.isFull(full)).isFalse();
    }

    @Test
    void whereTheyBegin() {
        assertThat(arrivals.beginsBefore(Long.MAX_VALUE)).isFalse();
        long first = position;
        note(7);
        note(7);
        assertThat(arrivals.beginsBefore(first)).isFalse();
        assertThat(arrivals.beginsBefore(first + 1)).isTrue();
        assertSorted();
        assertThat(arrivals.beginsBefore(Long.MAX_VALUE)).isFalse();
    }

    private void note(int any) {
        int type = Math.max(any, ControlFrames.LAST + 1);
        number++;
        Message message = new Message(type, random.nextInt(4) == 0 ? 0 : random.nextInt(1 << 26), number, position);
        arrivals.note(type, message.length, number, position);
        newest.put(type, message);
        position += 8 + message.length;
    }

    private void assertSorted() {
        arrivals.sort();
        List<Message> sorted = new ArrayList<>();
        for (int k = 0; k < arrivals.types(); k++) {
            sorted.add(new Message(
                    arrivals.typeAt(k), arrivals.lengthAt(k), arrivals.numberAt(k), arrivals.positionAt(k)));
        }
        assertThat(sorted)
                .isEqualTo(newest.values().stream()
                        .sorted(Comparator.comparingLong(Message::number))
                        .toList());
        arrivals.clear();
        newest.clear();
        assertThat(arrivals.types()).isZero();
    }
}
