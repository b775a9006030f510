package dev.msgrelay.loadgen.result;

import dev.msgrelay.loadgen.bound.Signals;
import dev.msgrelay.loadgen.run.ProcessUse;
import dev.msgrelay.loadgen.run.Punctuality;
import java.util.ArrayList;
import java.util.List;

/** The figures that runs are compared by. NaN where a run does not have one. */
public final class Figures {
    /** The percentiles that files and tables show. */
    public static final double[] PERCENTILES = {50, 90, 99, 99.9, 99.99};

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

    /** The longest time without a delivery to a subscriber, in nanoseconds: at full speed; at a rate it follows from the rate. */
    public static double longestGap(RunRecord run) {
        Signals signals = run.resources().signals();
        if (signals == null || signals.rates().wanted() > 0) {
            return Double.NaN;
        }
        long nanos = signals.still().deliveries().longestNanos();
        return nanos == 0 ? Double.NaN : nanos;
    }

    /** The share of the messages of a schedule that left more than a millisecond late; NaN at full speed. */
    public static double late(RunRecord run) {
        Punctuality schedule = run.correctness().schedule();
        return schedule.scheduled() == 0 ? Double.NaN : schedule.lateShare();
    }

    /** Bytes a second that the publishers sent. */
    public static double bytesIn(RunRecord run) {
        return run.throughput().in() == null
                ? Double.NaN
                : run.throughput().in().bytesPerSecond();
    }

    /** The part of the ceiling that the subscribers got; where only the publishers are across the link, that they sent. */
    public static double fraction(RunRecord run) {
        return isInward(run)
                ? run.throughput().ingressFraction()
                : run.throughput().egressFraction();
    }

    /** Whether only what came in went over the link. */
    public static boolean isInward(RunRecord run) {
        return Double.isNaN(run.throughput().egressFraction())
                && !Double.isNaN(run.throughput().ingressFraction());
    }

    /** CPU of all processes, in cores. */
    public static double cores(RunRecord run) {
        return cores(run, "");
    }

    /** CPU of the processes whose names begin so, in cores; NaN where there is none, or one did not tell. */
    public static double cores(RunRecord run, String name) {
        double nanos = run.moment().measuredNanos();
        double seconds = run.resources().processes().stream()
                .filter(process -> process.name().startsWith(name))
                .mapToDouble(ProcessUse::cpuSeconds)
                .reduce((a, b) -> a + b)
                .orElse(Double.NaN);
        return nanos == 0 ? Double.NaN : seconds * SECOND_NANOS / nanos;
    }

    /**
     * How fast a cell was on one lane, compared with the same on another: the rounds' ratios of deliveries a second. Only
     * pairs count that ran in the same round.
     */
    public static Spread ratio(Cell cell, Cell reference) {
        List<Double> ratios = new ArrayList<>();
        for (RunRecord run : cell.runs()) {
            reference.runs().stream()
                    .filter(other -> run.counts() && other.counts())
                    .filter(other -> other.moment().round() == run.moment().round())
                    .filter(other -> other.throughput().out().messages() > 0)
                    .findFirst()
                    .ifPresent(other -> ratios.add(out(run) / out(other)));
        }
        return Spread.of(ratios, ratio -> ratio);
    }

    /** "p50", "p99.9". */
    public static String name(double percentile) {
        return "p" + (percentile == Math.rint(percentile) ? "" + (int) percentile : "" + percentile);
    }
}
