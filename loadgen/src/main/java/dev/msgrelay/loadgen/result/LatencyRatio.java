package dev.msgrelay.loadgen.result;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The latency of a contestant at one rate, beside that of the plain relay, which is the ceiling: both were measured in
 * turn, with the same publishers and subscribers.
 *
 * @param messagesPerSecond rate of all publishers together
 * @param percentile 50, 99 or 99.9
 * @param nanos latency of the contestant; NaN if too few messages were recorded
 * @param plainRelayNanos latency of the plain relay; NaN likewise
 * @param leftOut reasons why there is no ratio; usually empty
 */
public record LatencyRatio(
        double messagesPerSecond, double percentile, double nanos, double plainRelayNanos, List<LeftOut> leftOut) {
    /** The percentiles that are compared. */
    public static final List<Double> PERCENTILES = List.of(50.0, 99.0, 99.9);

    /** A reason why the latencies of two runs are not divided by each other. */
    public enum LeftOut {
        FAILED("a failed run"),
        UNLIKE_CONGESTION("unlike congestion control"),
        OWN_LATENESS("own lateness"),
        DISTURBED("a busy machine");

        private final String text;

        LeftOut(String text) {
            this.text = text;
        }

        public String text() {
            return text;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Compares two runs at the same rate. */
    static LatencyRatio of(double messagesPerSecond, double percentile, RunRecord run, RunRecord plain) {
        List<LeftOut> leftOut = new ArrayList<>();
        if (!run.outcome().isValid() || !plain.outcome().isValid()) {
            leftOut.add(LeftOut.FAILED);
        }
        if (!run.resources().isSentLike(plain.resources())) {
            leftOut.add(LeftOut.UNLIKE_CONGESTION);
        }
        if (run.isOwnLateness(percentile) || plain.isOwnLateness(percentile)) {
            leftOut.add(LeftOut.OWN_LATENESS);
        }
        if (!run.outcome().environment().isEmpty()
                || !plain.outcome().environment().isEmpty()) {
            leftOut.add(LeftOut.DISTURBED);
        }
        return new LatencyRatio(
                messagesPerSecond,
                percentile,
                run.delays().latencyAt(percentile),
                plain.delays().latencyAt(percentile),
                leftOut);
    }

    /** Returns the latency of the contestant divided by that of the plain relay; NaN if it is left out, or unknown. */
    @JsonProperty
    public double ratio() {
        return leftOut.isEmpty() ? nanos / plainRelayNanos : Double.NaN;
    }
}
