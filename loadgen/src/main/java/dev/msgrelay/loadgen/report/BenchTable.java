package dev.msgrelay.loadgen.report;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.bench.Sample;
import java.util.List;

/** The benchmark's lines for people, and its raw figures for programs. */
public final class BenchTable {
    private BenchTable() {}

    /** One line a metric; the first one carries the case's title and rates. */
    public static String lines(CaseReport report) {
        StringBuilder text = new StringBuilder();
        String title = report.title();
        for (CaseReport.Line line : report.lines()) {
            text.append(Units.format(
                    "%-52s %8s %-28s %s %-7s %s%n",
                    title,
                    value(line.value()),
                    line.name(),
                    line.sign(),
                    value(line.limit()),
                    line.met() ? "pass" : "SHORT"));
            title = "";
        }
        text.append(Units.format("    %s%n", report.note()));
        for (String failure : report.failures()) {
            text.append("    FAIL ").append(failure).append('\n');
        }
        return text.toString();
    }

    /** The sizes that were tried for one ceiling, the best one marked. */
    public static String ceiling(String title, List<Sample> samples) {
        double best = best(samples);
        StringBuilder text = new StringBuilder(title).append('\n');
        for (Sample sample : samples) {
            text.append(Units.format(
                    "  %-24s %10s msg/s %9.1f MB/s   hop %.0f / %.0f ns%s%n",
                    sample.contender().middle().name(),
                    Units.count(sample.rate()),
                    sample.result().received().traffic().megabytesPerSecond(),
                    sample.hopBefore(),
                    sample.hopAfter(),
                    sample.rate() == best ? "   <- best" : ""));
        }
        return text.toString();
    }

    /** A result beside its ceiling. */
    public static String fraction(double deliveriesPerSecond, String name, List<Sample> samples) {
        return Units.format("  this run: %.2f of %s", deliveriesPerSecond / best(samples), name);
    }

    /** The core-to-core hops before and after a run. */
    public static String hops(double[] nanos) {
        return Units.format("  core-to-core hop: %.0f ns before, %.0f ns after", nanos[0], nanos[1]);
    }

    static double best(List<Sample> samples) {
        return samples.stream().mapToDouble(Sample::rate).max().orElseThrow();
    }

    public static JsonArray json(List<Sample> samples) {
        JsonArray list = new JsonArray();
        samples.forEach(sample -> list.add(json(sample)));
        return list;
    }

    private static JsonObject json(Sample sample) {
        JsonObject json = new JsonObject();
        json.put("name", sample.contender().name());
        json.put("messagesPerSecond", Math.round(sample.rate()));
        json.put("coreHopNanos", JsonArray.from(sample.hopBefore(), sample.hopAfter()));
        json.put("failures", new JsonArray(sample.failures()));
        json.put("result", RunJson.result(sample.result()));
        return json;
    }

    private static String value(double value) {
        return value == Math.rint(value) ? Units.format("%.0f", value) : Units.format("%.3f", value);
    }
}
