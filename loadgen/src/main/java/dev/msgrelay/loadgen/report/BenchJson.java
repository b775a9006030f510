package dev.msgrelay.loadgen.report;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.bench.CaseResult;
import dev.msgrelay.loadgen.bench.Round;

/** Everything that a benchmark measured, for programs. */
public final class BenchJson {
    private BenchJson() {}

    /** One case with all its runs. */
    public static JsonObject of(CaseResult result, CaseReport report) {
        JsonObject json = new JsonObject();
        json.put("id", report.id());
        json.put("title", report.title());
        json.put("passed", report.passed());
        JsonArray metrics = new JsonArray();
        for (CaseReport.Line line : report.lines()) {
            JsonObject metric = new JsonObject();
            metric.put("name", line.name());
            metric.put("median", line.value());
            metric.put("asked", line.sign() + " " + line.limit());
            metric.put("met", line.met());
            metrics.add(metric);
        }
        json.put("metrics", metrics);
        json.put("note", report.note());
        json.put("tries", BenchTable.json(result.tries()));
        JsonArray rounds = new JsonArray();
        for (Round round : result.rounds()) {
            JsonObject one = new JsonObject();
            one.put("steady", round.isSteady());
            one.put("samples", BenchTable.json(round.samples()));
            rounds.add(one);
        }
        json.put("rounds", rounds);
        return json;
    }
}
