package dev.msgrelay.trials;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.trials.Notebook.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SilenceTest {
    @TempDir
    private Path temporary;

    /** What was under way is acknowledged until 10.2; then nothing before 12.5; later pauses are others' doing. */
    @Test
    void theLongestOneThatBeginsWithinASecondCounts() throws IOException {
        acknowledged(8.0, 9.9, 10.1, 10.2, 12.5, 12.6, 20.0, 20.1);
        assertThat(silences(10)).containsExactly(2.3);
    }

    @Test
    void itIsCountedFromTheMomentOn() throws IOException {
        acknowledged(5.0, 13.0, 13.1);
        assertThat(silences(10)).containsExactly(3.0);
    }

    @Test
    void eachMomentHasItsOwn() throws IOException {
        acknowledged(9.0, 11.0, 11.1, 30.05, 30.25, 50.0);
        assertThat(silences(10, 30, 60)).containsExactly(1.0, 19.75, 0);
    }

    /** Of all publishers together, whenever it begins; what was before the first moment is nobody's. */
    @Test
    void theLongestOfAllTogether() throws IOException {
        acknowledged("p", 1.0, 9.0, 11.0, 11.1, 20.0, 31.0);
        acknowledged("q", 2.0, 10.5, 15.0, 19.5, 26.5, 30.0);
        List<Path> both = List.of(temporary.resolve("p"), temporary.resolve("q"));
        assertThat(Silence.longest(both, TimeUnit.SECONDS.toNanos(10))).isEqualTo(6.5);
        assertThat(Silence.longest(both, TimeUnit.SECONDS.toNanos(21))).isEqualTo(5.5);
        assertThat(Silence.longest(both, TimeUnit.SECONDS.toNanos(40))).isZero();
    }

    private double[] silences(long... seconds) throws IOException {
        long[] moments = new long[seconds.length];
        for (int i = 0; i < seconds.length; i++) {
            moments[i] = TimeUnit.SECONDS.toNanos(seconds[i]);
        }
        return Silence.seconds(temporary.resolve("p"), moments);
    }

    private void acknowledged(double... seconds) throws IOException {
        acknowledged("p", seconds);
    }

    private void acknowledged(String publisher, double... seconds) throws IOException {
        try (Notebook notebook = Notebook.open(temporary.resolve(publisher))) {
            for (double at : seconds) {
                notebook.note(Kind.ACKNOWLEDGED, 1, Math.round(at * 1e9), 0);
            }
        }
    }
}
