package dev.msgrelay.loadgen.run;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import java.util.List;

/**
 * What the publishers sent.
 *
 * @param traffic within the window
 * @param total messages of the whole run
 * @param late messages that left more than a millisecond after their intended time; at a fixed rate only
 * @param worstLateNanos how much the latest of them was behind
 */
public record Published(Traffic traffic, long total, long late, long worstLateNanos) {
    static Published of(List<JsonObject> processes, Timing timing) {
        long messages = 0;
        long bytes = 0;
        long total = 0;
        long late = 0;
        long worst = 0;
        for (JsonObject process : processes) {
            late += process.getLong("late", 0);
            worst = Math.max(worst, process.getLong("worstLateNanos", 0));
            JsonArray publishers = process.getArray("publishers", new JsonArray());
            for (int i = 0; i < publishers.size(); i++) {
                messages += publishers.getObject(i).getLong("messagesMeasured");
                bytes += publishers.getObject(i).getLong("bytesMeasured");
                total += publishers.getObject(i).getLong("messages");
            }
        }
        return new Published(new Traffic(messages, bytes, timing.measured().toNanos()), total, late, worst);
    }
}
