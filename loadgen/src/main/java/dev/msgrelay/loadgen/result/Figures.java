package dev.msgrelay.loadgen.result;

import org.HdrHistogram.Histogram;

/** The figures that runs are compared by. NaN where a run does not have one. */
public final class Figures {
    private static final double SECOND_NANOS = 1e9;

    private Figures() {}

    /** Messages a second that the publishers sent. */
    public static double in(RunRecord run) {
        return run.throughput().in() == null
                ? Double.NaN
                : run.throughput().in().messagesPerSecond();
    }

    /** Messages a second that the subscribers got, all together. */
    public static double out(RunRecord run) {
        return run.throughput().out().messagesPerSecond();
    }

    /** Bytes a second that the subscribers got, all together. */
    public static double bytesOut(RunRecord run) {
        return run.throughput().out().bytesPerSecond();
    }

    /** A percentile of the latency in nanoseconds. */
    public static double latency(RunRecord run, double percentile) {
        return run.delays().hasLatency() ? at(run.delays().latency(), percentile) : Double.NaN;
    }

    /** A percentile of the fan-out skew in nanoseconds. */
    public static double skew(RunRecord run, double percentile) {
        return run.delays().hasSkew() ? at(run.delays().skew(), percentile) : Double.NaN;
    }

    /** CPU time of all processes together, in nanoseconds for each message that a subscriber got. */
    public static double cpuPerMessage(RunRecord run) {
        long messages = run.throughput().out().messages();
        double seconds = run.resources().cpuSeconds();
        return messages == 0 || run.resources().processes().isEmpty() ? Double.NaN : seconds * SECOND_NANOS / messages;
    }

    private static double at(Histogram histogram, double percentile) {
        return histogram.getValueAtPercentile(percentile);
    }
}
