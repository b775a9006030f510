package dev.msgrelay.loadgen.shootout;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** How much time is left: what was planned, corrected by how long it really took so far. One thread owns it. */
final class Pace {
    private long plannedLeft;
    private long plannedDone;
    private long spent;

    /** @param plannedMillis of all that lies ahead */
    Pace(long plannedMillis) {
        this.plannedLeft = plannedMillis;
    }

    /** Something was done. */
    void done(long plannedMillis, long nanos) {
        plannedLeft -= plannedMillis;
        plannedDone += plannedMillis;
        spent += TimeUnit.NANOSECONDS.toMillis(nanos);
    }

    /** Something will not be done. */
    void dropped(long plannedMillis) {
        plannedLeft -= plannedMillis;
    }

    Duration left() {
        double factor = plannedDone == 0 ? 1 : (double) spent / plannedDone;
        return Duration.ofMillis(Math.round(Math.max(0, plannedLeft) * factor));
    }

    /** "about 3 min left", "about 40 s left". */
    String text() {
        return "about " + text(left()) + " left";
    }

    /** "40 s" up to two minutes, then "3 min". */
    static String text(Duration duration) {
        long seconds = Math.max(1, duration.toSeconds());
        return seconds <= 120 ? seconds + " s" : (seconds + 30) / 60 + " min";
    }
}
