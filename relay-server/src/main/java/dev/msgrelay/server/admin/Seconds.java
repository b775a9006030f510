package dev.msgrelay.server.admin;

import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.figures.RelayStats;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * A relay's figures, second by second: its rates in the last two minutes, and the times at which the stream reached its
 * positions. A position is a number of bytes since the relay's start. Memory is bounded. Owned by the admin port's
 * thread.
 */
final class Seconds {
    private static final int MOST_SAMPLES = 256;
    private static final int MOST_RATES = 120;

    /** @param coreShare share of a processor that the core's thread used */
    record Rate(
            Instant time, double messagesIn, double bytesIn, double messagesOut, double bytesOut, double coreShare) {}

    private final Deque<Rate> rates = new ArrayDeque<>();
    private final Track fine = new Track(false);
    private final Track coarse = new Track(true);
    private RelayStats before;
    private long beforeNanos;

    /**
     * Records the figures of a moment; called about once a second.
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
        Sample sample = new Sample(atNanos, now.get(Counter.BYTES_IN));
        long tail = sample.position() - now.get(Counter.LOG_BYTES);
        fine.add(sample, tail);
        coarse.add(sample, tail);
    }

    private double rate(RelayStats now, Counter counter, long atNanos) {
        return Math.max(0, now.get(counter) - before.get(counter)) * 1e9 / (atNanos - beforeNanos);
    }

    /** The rates so far, the oldest first; empty in the first second. */
    Deque<Rate> rates() {
        return rates;
    }

    /**
     * Seconds since the stream reached {@code position}, interpolated between two samples; 0 after the last sample. For
     * a position before the first sample, the result is the age of the first sample.
     */
    double since(long position) {
        return (fine.knows(position) ? fine : coarse).since(position);
    }

    private record Sample(long nanos, long position) {}

    /**
     * Samples from the last one before the log's oldest message until now. If there are too many, a thinned track drops
     * every second sample, while the other track drops the oldest one.
     */
    private static final class Track {
        private final boolean thinned;
        private final List<Sample> samples = new ArrayList<>();

        Track(boolean thinned) {
            this.thinned = thinned;
        }

        void add(Sample now, long tail) {
            while (samples.size() > 1 && samples.get(1).position() <= tail) {
                samples.remove(0);
            }
            int count = samples.size();
            if (count > 1 && replaces(now, samples.get(count - 1), samples.get(count - 2))) {
                samples.remove(count - 1);
            } else if (count == MOST_SAMPLES && thinned) {
                for (int i = count / 2; i > 0; i--) {
                    samples.remove(2 * i - 1);
                }
            } else if (count == MOST_SAMPLES) {
                samples.remove(0);
            }
            samples.add(now);
        }

        /** Whether a sample replaces the last one, if the stream stands still, or the last two are too close. */
        private boolean replaces(Sample now, Sample last, Sample beforeLast) {
            boolean silent = last.position() == now.position() && beforeLast.position() == now.position();
            long apart = (now.nanos() - samples.get(0).nanos()) / (MOST_SAMPLES / 2);
            return silent || thinned && last.nanos() - beforeLast.nanos() < apart;
        }

        boolean knows(long position) {
            return !samples.isEmpty() && position >= samples.get(0).position();
        }

        double since(long position) {
            int after = samples.size() - 1;
            if (after < 0 || position >= samples.get(after).position()) {
                return 0;
            }
            long now = samples.get(after).nanos();
            while (after > 0 && samples.get(after - 1).position() > position) {
                after--;
            }
            Sample next = samples.get(after);
            Sample last = samples.get(Math.max(0, after - 1));
            double share = after == 0 ? 0 : (double) (position - last.position()) / (next.position() - last.position());
            return (now - last.nanos() - share * (next.nanos() - last.nanos())) / 1e9;
        }
    }
}
