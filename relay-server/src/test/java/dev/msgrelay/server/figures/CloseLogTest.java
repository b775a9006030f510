package dev.msgrelay.server.figures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.msgrelay.protocol.CloseReason;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

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
    void repeatsOfAFaultAreToldOnceAMinute() {
        long minute = 60 * SECOND;
        for (int i = 0; i < 3; i++) {
            log.failed("publisher x", fault("first"), 0);
        }
        log.failed("publisher y", fault("second"), SECOND);
        assertThat(counters.sum(Counter.FAILURES)).isEqualTo(4);
        assertThat(log.takeRepeats(minute - 1, false)).isEmpty();
        assertThat(log.takeRepeats(minute, false))
                .containsExactly("a fault of the relay, 2 times more: java.lang.IllegalStateException"
                        + " at Some.first(Some.java:1)");
        assertThat(log.takeRepeats(10 * minute, false)).as("told already").isEmpty();
        log.failed("publisher x", fault("first"), 10 * minute);
        log.failed("publisher x", fault("second"), 10 * minute);
        assertThat(log.takeRepeats(10 * minute, false)).hasSize(2);
        log.failed("publisher x", fault("second"), 10 * minute);
        assertThat(log.takeRepeats(11 * minute - 1, false)).isEmpty();
        assertThat(log.takeRepeats(11 * minute - 1, true)).singleElement(STRING).contains("1 times more", "second");
        assertThat(log.takeRepeats(11 * minute - 1, true)).isEmpty();
    }

    @Test
    void causesAreBoundedAndThoseThatAreKnownAreCountedOn() {
        for (int times = 0; times < 2; times++) {
            for (int i = 0; i < 1000; i++) {
                log.failed("publisher x", fault("cause" + i), 0);
            }
        }
        List<String> lines = log.takeRepeats(60 * SECOND, false);
        assertThat(lines).hasSize(51);
        assertThat(lines.get(0)).contains("1 times more", "cause0");
        assertThat(lines.get(50)).isEqualTo("a fault of the relay, 1899 times more: causes that are not told apart");
        assertThat(counters.sum(Counter.FAILURES)).isEqualTo(2000);
    }
}
