package dev.msgrelay.server.admin;

import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.figures.RelayStats;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A relay's figures, second by second: its rates in the last two minutes, and when the stream reached which position.
 * Positions count from the relay's start. Memory is fixed; owned by the admin port's thread.
 */
final class Seconds {
    private static final int MOST_POSITIONS = 256;
    private static final int MOST_RATES = 120;

    /** Rates over one second: messages and bytes a second, and the share of a processor that the core's thread had. */
    record Rate(
            Instant time, double messagesIn, double bytesIn, double messagesOut, double bytesOut, double coreShare) {}

    private final Deque<Rate> rates = new ArrayDeque<>();
    private final Track fine = new Track(false);
    private final Track coarse = new Track(true);
    private RelayStats before;
    private long beforeNanos;

    /**
     * Takes the figures of a moment; to be called about once a second.
     *
     * @param atNanos the moment, by {@link System#nanoTime}
     */
    void add(Instant time, long atNanos, RelayStats now) {
        if (before != null && atNanos > beforeNanos) {
            rates.addLast(new Rate(
                    time,
                    rate(now, Counter.MESSAGES_IN, atNanos),
                    rate(now, Counter.BYTES_IN, atNanos),
                    rate(now, Counter.MESSAGES_OUT, atNanos),
                    rate(now, Counter.BYTES_OUT, atNanos),
                    rate(now, Counter.CORE_CPU_MILLIS, atNanos) / 1e3));
            if (rates.size() > MOST_RATES) {
                rates.removeFirst();
            }
        }
        before = now;
        beforeNanos = atNanos;
        long head = now.get(Counter.BYTES_IN);
        long tail = head - now.get(Counter.LOG_BYTES);
        fine.add(atNanos, head, tail);
        coarse.add(atNanos, head, tail);
    }

    private double rate(RelayStats now, Counter counter, long atNanos) {
        return Math.max(0, now.get(counter) - before.get(counter)) * 1e9 / (atNanos - beforeNanos);
    }

    /** The rates so far, the oldest first; empty in the first second. */
    Deque<Rate> rates() {
        return rates;
    }

    /**
     * Seconds since the stream reached {@code position}, between two samples by the rule of three; 0: within the last
     * second. Of a position before the first sample, the seconds since that sample.
     */
    double since(long position) {
        return fine.knows(position) ? fine.since(position) : coarse.since(position);
    }

    /**
     * Times of positions, the oldest first, as far back as the log. A thinned track spreads its places over the log's
     * time; another one has the last seconds, each of them.
     */
    private static final class Track {
        private final boolean thinned;
        private final long[] nanos = new long[MOST_POSITIONS];
        private final long[] positions = new long[MOST_POSITIONS];
        private int count;

        Track(boolean thinned) {
            this.thinned = thinned;
        }

        void add(long atNanos, long head, long tail) {
            // The last position before the log stays: the first one within is between the two.
            int old = 0;
            while (old + 1 < count && positions[old + 1] <= tail) {
                old++;
            }
            drop(old);
            // While nothing comes, the beginning and the end of the silence are kept.
            boolean silent = count > 1 && positions[count - 1] == head && positions[count - 2] == head;
            boolean early = thinned
                    && count > 1
                    && nanos[count - 1] - nanos[count - 2] < (atNanos - nanos[0]) / (MOST_POSITIONS / 2);
            if (!silent && !early) {
                if (count == MOST_POSITIONS) {
                    makeRoom();
                }
                count++;
            }
            nanos[count - 1] = atNanos;
            positions[count - 1] = head;
        }

        private void drop(int oldest) {
            count -= oldest;
            System.arraycopy(nanos, oldest, nanos, 0, count);
            System.arraycopy(positions, oldest, positions, 0, count);
        }

        private void makeRoom() {
            if (!thinned) {
                drop(1);
                return;
            }
            count /= 2;
            for (int i = 0; i < count; i++) {
                nanos[i] = nanos[2 * i];
                positions[i] = positions[2 * i];
            }
        }

        boolean knows(long position) {
            return count > 0 && position >= positions[0];
        }

        double since(long position) {
            int behind = count - 1;
            if (behind < 0 || position >= positions[behind]) {
                return 0;
            }
            while (behind > 0 && positions[behind - 1] > position) {
                behind--;
            }
            double at = nanos[behind];
            if (behind > 0) {
                long bytes = positions[behind] - positions[behind - 1];
                double share = (double) (position - positions[behind - 1]) / bytes;
                at = nanos[behind - 1] + share * (nanos[behind] - nanos[behind - 1]);
            }
            return (nanos[count - 1] - at) / 1e9;
        }
    }
}
