package dev.msgrelay.loadgen.report;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonWriter;
import dev.msgrelay.loadgen.bench.Sample;
import dev.msgrelay.loadgen.load.Arrivals;
import dev.msgrelay.loadgen.measure.Machine;
import dev.msgrelay.loadgen.run.ProcessUse;
import dev.msgrelay.loadgen.run.Published;
import dev.msgrelay.loadgen.run.Punctuality;
import dev.msgrelay.loadgen.run.RelayFigures;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.SlowResult;
import dev.msgrelay.loadgen.run.SubscriberResult;
import dev.msgrelay.loadgen.run.Traffic;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** A run's result for programs. */
public final class RunJson {
    private static final double[] PERCENTILES = {50, 90, 99, 99.9, 99.99};

    private RunJson() {}

    /**
     * A whole document.
     *
     * @param transport of its connections, for people
     */
    public static String of(
            RunResult result,
            String transport,
            List<String> failures,
            double[] hops,
            Map<String, List<Sample>> ceilings) {
        JsonObject json = result(result);
        json.put("transport", transport);
        json.put("valid", failures.isEmpty());
        json.put("failures", new JsonArray(failures));
        json.put("machine", Machine.here().toJson());
        json.put("coreHopNanos", JsonArray.from(hops[0], hops[1]));
        ceilings.forEach((name, samples) -> {
            json.put("ceiling, " + name, BenchTable.json(samples));
            json.put("fraction of " + name, result.deliveriesPerSecond() / BenchTable.best(samples));
        });
        return JsonWriter.indent("  ").string().value(json).done();
    }

    /** The result alone, to be part of a document. */
    public static JsonObject result(RunResult result) {
        JsonObject json = new JsonObject();
        json.put("middle", result.middle());
        json.put("publishers", result.load().publishers());
        json.put("subscribers", result.load().subscribers());
        json.put("body", result.load().body().mean());
        json.put("bodySizes", result.load().body().toString());
        json.put("seed", result.load().seed());
        json.put("rate", result.load().rate());
        json.put("burst", result.load().pace().burst());
        json.put("batch", result.load().writes().messages());
        json.put("unix", result.load().unix());
        json.put("checked", result.load().verify());
        json.put("warmupMillis", result.timing().warmup().toMillis());
        json.put("measuredMillis", result.timing().measured().toMillis());
        if (result.published().total() > 0) {
            json.put("in", published(result.published()));
        }
        json.put("out", traffic(result.received().traffic()));
        json.put("latency", latency(result.received().latency(), result.load().sampling()));
        if (result.load().hasSkew()) {
            json.put("skew", skew(result.received().skew()));
        }
        json.put("perSubscriber", subscribers(result.received().subscribers()));
        json.put("slowSubscribers", slow(result.slow()));
        json.put("processes", processes(result.processes()));
        if (result.relay() != null) {
            json.put("relay", relay(result.relay()));
        }
        if (result.observed() != null) {
            json.put("boundBy", BoundJson.bound(result.observed().bound()));
            json.put("signals", BoundJson.signals(result.observed().signals()));
            json.put("timeline", BoundJson.timeline(result.observed().timeline()));
        }
        return json;
    }

    private static JsonObject published(Published published) {
        JsonObject json = traffic(published.traffic());
        Punctuality punctuality = published.punctuality();
        json.put("late", punctuality.late());
        json.put("lateShare", punctuality.lateShare());
        json.put("worstLateNanos", punctuality.worstNanos());
        if (punctuality.scheduled() > 0) {
            json.put("lateness", percentiles(punctuality.lateness()));
            json.put("realTime", punctuality.means().realTime());
            json.put("coresAwake", punctuality.means().coresAwake());
            json.put("obstacle", punctuality.means().obstacle());
        }
        return json;
    }

    private static JsonObject traffic(Traffic traffic) {
        JsonObject json = new JsonObject();
        json.put("messages", traffic.messages());
        json.put("bytes", traffic.bytes());
        json.put("messagesPerSecond", Math.round(traffic.messagesPerSecond()));
        json.put("megabytesPerSecond", Math.round(traffic.megabytesPerSecond() * 10) / 10.0);
        return json;
    }

    private static JsonObject latency(Histogram latency, int sampling) {
        JsonObject json = percentiles(latency);
        json.put("oneMessageIn", sampling);
        return json;
    }

    private static JsonObject skew(Arrivals.Skew skew) {
        JsonObject json = percentiles(skew.nanos());
        json.put("oneMessageIn", skew.sampling());
        json.put("incomplete", skew.incomplete());
        return json;
    }

    private static JsonObject percentiles(Histogram histogram) {
        JsonObject json = new JsonObject();
        json.put("recorded", histogram.getTotalCount());
        for (double percentile : PERCENTILES) {
            json.put("p" + percentile + "Nanos", histogram.getValueAtPercentile(percentile));
        }
        json.put("maxNanos", histogram.getMaxValue());
        return json;
    }

    private static JsonArray subscribers(List<SubscriberResult> subscribers) {
        JsonArray list = new JsonArray();
        for (SubscriberResult one : subscribers) {
            JsonObject json = new JsonObject();
            json.put("index", one.index());
            json.put("messages", one.messages());
            json.put("lost", one.lost());
            json.put("duplicated", one.duplicated());
            json.put("reordered", one.reordered());
            json.put("corrupted", one.corrupted());
            json.put("foreign", one.foreign());
            json.put("closed", one.closed());
            list.add(json);
        }
        return list;
    }

    private static JsonArray slow(List<SlowResult> slow) {
        JsonArray list = new JsonArray();
        for (SlowResult one : slow) {
            JsonObject json = new JsonObject();
            json.put("messages", one.messages());
            json.put("missed", one.missed());
            json.put("gaps", one.gaps());
            json.put("untold", one.untold());
            json.put("untrue", one.faults().untrue());
            json.put("duplicated", one.faults().duplicated());
            json.put("reordered", one.faults().reordered());
            json.put("corrupted", one.faults().corrupted());
            json.put("closed", one.closed());
            list.add(json);
        }
        return list;
    }

    private static JsonArray processes(List<ProcessUse> processes) {
        JsonArray list = new JsonArray();
        for (ProcessUse use : processes) {
            JsonObject json = new JsonObject();
            json.put("name", use.name());
            json.put("cpuSeconds", use.cpuNanos() < 0 ? null : use.cpuSeconds());
            json.put("peakResidentBytes", use.peakResidentBytes());
            list.add(json);
        }
        return list;
    }

    private static JsonObject relay(RelayFigures relay) {
        JsonObject json = new JsonObject();
        json.put("gcCount", relay.gcCount());
        json.put("gcMillis", relay.gcMillis());
        json.put("largestLagBytes", relay.largestLagBytes());
        json.put("loopsInUse", relay.loopsInUse());
        json.put("closes", new JsonObject(relay.closes()));
        return json;
    }
}
