package dev.msgrelay.server.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.figures.Stopwatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The log runs ahead of its slowest limit by a window, and no further. */
class WindowGateTest {
    private static final int WINDOW = 1000;

    private static final class Reader implements WindowGate.Limit {
        volatile long position;

        Reader(long position) {
            this.position = position;
        }

        @Override
        public long position() {
            return position;
        }
    }

    private static final class Writer implements WindowGate.Writer {
        int signals;
        int awaited;

        @Override
        public void signal() {
            signals++;
        }

        @Override
        public void awaitBetweenSteps() {
            awaited++;
        }
    }

    private final Writer writer = new Writer();
    private final AtomicLong clock = new AtomicLong(100);
    private final WindowGate gate = new WindowGate(WINDOW, writer, clock::get);

    private Reader reader(long position) {
        Reader reader = new Reader(position);
        gate.add(reader);
        return reader;
    }

    @Test
    void withoutLimitsNothingIsHeldBack() {
        assertThat(gate.tryPass(1L << 40)).isTrue();
        assertThat(gate.tryPass(1L << 50)).isTrue();
        assertThat(gate.blocked()).isFalse();
    }

    @Test
    void theWindowCountsFromTheSlowest() {
        Reader slow = reader(500);
        Reader fast = reader(800);
        assertThat(gate.tryPass(500 + WINDOW)).isTrue();
        assertThat(gate.tryPass(500 + WINDOW + 1)).isFalse();
        assertThat(gate.blocked()).isTrue();
        assertThat(gate.stillRefuses()).isTrue();
        assertThat(gate.blockedSinceNanos()).isEqualTo(100);

        // The slowest leaves: from then on the next one counts.
        gate.remove(slow);
        assertThat(gate.stillRefuses())
                .as("the writer does not get up for a little room")
                .isTrue();
        assertThat(gate.tryPass(800 + WINDOW)).isTrue();
        assertThat(gate.stillRefuses()).isFalse();
        assertThat(gate.blocked()).isFalse();
        assertThat(gate.tryPass(800 + WINDOW + 1)).isFalse();
        gate.remove(fast);
        assertThat(gate.tryPass(1L << 40)).isTrue();
        assertThat(gate.blocked()).isFalse();
    }

    @Test
    void oneThatJoinsLaterCountsAtOnce() {
        assertThat(gate.tryPass(1L << 40)).isTrue();
        Reader reader = reader(0);
        assertThat(gate.tryPass(WINDOW + 1)).isFalse();
        gate.remove(reader);
        assertThat(gate.tryPass(WINDOW + 1)).isTrue();
    }

    @Test
    void whoWaitsGoesOnWhenHalfOfTheWindowIsFree() {
        reader(0);
        assertThat(gate.halfOpen(WINDOW / 2)).isTrue();
        assertThat(gate.halfOpen(WINDOW / 2 + 1)).isFalse();
    }

    @Test
    void theWriterIsWokenOnceHalfOfTheWindowIsFreeAndNotBefore() {
        Reader reader = reader(0);
        assertThat(gate.tryPass(WINDOW + 1)).isFalse();
        reader.position = WINDOW / 2;
        gate.wakeIfRoom(reader.position);
        assertThat(writer.signals).isZero();
        assertThat(gate.stillRefuses()).isTrue();
        reader.position = WINDOW / 2 + 1;
        gate.wakeIfRoom(reader.position);
        assertThat(writer.signals).isEqualTo(1);
        assertThat(gate.stillRefuses()).isFalse();
        // Who is not blocked is not woken.
        assertThat(gate.tryPass(WINDOW + 1)).isTrue();
        gate.wakeIfRoom(WINDOW);
        assertThat(writer.signals).isEqualTo(1);
    }

    @Test
    void theLastOneThatLeavesWakesTheWriter() {
        Reader reader = reader(0);
        assertThat(gate.tryPass(WINDOW + 1)).isFalse();
        gate.remove(reader);
        assertThat(writer.signals).isEqualTo(1);
        assertThat(gate.stillRefuses()).isFalse();
    }

    @Test
    void whoGoesBackIsLookedAtAnew() {
        Reader reader = reader(5000);
        assertThat(gate.tryPass(5000 + WINDOW)).isTrue();
        reader.position = 100;
        // The writer had looked it up already.
        assertThat(gate.tryPass(5000)).isTrue();
        gate.movedBack();
        assertThat(writer.awaited).isEqualTo(1);
        assertThat(gate.tryPass(5000)).isFalse();
        assertThat(gate.tryPass(100 + WINDOW)).isTrue();
    }

    @Test
    void theTimeInWhichItHoldsBackAddsUp() {
        Reader reader = reader(0);
        gate.tryPass(WINDOW + 1);
        clock.set(130);
        gate.tryPass(WINDOW + 1);
        assertThat(gate.blockedNanos(150)).isEqualTo(50);
        assertThat(gate.blockedSinceNanos()).as("a second look is no new hold").isEqualTo(100);
        reader.position = WINDOW;
        clock.set(160);
        assertThat(gate.tryPass(WINDOW + 1)).isTrue();
        clock.set(170);
        assertThat(gate.tryPass(WINDOW + 1)).isTrue();
        assertThat(gate.blockedNanos(999)).isEqualTo(60);
    }

    /** One with a time of its own is told apart: readers are not to be blamed for the time in which it holds back. */
    @Test
    void theTimeIsThatOfTheSlowest() {
        Stopwatch own = new Stopwatch();
        long[] disk = {0};
        gate.add(new WindowGate.Limit() {
            @Override
            public long position() {
                return disk[0];
            }

            @Override
            public Stopwatch heldBack(Stopwatch common) {
                return own;
            }
        });
        Reader reader = reader(10);
        assertThat(gate.tryPass(WINDOW + 1)).isFalse();
        assertThat(gate.blocked()).isTrue();
        assertThat(gate.blockedByReaders()).isFalse();
        clock.set(150);
        disk[0] = 5000;
        gate.settle(true);
        assertThat(gate.blockedByReaders()).isTrue();
        assertThat(gate.blockedSinceNanos()).isEqualTo(150);
        clock.set(170);
        reader.position = 5000;
        assertThat(gate.tryPass(WINDOW + 1)).isTrue();
        assertThat(own.nanos(999)).isEqualTo(50);
        assertThat(own.starts()).isEqualTo(1);
        assertThat(gate.blockedNanos(999)).isEqualTo(20);
    }

    /** Whoever was held back may have left: then nobody asks any more. */
    @Test
    void whereNobodyWaitsNobodyIsHeldBack() {
        Reader reader = reader(0);
        assertThat(gate.tryPass(WINDOW + 1)).isFalse();
        clock.set(150);
        gate.settle(true);
        assertThat(gate.blockedByReaders()).isTrue();
        gate.settle(false);
        assertThat(gate.blockedByReaders()).isFalse();
        assertThat(gate.blockedNanos(999)).isEqualTo(50);
        clock.set(200);
        assertThat(gate.tryPass(WINDOW + 1)).isFalse();
        assertThat(gate.blockedSinceNanos()).as("of those who come later").isEqualTo(200);
        assertThat(reader.position).isZero();
    }
}
