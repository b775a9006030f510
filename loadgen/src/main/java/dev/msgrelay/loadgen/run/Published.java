package dev.msgrelay.loadgen.run;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.worker.Histograms;
import java.util.List;
import java.util.concurrent.TimeUnit;
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
        Histogram lateness = new Histogram(TimeUnit.SECONDS.toNanos(100), 3);
        for (JsonObject process : processes) {
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
                new Punctuality(late, worst, Histograms.fitted(lateness)));
    }
}
