package dev.msgrelay.loadgen.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.plan.Still;
import dev.msgrelay.loadgen.plan.Window;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PausesTest {
    private static final Window WINDOW = new Window(0, millis(1_000), millis(3_000));

    private final Pauses pauses = new Pauses();

    @Test
    void theLongestOneAndTheSumOfTheLongOnes() {
        pauses.note(millis(1_100), millis(1_199), WINDOW);
        pauses.note(millis(1_200), millis(1_500), WINDOW);
        pauses.note(millis(2_000), millis(2_100), WINDOW);
        expect(300, 2, 400);
    }

    @Test
    void onlyWhatLiesInTheWindowCounts() {
        pauses.note(0, millis(1_090), WINDOW);
        pauses.note(millis(2_800), millis(9_000), WINDOW);
        pauses.note(millis(3_100), millis(9_000), WINDOW);
        pauses.note(0, millis(900), WINDOW);
        expect(200, 1, 200);
    }

    @Test
    void beforeTheWindowIsKnownNothingDoes() {
        pauses.note(0, Long.MAX_VALUE, Window.NONE);
        expect(0, 0, 0);
    }

    private void expect(long longest, long count, long total) {
        assertThat(pauses.still()).isEqualTo(new Still(millis(longest), count, millis(total)));
    }

    private static long millis(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }
}
