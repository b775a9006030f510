package dev.msgrelay.lab.senders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.msgrelay.lab.senders.Clients.SendFigures;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SendFiguresTest {
    private static final SentFile SMALL = new SentFile(0, Path.of("small"), 1_000, null);
    private static final SentFile LARGE = new SentFile(1, Path.of("large"), 4_000_000, null);
    private static final long FROM = TimeUnit.SECONDS.toNanos(50);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final SendFigures figures = new SendFigures(1, FROM);

    @Test
    void addsUp() {
        figures.began(SECOND / 10);
        figures.received(SMALL, 1_000);
        figures.ended(SMALL, FROM + SECOND, FROM + SECOND + 5);
        figures.began(3 * SECOND / 10);
        figures.received(LARGE, 3_000_000);
        figures.received(LARGE, 1_000_000);
        figures.ended(LARGE, FROM + SECOND, FROM + 3 * SECOND);
        figures.finishAt(FROM + 4 * SECOND);

        assertThat(figures.bytes()).isEqualTo(4_001_000);
        assertThat(figures.initialSeconds()).isCloseTo(0.2, within(1e-9));
        assertThat(figures.speed()).isCloseTo(2.0, within(1e-9));
        assertThat(figures.throughput()).isCloseTo(1.00025, within(1e-9));
    }

    @Test
    void ofADownloadThatBeganBeforeOnlyTheTimeWithinCounts() {
        figures.received(LARGE, 1_000_000);
        figures.ended(LARGE, FROM - 10 * SECOND, FROM + SECOND);
        figures.finishAt(FROM + 2 * SECOND);
        assertThat(figures.speed()).isCloseTo(1.0, within(1e-9));
    }

    @Test
    void whatWasNotSeenIsNotTold() {
        figures.received(SMALL, 1_000);
        figures.finishAt(FROM + SECOND);
        assertThat(figures.speed()).isNaN();
        assertThat(figures.initialSeconds()).isNaN();
    }
}
