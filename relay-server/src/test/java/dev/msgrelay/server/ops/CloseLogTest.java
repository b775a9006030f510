package dev.msgrelay.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Every end is counted; the lines of one reason are limited, and what was left out is counted. */
class CloseLogTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final Counters counters = new Counters();
    private final CloseLog log = new CloseLog(counters);

    private void close(int times, CloseReason reason, long now) {
        for (int i = 0; i < times; i++) {
            log.closed("publisher x", reason, "a\nb", now);
        }
    }

    private long suppressed() {
        return counters.sum(Counter.LOG_LINES_SUPPRESSED);
    }

    @Test
    void everyEndIsCountedUnderItsReason() {
        assertThat(log.closes()).isEmpty();
        close(1000, CloseReason.RESERVED_TYPE, 0);
        close(3, CloseReason.PEER_CLOSED, 0);
        assertThat(log.closes())
                .containsEntry(CloseReason.RESERVED_TYPE, 1000L)
                .containsEntry(CloseReason.PEER_CLOSED, 3L)
                .hasSize(2);
    }

    @Test
    void linesAreLimitedForEachReason() {
        close(1000, CloseReason.RESERVED_TYPE, 0);
        assertThat(suppressed()).as("20 at once").isEqualTo(980);
        close(20, CloseReason.OVERSIZED_LENGTH, 0);
        assertThat(suppressed()).as("another reason has its own").isEqualTo(980);
        close(10, CloseReason.RESERVED_TYPE, SECOND);
        assertThat(suppressed()).as("2 a second").isEqualTo(988);
        // The usual ends are no lines.
        close(1000, CloseReason.PEER_CLOSED, SECOND);
        assertThat(suppressed()).isEqualTo(988);
    }

    @Test
    void warningsCountAmongTheLinesOfTheirReason() {
        for (int i = 0; i < 30; i++) {
            log.warn(CloseReason.SLOW_SUBSCRIBER, 0, "slow");
        }
        assertThat(suppressed()).isEqualTo(10);
        assertThat(log.closes()).isEmpty();
    }

    /** A flood for one reason does not push out who ended for another one. */
    @Test
    void theLastOfEachReasonAreRemembered() {
        log.closed("subscriber y (audit)", CloseReason.SLOW_SUBSCRIBER, "9 behind", 0);
        close(1000, CloseReason.RESERVED_TYPE, 0);
        close(1000, CloseReason.PEER_CLOSED, 0);
        assertThat(log.recent()).hasSize(11);
        assertThat(log.recent().get(10).who()).isEqualTo("subscriber y (audit)");
        assertThat(log.recent().get(10).detail()).isEqualTo("9 behind");
        assertThat(log.recent().get(9).detail()).as("fit for a line").isEqualTo("a?b");
        assertThat(log.recent())
                .isSortedAccordingTo(Comparator.comparing(CloseLog.Ended::time).reversed());
    }

    /** What was left out is told with a line of its own, which counts as one. */
    @Test
    void whatWasLeftOutIsToldOnceThereIsAir() {
        close(25, CloseReason.RESERVED_TYPE, 0);
        log.tick(SECOND / 4);
        close(1, CloseReason.RESERVED_TYPE, SECOND / 2);
        assertThat(suppressed()).as("the tick had no air, so this line did").isEqualTo(5);
        log.tick(SECOND);
        close(1, CloseReason.RESERVED_TYPE, SECOND);
        assertThat(suppressed()).as("the tick took the line").isEqualTo(6);
        log.tick(2 * SECOND);
        log.tick(2 * SECOND);
        close(1, CloseReason.RESERVED_TYPE, 2 * SECOND);
        assertThat(suppressed()).as("told once").isEqualTo(6);
    }

    private static RuntimeException fault(String where) {
        RuntimeException fault = new IllegalStateException("provoked by a test");
        fault.setStackTrace(new StackTraceElement[] {new StackTraceElement("Some", where, "Some.java", 1)});
        return fault;
    }

    @Test
    void repeatsOfAFaultAreCountedForEachCause() {
        for (int i = 0; i < 3; i++) {
            log.failed("publisher x", fault("first"));
        }
        log.failed("publisher y", fault("second"));
        assertThat(counters.sum(Counter.FAILURES)).isEqualTo(4);
        assertThat(log.failures().values()).containsExactly(3L, 1L);
        assertThat(log.failures().keySet()).first().asString().contains("IllegalStateException", "first");
    }

    @Test
    void causesAreBoundedAndThoseThatAreKnownAreCountedOn() {
        for (int i = 0; i < 60; i++) {
            log.failed("publisher x", fault("cause" + i));
        }
        assertThat(log.failures()).hasSize(50);
        for (int i = 0; i < 4; i++) {
            log.failed("publisher x", fault("cause0"));
            log.failed("publisher x", fault("cause59"));
        }
        assertThat(log.failures()).hasSize(50);
        assertThat(log.failures().values()).first().isEqualTo(5L);
        assertThat(counters.sum(Counter.FAILURES)).isEqualTo(68);
    }
}
