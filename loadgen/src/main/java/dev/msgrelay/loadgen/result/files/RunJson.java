package dev.msgrelay.loadgen.result.files;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.result.Correctness;
import dev.msgrelay.loadgen.result.Correctness.SubscriberRecord;
import dev.msgrelay.loadgen.result.Delays;
import dev.msgrelay.loadgen.result.Flow;
import dev.msgrelay.loadgen.result.Resources;
import dev.msgrelay.loadgen.result.Resources.ProcessRecord;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.Throughput;
import dev.msgrelay.loadgen.result.TimelinePoint;
import dev.msgrelay.loadgen.worker.Histograms;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/** A run as JSON. */
final class RunJson {
    private RunJson() {}

    static JsonObject of(RunRecord run) {
        JsonObject json = new JsonObject();
        json.put("round", run.moment().round());
        json.put("started", run.moment().started());
        json.put("warmupNanos", run.moment().warmupNanos());
        json.put("measuredNanos", run.moment().measuredNanos());
        json.put("partial", run.outcome().partial());
        json.put("failures", new JsonArray(run.outcome().failures()));
        json.put("marks", new JsonArray(run.outcome().marks()));
        json.put("hopBeforeNanos", ShootoutJson.number(run.hops().beforeNanos()));
        json.put("hopAfterNanos", ShootoutJson.number(run.hops().afterNanos()));
        json.put("regime", run.hops().regime().toString());
        throughput(json, run.throughput());
        json.put("oneMessageIn", run.delays().oneMessageIn());
        json.put("latency", histogram(run.delays().latency()));
        json.put("skew", histogram(run.delays().skew()));
        correctness(json, run.correctness());
        resources(json, run.resources());
        json.put("timeline", timeline(run.throughput().timeline()));
        return json;
    }

    private static void throughput(JsonObject json, Throughput throughput) {
        json.put("in", throughput.in() == null ? null : flow(throughput.in()));
        json.put("out", flow(throughput.out()));
        json.put("ingressFraction", ShootoutJson.number(throughput.ingressFraction()));
        json.put("egressFraction", ShootoutJson.number(throughput.egressFraction()));
    }

    private static JsonObject flow(Flow flow) {
        JsonObject json = new JsonObject();
        json.put("messages", flow.messages());
        json.put("bytes", flow.bytes());
        json.put("nanos", flow.nanos());
        json.put("messagesPerSecond", flow.messagesPerSecond());
        json.put("bytesPerSecond", flow.bytesPerSecond());
        return json;
    }

    private static JsonObject histogram(Histogram histogram) {
        if (histogram == null) {
            return null;
        }
        JsonObject json = new JsonObject();
        json.put("recorded", histogram.getTotalCount());
        for (double percentile : Delays.PERCENTILES) {
            json.put("p" + name(percentile) + "Nanos", histogram.getValueAtPercentile(percentile));
        }
        json.put("maxNanos", histogram.getMaxValue());
        json.put("histogram", Histograms.encode(histogram));
        return json;
    }

    /** "50", "99.9". */
    static String name(double percentile) {
        return percentile == Math.rint(percentile) ? "" + (int) percentile : "" + percentile;
    }

    private static void correctness(JsonObject json, Correctness correctness) {
        json.put("checked", correctness.checked());
        json.put("perSubscriber", ShootoutJson.array(correctness.subscribers(), RunJson::subscriber));
        JsonObject schedule = new JsonObject();
        schedule.put("scheduled", correctness.schedule().scheduled());
        schedule.put("late", correctness.schedule().late());
        schedule.put("worstLateNanos", correctness.schedule().worstLateNanos());
        schedule.put("means", correctness.schedule().means());
        json.put("schedule", schedule);
    }

    private static JsonObject subscriber(SubscriberRecord one) {
        JsonObject json = new JsonObject();
        json.put("index", one.index());
        json.put("messages", one.messages());
        json.put("lost", one.lost());
        json.put("tail", one.tail());
        json.put("duplicated", one.duplicated());
        json.put("reordered", one.reordered());
        json.put("corrupted", one.corrupted());
        json.put("closed", one.closed());
        return json;
    }

    private static void resources(JsonObject json, Resources resources) {
        json.put("processes", ShootoutJson.array(resources.processes(), RunJson::process));
        if (resources.boundBy() == null) {
            json.put("boundBy", null);
            return;
        }
        JsonObject boundBy = new JsonObject();
        boundBy.put("kind", resources.boundBy().kind());
        boundBy.put("reasons", new JsonArray(resources.boundBy().reasons()));
        json.put("boundBy", boundBy);
    }

    private static JsonObject process(ProcessRecord process) {
        JsonObject json = new JsonObject();
        json.put("name", process.name());
        json.put("cpuSeconds", ShootoutJson.number(process.cpuSeconds()));
        json.put("peakResidentBytes", process.peakResidentBytes());
        json.put("site", process.site());
        return json;
    }

    /** A column each: shorter than an object a point. */
    private static JsonObject timeline(List<TimelinePoint> points) {
        JsonObject json = new JsonObject();
        json.put("nanos", column(points, TimelinePoint::nanos));
        json.put("in", column(points, point -> ShootoutJson.number(point.in())));
        json.put("out", column(points, point -> ShootoutJson.number(point.out())));
        json.put("bytesIn", column(points, point -> ShootoutJson.number(point.bytesIn())));
        json.put("bytesOut", column(points, point -> ShootoutJson.number(point.bytesOut())));
        json.put("lagBytes", column(points, TimelinePoint::lagBytes));
        return json;
    }

    private static Collection<Object> column(List<TimelinePoint> points, Function<TimelinePoint, Object> value) {
        return ShootoutJson.array(points, value);
    }
}
