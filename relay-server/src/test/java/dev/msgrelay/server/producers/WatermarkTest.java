package dev.msgrelay.server.producers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.harness.Seeds;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Never too early, late by no more than what was merged, and in the end all of it. */
class WatermarkTest {
    @Test
    void tellsTheNumberOfTheLastMessageBeforeASequence() {
        Levels.Watermark mark = new Levels.Watermark(2);
        assertThat(mark.number()).isEqualTo(2);
        assertThat(mark.waits()).isFalse();
        mark.add(501, 3);
        mark.add(612, 5);
        mark.add(619, 6);
        assertThat(mark.reached(501)).as("501 itself is not reached").isFalse();
        assertThat(mark.number()).isEqualTo(2);
        assertThat(mark.reached(502)).isTrue();
        assertThat(mark.number()).isEqualTo(3);
        assertThat(mark.reached(612)).isFalse();
        assertThat(mark.reached(10_000)).isTrue();
        assertThat(mark.number()).isEqualTo(6);
        assertThat(mark.waits()).isFalse();
        assertThat(mark.reached(20_000)).isFalse();
    }

    @Test
    void whereThereIsNoRoomEveryOtherPairIsLate() {
        Levels.Watermark mark = new Levels.Watermark(0);
        for (int i = 1; i <= Levels.Watermark.MOST + 1; i++) {
            mark.add(10L * i, i);
        }
        assertThat(mark.reached(11)).as("1 has become a part of 2").isFalse();
        assertThat(mark.reached(21)).isTrue();
        assertThat(mark.number()).isEqualTo(2);
        assertThat(mark.reached(10L * Levels.Watermark.MOST + 1)).isTrue();
        assertThat(mark.number()).isEqualTo(Levels.Watermark.MOST);
        assertThat(mark.waits()).isTrue();
        assertThat(mark.reached(Long.MAX_VALUE)).isTrue();
        assertThat(mark.number()).isEqualTo(Levels.Watermark.MOST + 1);
    }

    @Test
    void isNeverTooEarly() {
        Random random = Seeds.random("WatermarkTest.isNeverTooEarly");
        for (int round = 0; round < 200; round++) {
            Levels.Watermark mark = new Levels.Watermark(0);
            TreeMap<Long, Long> all = new TreeMap<>();
            long sequence = 0;
            long number = 0;
            long reached = 0;
            for (int i = 0; i < 1_000; i++) {
                if (random.nextInt(round % 7 + 2) > 0) {
                    sequence += 1 + random.nextInt(50);
                    number += 1 + random.nextInt(3);
                    mark.add(sequence, number);
                    all.put(sequence, number);
                } else {
                    reached = Math.max(reached, sequence - random.nextInt(2_000));
                    long before = mark.number();
                    assertThat(mark.reached(reached)).isEqualTo(mark.number() > before);
                    Map.Entry<Long, Long> exact = all.lowerEntry(reached);
                    assertThat(mark.number()).isLessThanOrEqualTo(exact == null ? 0 : exact.getValue());
                    assertThat(mark.number()).as("never back").isGreaterThanOrEqualTo(before);
                }
            }
            mark.reached(sequence + 1);
            assertThat(mark.number()).isEqualTo(number);
            assertThat(mark.waits()).isFalse();
        }
    }
}
