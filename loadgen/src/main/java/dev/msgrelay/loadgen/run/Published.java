package dev.msgrelay.loadgen.run;

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
 */
public record Published(Traffic traffic, long total, Punctuality punctuality, long acknowledged, Visits visits) {
    /**
     * The connections that came and went beside the others, within the window.
     *
     * @param late those that came more than 100 ms after they were meant to
     * @param longestNanos the longest one, from connecting to its end
     */
    public record Visits(long count, long late, long longestNanos) {
        public static final Visits NONE = new Visits(0, 0, 0);

        private Visits and(Visits other) {
            return new Visits(count + other.count, late + other.late, Math.max(longestNanos, other.longestNanos));
        }
    }

    /** Without acknowledgements, and nobody came and went. */
    public Published(Traffic traffic, long total, Punctuality punctuality) {
        this(traffic, total, punctuality, 0, Visits.NONE);
    }

    static Published of(List<JsonObject> processes, Timing timing) {
        long late = 0;
        long worst = 0;
        Visits visits = Visits.NONE;
        Histogram lateness = Histograms.sparse();
        Punctuality.Means means = null;
        for (JsonObject process : processes) {
            Punctuality.Means its = means(process);
            means = means == null ? its : means.and(its);
            late += process.getLong("late", 0);
            visits = visits.and(new Visits(
                    process.getLong("visits", 0),
                    process.getLong("visitsLate", 0),
                    process.getLong("longestVisitNanos", 0)));
            worst = Math.max(worst, process.getLong("worstLateNanos", 0));
            if (process.has("lateness")) {
                lateness.add(Histograms.decode(process.getString("lateness")));
            }
        }
        List<JsonObject> each = Fleet.all(processes, "publishers");
        return new Published(
                new Traffic(
                        sum(each, "messagesMeasured"),
                        sum(each, "bytesMeasured"),
                        timing.measured().toNanos()),
                sum(each, "messages"),
                new Punctuality(late, worst, lateness, means == null ? Punctuality.Means.NONE : means),
                sum(each, "acknowledged"),
                visits);
    }

    private static long sum(List<JsonObject> all, String field) {
        return all.stream().mapToLong(one -> one.getLong(field, 0)).sum();
    }

    private static Punctuality.Means means(JsonObject process) {
        return new Punctuality.Means(
                process.getBoolean("realTime", false),
                process.getBoolean("coresAwake", false),
                process.getString("obstacle", ""));
    }
}
