package dev.msgrelay.loadgen.run;

import com.grack.nanojson.JsonObject;

/**
 * What one subscriber got.
 *
 * @param messages within the window
 * @param lost numbers that never came, over the whole run, and of these
 * @param tail those after the last message that came
 * @param closed why the relay's side ended before the run did, or null
 * @param closeReason the code of the relay's ERROR frame ({@link dev.msgrelay.protocol.CloseReason}), or 0
 */
public record SubscriberResult(
        int index,
        long messages,
        long lost,
        long tail,
        long duplicated,
        long reordered,
        long foreign,
        String closed,
        int closeReason) {

    static SubscriberResult of(JsonObject json) {
        return new SubscriberResult(
                json.getInt("index"),
                json.getLong("messages"),
                json.getLong("lost", 0),
                json.getLong("tail", 0),
                json.getLong("duplicated", 0),
                json.getLong("reordered", 0),
                json.getLong("foreign", 0),
                json.getString("closed", null),
                json.getInt("closeReason", 0));
    }
}
