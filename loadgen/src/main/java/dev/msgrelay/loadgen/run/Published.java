package dev.msgrelay.loadgen.run;

import com.fasterxml.jackson.annotation.JacksonInject;
import com.fasterxml.jackson.annotation.OptBoolean;
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
 * @param acknowledged messages of the whole run that the relay has acknowledged; 0 where nobody asks for that
 * @param acknowledgedAfter nanoseconds from the time that a message was meant for, at full speed from when the publisher
 *     had it, to its acknowledgement; empty likewise
 */
public record Published(
        Traffic traffic,
        long total,
        Punctuality punctuality,
        long acknowledged,
        Histogram acknowledgedAfter,
        Visits visits) {
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

        private static Visits of(JsonObject process) {
            return new Visits(
                    process.getLong("visits", 0),
                    process.getLong("visitsLate", 0),
                    process.getLong("longestVisitNanos", 0),
                    process.has("visitors") ? SubscriberResult.of(process.getObject("visitors")) : null);
        }

        private Visits and(Visits other) {
            return new Visits(
                    count + other.count,
                    late + other.late,
                    Math.max(longestNanos, other.longestNanos),
                    subscribers == null ? other.subscribers : subscribers.and(other.subscribers));
        }
    }

    /** Without acknowledgements, and nobody came and went. */
    public Published(Traffic traffic, long total, Punctuality punctuality) {
        this(traffic, total, punctuality, 0, Histograms.sparse(), Visits.NONE);
    }

    static Published of(List<JsonObject> processes, Timing timing) {
        List<JsonObject> each = Fleet.all(processes, "publishers");
        return new Published(
                new Traffic(
                        Fleet.sum(each, "messagesMeasured"),
                        Fleet.sum(each, "bytesMeasured"),
                        timing.measured().toNanos()),
                Fleet.sum(each, "messages"),
                new Punctuality(
                        Fleet.sum(processes, "late"),
                        processes.stream()
                                .mapToLong(one -> one.getLong("worstLateNanos", 0))
                                .max()
                                .orElse(0),
                        Fleet.histogram(processes, "lateness"),
                        processes.stream()
                                .map(Published::means)
                                .reduce(Punctuality.Means::and)
                                .orElse(Punctuality.Means.NONE)),
                Fleet.sum(each, "acknowledged"),
                Fleet.histogram(each, "acknowledgedAfter"),
                processes.stream().map(Visits::of).reduce(Visits.NONE, Visits::and));
    }

    private static Punctuality.Means means(JsonObject process) {
        return new Punctuality.Means(
                process.getBoolean("realTime", false),
                process.getBoolean("coresAwake", false),
                process.getString("obstacle", ""));
    }
}
