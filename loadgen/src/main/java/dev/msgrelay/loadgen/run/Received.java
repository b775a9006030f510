package dev.msgrelay.loadgen.run;

import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.load.Arrivals;
import dev.msgrelay.loadgen.load.OrderTrace;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;

/**
 * What all subscribers got.
 *
 * @param traffic deliveries within the window, of all subscribers together, but for the slow ones
 * @param slow those that read too slowly on purpose
 * @param latency nanoseconds from the intended time of sending, of all subscribers together; empty when not checked
 * @param skew how long after the first subscriber the last one got the same message; empty with fewer than two
 * @param checkNanos what it costs a subscriber to check one message, on the mean of all processes; NaN when not checked
 */
public record Received(
        Traffic traffic,
        List<SubscriberResult> subscribers,
        List<SubscriberResult> slow,
        Histogram latency,
        Arrivals.Skew skew,
        double checkNanos) {
    /**
     * From what the processes say.
     *
     * @param samples messages whose latency each of them has to record, but for the slow ones; -1 where that is not known
     */
    static Received of(List<JsonObject> processes, List<JsonObject> slowProcesses, long samples, Timing timing) {
        Arrivals arrivals = new Arrivals();
        processes.stream()
                .filter(process -> process.has("arrivals"))
                .forEach(process -> arrivals.add(Arrivals.decode(process.getString("arrivals"))));
        List<JsonObject> said = new ArrayList<>(Fleet.all(processes, "subscribers"));
        Traffic traffic = new Traffic(
                Fleet.sum(said, "messages"),
                Fleet.sum(said, "bytes"),
                timing.measured().toNanos());
        Histogram latency = Fleet.histogram(said, "latency");
        int notSlow = said.size();
        said.addAll(Fleet.all(slowProcesses, "subscribers"));
        List<SubscriberResult> all = withOrder(said);
        for (int i = 0; i < notSlow; i++) {
            all.set(i, all.get(i).withSamples(said.get(i).getLong("samples", -1), samples));
        }
        return new Received(
                traffic,
                List.copyOf(all.subList(0, notSlow)),
                List.copyOf(all.subList(notSlow, all.size())),
                latency,
                arrivals.skew(),
                processes.stream()
                        .mapToDouble(process -> process.getDouble("checkNanos", Double.NaN))
                        .average()
                        .orElse(Double.NaN));
    }

    /** Compares the order in which they got the messages of all publishers. */
    private static List<SubscriberResult> withOrder(List<JsonObject> said) {
        List<SubscriberResult> results = new ArrayList<>();
        List<Integer> compared = new ArrayList<>();
        List<OrderTrace> traces = new ArrayList<>();
        for (JsonObject one : said) {
            SubscriberResult result = SubscriberResult.of(one);
            if (one.has("order") && result.hasOrder()) {
                compared.add(results.size());
                traces.add(OrderTrace.decode(one.getString("order")));
            }
            results.add(result);
        }
        long[] differences = OrderTrace.differences(traces);
        for (int i = 0; i < differences.length; i++) {
            int index = compared.get(i);
            results.set(index, results.get(index).withOtherOrder(differences[i]));
        }
        return results;
    }

    /** The sum of one count over all subscribers, but for the slow ones. */
    public long sum(ToLongFunction<SubscriberResult> count) {
        return subscribers.stream().mapToLong(count).sum();
    }
}
