package dev.msgrelay.loadgen.run;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import java.util.ArrayList;
import java.util.List;

/**
 * What became of a subscriber that read too slowly on purpose.
 *
 * @param messages that it got
 * @param missed messages that the relay told it that it does not get, in so many
 * @param gaps receipts
 * @param untold messages that it missed without having been told
 * @param faults in what it got
 * @param closed why the relay's side ended before the run did, or null
 * @param closeReason the code of the relay's ERROR frame, or 0
 */
public record SlowResult(
        long messages, long missed, long gaps, long untold, Faults faults, String closed, int closeReason) {
    /**
     * What must not be.
     *
     * @param untrue how often the relay told it that the stream stands where it does not
     */
    public record Faults(long duplicated, long reordered, long corrupted, long untrue) {
        public static final Faults NONE = new Faults(0, 0, 0, 0);
    }

    static List<SlowResult> of(JsonObject process) {
        List<SlowResult> results = new ArrayList<>();
        JsonArray list = process.getArray("slow");
        for (int i = 0; i < list.size(); i++) {
            JsonObject one = list.getObject(i);
            results.add(new SlowResult(
                    one.getLong("messages"),
                    one.getLong("missed"),
                    one.getLong("gaps"),
                    one.getLong("untold"),
                    new Faults(
                            one.getLong("duplicated"),
                            one.getLong("reordered"),
                            one.getLong("corrupted"),
                            one.getLong("untrue")),
                    one.getString("closed", null),
                    one.getInt("closeReason")));
        }
        return results;
    }
}
