package dev.msgrelay.loadgen.run;

import com.grack.nanojson.JsonObject;

/**
 * What one subscriber got.
 *
 * @param messages within the window
 * @param faults over the whole run
 * @param closed why the relay's side ended before the run did, or null
 * @param closeReason the code of the relay's ERROR frame ({@link dev.msgrelay.protocol.CloseReason}), or 0
 */
public record SubscriberResult(int index, long messages, Faults faults, String closed, int closeReason) {
    /**
     * What was wrong with the messages.
     *
     * @param lost numbers that never came, and of these
     * @param tail those after the last message that came
     * @param duplicated numbers that came again
     * @param reordered numbers that came after a higher one
     * @param corrupted messages whose body is not what was sent
     * @param foreign messages that no publisher of this run sent; a fault only where nobody else may publish
     */
    public record Faults(long lost, long tail, long duplicated, long reordered, long corrupted, long foreign) {
        public static final Faults NONE = new Faults(0, 0, 0, 0, 0, 0);
    }

    static SubscriberResult of(JsonObject json) {
        return new SubscriberResult(
                json.getInt("index"),
                json.getLong("messages"),
                new Faults(
                        json.getLong("lost", 0),
                        json.getLong("tail", 0),
                        json.getLong("duplicated", 0),
                        json.getLong("reordered", 0),
                        json.getLong("corrupted", 0),
                        json.getLong("foreign", 0)),
                json.getString("closed", null),
                json.getInt("closeReason", 0));
    }

    public long lost() {
        return faults.lost();
    }

    public long tail() {
        return faults.tail();
    }

    public long duplicated() {
        return faults.duplicated();
    }

    public long reordered() {
        return faults.reordered();
    }

    public long corrupted() {
        return faults.corrupted();
    }

    public long foreign() {
        return faults.foreign();
    }
}
