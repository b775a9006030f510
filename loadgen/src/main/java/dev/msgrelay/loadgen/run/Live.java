package dev.msgrelay.loadgen.run;

import com.grack.nanojson.JsonObject;
import java.util.List;

/**
 * What a run does at this moment, from the last second of each worker's reports. For people to watch; no result is taken
 * from it.
 *
 * @param phase what is being done
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

    static Live of(String phase, long elapsed, long total, Fleet fleet, Child relay) {
        double[] in = rates(fleet.publishers());
        double[] out = rates(fleet.subscribers());
        Child.Event stats = relay == null ? null : relay.latest("stats");
        long lag = stats == null ? -1 : stats.json().getLong("largestLagBytes", -1);
        return new Live(phase, elapsed, total, in[0], in[1], out[0], out[1], lag);
    }

    /** Messages and bytes a second of all these processes together; NaN as long as none has told of a second. */
    private static double[] rates(List<Child> processes) {
        double[] sum = new double[2];
        if (processes.stream().allMatch(process -> process.all("progress").size() < 2)) {
            return new double[] {Double.NaN, Double.NaN};
        }
        for (Child process : processes) {
            List<Child.Event> reports = process.all("progress");
            if (reports.size() < 2) {
                continue;
            }
            Child.Event last = reports.get(reports.size() - 1);
            // A second ago, or more: shorter steps would only be more restless, and the last word comes at once.
            boolean over = last.json().getBoolean("last", false) && reports.size() > 2;
            Child.Event before = reports.get(reports.size() - (over ? 3 : 2));
            // By the worker's own clock: lines that had to wait come all at once.
            double seconds = difference(before.json(), last.json(), "nanos") / 1e9;
            sum[0] += difference(before.json(), last.json(), "messages") / seconds;
            sum[1] += difference(before.json(), last.json(), "bytes") / seconds;
        }
        return sum;
    }

    private static double difference(JsonObject before, JsonObject last, String field) {
        return last.getLong(field) - before.getLong(field);
    }
}
