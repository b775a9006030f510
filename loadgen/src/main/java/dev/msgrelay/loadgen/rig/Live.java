package dev.msgrelay.loadgen.rig;

import dev.msgrelay.loadgen.plan.Progress.Count;
import java.util.List;

/**
 * A run at this moment, from the last second of each worker's reports. For people to watch; no result is taken
 * from it.
 *
 * @param elapsedNanos since the first message, warm-up included
 * @param totalNanos from the first message to the end of the window
 * @param lagBytes the largest lag of a subscriber, or -1 where the relay does not tell
 */
public record Live(
        String phase,
        long elapsedNanos,
        long totalNanos,
        double in,
        double bytesIn,
        double out,
        double bytesOut,
        long lagBytes) {
    /** Counts of a second: of a shorter time they would only be more restless. */
    private static final int STEPS = 4;

    static Live of(String phase, long elapsed, long total, Fleet fleet, Child relay) {
        double[] in = rates(fleet.publishers());
        double[] out = rates(fleet.subscribers());
        Child.Event stats = relay == null ? null : relay.latest("stats");
        long lag = stats == null ? -1 : stats.json().path("largestLagBytes").asLong(-1);
        return new Live(phase, elapsed, total, in[0], in[1], out[0], out[1], lag);
    }

    /** Messages and bytes a second of all these processes together; NaN as long as none has told of a second. */
    private static double[] rates(List<Child> processes) {
        double[] sum = {Double.NaN, Double.NaN};
        for (Child process : processes) {
            List<Count> counts = Timeline.counts(process);
            if (counts.size() > STEPS) {
                // By the worker's own clock: lines that had to wait come all at once.
                Count last = counts.get(counts.size() - 1);
                Count before = counts.get(counts.size() - 1 - STEPS);
                double seconds = (last.nanos() - before.nanos()) / 1e9;
                sum[0] = (Double.isNaN(sum[0]) ? 0 : sum[0]) + (last.messages() - before.messages()) / seconds;
                sum[1] = (Double.isNaN(sum[1]) ? 0 : sum[1]) + (last.bytes() - before.bytes()) / seconds;
            }
        }
        return sum;
    }
}
