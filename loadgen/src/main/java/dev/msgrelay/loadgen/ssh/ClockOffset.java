package dev.msgrelay.loadgen.ssh;

import java.util.List;

/**
 * How far another host's {@link System#nanoTime} is ahead of this one's, by Cristian's algorithm: the other clock is
 * asked several times, and the answer with the shortest round trip counts. It was read somewhere within that trip; taken
 * to be in the middle, it is wrong by half a round trip at most, however lopsided the two ways are.
 *
 * <pre>
 *  here    sent --------------------------- received      ahead = remote - (sent + received) / 2
 *                 \                       /                uncertainty = (received - sent) / 2
 *  there           ------- remote -------
 * </pre>
 *
 * @param aheadNanos the other clock less this one
 * @param uncertaintyNanos the true value is not further away than this
 */
public record ClockOffset(long aheadNanos, long uncertaintyNanos) {
    /**
     * One question and its answer.
     *
     * @param sent by this clock
     * @param remote by the other one
     * @param received by this clock
     */
    public record Sample(long sent, long remote, long received) {
        long roundTrip() {
            return received - sent;
        }
    }

    /**
     * @throws IllegalArgumentException there is no sample
     */
    public static ClockOffset of(List<Sample> samples) {
        Sample best = samples.stream()
                .min((a, b) -> Long.compare(a.roundTrip(), b.roundTrip()))
                .orElseThrow(() -> new IllegalArgumentException("no answer to tell the clocks apart by"));
        long halfTrip = best.roundTrip() / 2;
        // Half a nanosecond of an odd trip belongs to what is not known.
        return new ClockOffset(best.remote() - (best.sent() + halfTrip), best.roundTrip() - halfTrip);
    }

    /**
     * By how much this value may have been wrong at any moment until {@code later} was measured, if the clocks drifted
     * apart evenly: at first its own uncertainty, at last the drift and the later one.
     */
    public long errorUntil(ClockOffset later) {
        return Math.max(uncertaintyNanos, Math.abs(later.driftSince(this)) + later.uncertaintyNanos);
    }

    /** How far the other clock has gone ahead since {@code earlier}; no more certain than the two together. */
    public long driftSince(ClockOffset earlier) {
        return aheadNanos - earlier.aheadNanos;
    }
}
