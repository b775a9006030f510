package dev.msgrelay.loadgen.run;

import static dev.msgrelay.loadgen.render.Unit.format;

import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.load.OrderTrace;
import dev.msgrelay.loadgen.run.RunResult.Correctness;
import dev.msgrelay.loadgen.run.RunResult.Delays;
import dev.msgrelay.loadgen.run.RunResult.Throughput;
import java.util.ArrayList;
import java.util.List;

/**
 * What the processes of a run say at its end.
 *
 * @param published by those of the publishers
 * @param received by those of the subscribers
 * @param slow by that of the subscribers that read too slowly on purpose
 */
record Said(List<JsonObject> published, List<JsonObject> received, List<JsonObject> slow) {
    private List<JsonObject> publishers() {
        return Fleet.all(published, "publishers");
    }

    List<JsonObject> subscribers() {
        return Fleet.all(received, "subscribers");
    }

    /** Messages that the publishers sent in the whole run. */
    long sent() {
        return Fleet.sum(publishers(), "messages");
    }

    /** Within the window; of the subscribers, but for the slow ones. */
    Throughput throughput(Timing timing, Timeline timeline) {
        long nanos = timing.measured().toNanos();
        return new Throughput(
                new Traffic(
                        Fleet.sum(publishers(), "messagesMeasured"), Fleet.sum(publishers(), "bytesMeasured"), nanos),
                new Traffic(Fleet.sum(subscribers(), "messages"), Fleet.sum(subscribers(), "bytes"), nanos),
                Double.NaN,
                Double.NaN,
                timeline.points());
    }

    Delays delays(Load load) {
        return Delays.of(
                load, Fleet.histogram(subscribers(), "latency"), Fleet.histogram(publishers(), "acknowledgedAfter"));
    }

    /** What of the clocks is to be said: latencies are of no use where they do not agree. */
    List<String> clocks() {
        long early = Fleet.sum(subscribers(), "beforeTheirTime");
        return early == 0
                ? List.of()
                : List.of(format(
                        "%,d latencies came out below 0: publishers and subscribers do not share a clock", early));
    }

    Correctness correctness(Load load) {
        List<JsonObject> said = new ArrayList<>(subscribers());
        int notSlow = said.size();
        said.addAll(Fleet.all(slow, "subscribers"));
        List<SubscriberResult> all = withOrder(said);
        long samples = Fleet.samples(published, load);
        for (int i = 0; i < notSlow; i++) {
            all.set(i, all.get(i).withSamples(said.get(i).getLong("samples", -1), samples));
        }
        return new Correctness(
                load.isChecked(),
                received.stream()
                        .mapToDouble(process -> process.getDouble("checkNanos", Double.NaN))
                        .average()
                        .orElse(Double.NaN),
                all.subList(0, notSlow),
                all.subList(notSlow, all.size()),
                schedule(),
                Fleet.sum(publishers(), "acknowledged"));
    }

    private Punctuality schedule() {
        return new Punctuality(
                Fleet.sum(published, "late"),
                published.stream()
                        .mapToLong(one -> one.getLong("worstLateNanos", 0))
                        .max()
                        .orElse(0),
                Fleet.histogram(published, "lateness"));
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
}
