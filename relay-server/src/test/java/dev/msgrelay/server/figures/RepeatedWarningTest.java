package dev.msgrelay.server.figures;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RepeatedWarningTest {
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final RepeatedWarning warning = new RepeatedWarning(Duration.ofSeconds(1));

    @Test
    void oneLineASecondThatTellsTheOthers() {
        assertThat(warning.line(0, "no room")).contains("no room");
        for (int i = 1; i < 10; i++) {
            assertThat(warning.line(i * 100 * MILLI, "no room")).isEmpty();
        }
        assertThat(warning.line(1000 * MILLI, "no room")).contains("no room (9 more since the last such line)");
        assertThat(warning.line(1001 * MILLI, "no room")).isEmpty();
        // A pause does not save up lines.
        assertThat(warning.line(60_000 * MILLI, "again")).contains("again (1 more since the last such line)");
        assertThat(warning.line(60_001 * MILLI, "again")).isEmpty();
        assertThat(warning.line(61_000 * MILLI, "again")).contains("again (1 more since the last such line)");
    }
}
