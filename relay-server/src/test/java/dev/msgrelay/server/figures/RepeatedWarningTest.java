package dev.msgrelay.server.figures;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RepeatedWarningTest {
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final RepeatedWarning warning = new RepeatedWarning(Duration.ofSeconds(1));

    private int texts;

    private Optional<String> line(long nanos, String text) {
        return warning.line(nanos, () -> {
            texts++;
            return text;
        });
    }

    @Test
    void oneLineASecondThatTellsTheOthers() {
        assertThat(line(0, "no room")).contains("no room");
        for (int i = 1; i < 10; i++) {
            assertThat(line(i * 100 * MILLI, "no room")).isEmpty();
        }
        assertThat(line(1000 * MILLI, "no room")).contains("no room (9 more since the last such line)");
        assertThat(line(1001 * MILLI, "no room")).isEmpty();
        // A pause does not save up lines.
        assertThat(line(60_000 * MILLI, "again")).contains("again (1 more since the last such line)");
        assertThat(line(60_001 * MILLI, "again")).isEmpty();
        assertThat(line(61_000 * MILLI, "again")).contains("again (1 more since the last such line)");
        assertThat(texts).as("texts, of which none was made in vain").isEqualTo(4);
    }
}
