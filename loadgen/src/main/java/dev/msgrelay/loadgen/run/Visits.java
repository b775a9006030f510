package dev.msgrelay.loadgen.run;

import com.fasterxml.jackson.annotation.JacksonInject;
import com.fasterxml.jackson.annotation.OptBoolean;
import com.grack.nanojson.JsonObject;

/**
 * The connections that came and went beside the others, within the window.
 *
 * @param late those that came more than 100 ms after they were meant to
 * @param longestNanos the longest one, or of a storm until all had left, from connecting to its end
 * @param subscribers what those of them got that subscribed, over the whole run; null where nobody did, and in older
 *     results; a loss that was told is none
 */
public record Visits(
        long count,
        long late,
        long longestNanos,

        @JacksonInject(value = "visiting", useInput = OptBoolean.TRUE, optional = OptBoolean.TRUE)
        SubscriberResult subscribers) {
    public static final Visits NONE = new Visits(0, 0, 0, null);

    static Visits of(JsonObject process) {
        return new Visits(
                process.getLong("visits", 0),
                process.getLong("visitsLate", 0),
                process.getLong("longestVisitNanos", 0),
                process.has("visitors") ? SubscriberResult.of(process.getObject("visitors")) : null);
    }

    Visits and(Visits other) {
        return new Visits(
                count + other.count,
                late + other.late,
                Math.max(longestNanos, other.longestNanos),
                subscribers == null ? other.subscribers : subscribers.and(other.subscribers));
    }
}
