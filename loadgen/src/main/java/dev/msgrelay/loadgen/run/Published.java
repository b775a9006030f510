package dev.msgrelay.loadgen.run;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.worker.Histograms;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * What the publishers sent.
 *
 * @param traffic within the window
 * @param total messages of the whole run
 * @param punctuality within the window
 */
public record Published(Traffic traffic, long total, Punctuality punctuality) {
    static Published of(List<JsonObject> processes, Timing timing) {
        long messages = 0;
        long bytes = 0;
        long total = 0;
        long late = 0;
        long worst = 0;
        Histogram lateness = Histograms.sparse();
        Punctuality.Means means = null;
        for (JsonObject process : processes) {
            Punctuality.Means its = means(process);
            means = means == null ? its : means.and(its);
            late += process.getLong("late", 0);
            worst = Math.max(worst, process.getLong("worstLateNanos", 0));
            if (process.has("lateness")) {
                lateness.add(Histograms.decode(process.getString("lateness")));
            }
            JsonArray publishers = process.getArray("publishers", new JsonArray());
            for (int i = 0; i < publishers.size(); i++) {
                messages += publishers.getObject(i).getLong("messagesMeasured");
                bytes += publishers.getObject(i).getLong("bytesMeasured");
                total += publishers.getObject(i).getLong("messages");
            }
        }
        return new Published(
                new Traffic(messages, bytes, timing.measured().toNanos()),
                total,
                new Punctuality(late, worst, lateness, means == null ? Punctuality.Means.NONE : means));
    }

    private static Punctuality.Means means(JsonObject process) {
        return new Punctuality.Means(
                process.getBoolean("realTime", false),
                process.getBoolean("coresAwake", false),
                process.getString("obstacle", ""));
    }
}
