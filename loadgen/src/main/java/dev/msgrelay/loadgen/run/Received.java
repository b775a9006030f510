package dev.msgrelay.loadgen.run;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.load.Arrivals;
import dev.msgrelay.loadgen.worker.Histograms;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;

/**
 * What all subscribers got.
 *
 * @param traffic deliveries within the window, of all subscribers together
 * @param latency nanoseconds from the intended time of sending, of all subscribers together; empty when not checked
 * @param reads of the sockets, all subscribers together, over the whole run
 * @param skew how long after the first subscriber the last one got the same message; empty with fewer than two
 */
public record Received(
        Traffic traffic, List<SubscriberResult> subscribers, Histogram latency, long reads, Arrivals.Skew skew) {
    static Received of(List<JsonObject> processes, Timing timing) {
        List<SubscriberResult> subscribers = new ArrayList<>();
        Histogram latency = new Histogram(TimeUnit.SECONDS.toNanos(100), 3);
        long messages = 0;
        long bytes = 0;
        long reads = 0;
        Arrivals arrivals = new Arrivals();
        for (JsonObject process : processes) {
            if (process.has("arrivals")) {
                arrivals.add(Arrivals.decode(process.getString("arrivals")));
            }
            JsonArray list = process.getArray("subscribers");
            for (int i = 0; i < list.size(); i++) {
                JsonObject one = list.getObject(i);
                subscribers.add(SubscriberResult.of(one));
                messages += one.getLong("messages");
                bytes += one.getLong("bytes");
                reads += one.getLong("reads");
                if (one.has("latency")) {
                    latency.add(Histograms.decode(one.getString("latency")));
                }
            }
        }
        Traffic traffic = new Traffic(messages, bytes, timing.measured().toNanos());
        return new Received(traffic, subscribers, Histograms.fitted(latency), reads, fitted(arrivals.skew()));
    }

    private static Arrivals.Skew fitted(Arrivals.Skew skew) {
        return new Arrivals.Skew(Histograms.fitted(skew.nanos()), skew.incomplete(), skew.sampling());
    }

    /** The sum of one count over all subscribers. */
    public long sum(ToLongFunction<SubscriberResult> count) {
        return subscribers.stream().mapToLong(count).sum();
    }
}
