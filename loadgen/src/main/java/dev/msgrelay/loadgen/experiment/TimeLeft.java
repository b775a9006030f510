package dev.msgrelay.loadgen.experiment;

import java.time.Duration;

/** Estimates the time left: the planned time, corrected by how long earlier runs took. Used by one thread. */
public final class TimeLeft {
    private long plannedLeft;
    private long plannedDone;
    private long spent;

    void planned(Duration more) {
        plannedLeft += more.toNanos();
    }

    void completed(Duration planned, long nanos) {
        plannedLeft -= planned.toNanos();
        plannedDone += planned.toNanos();
        spent += nanos;
    }

    String text() {
        double factor = plannedDone == 0 ? 1 : (double) spent / plannedDone;
        Duration left = Duration.ofNanos(Math.round(plannedLeft * factor));
        return plannedLeft <= 0 ? "" : ", about " + text(left) + " left";
    }

    /** Formats a duration as "40 s" up to two minutes, and as "3 min" above. */
    public static String text(Duration duration) {
        long seconds = Math.max(1, duration.toSeconds());
        return seconds <= 120 ? seconds + " s" : (seconds + 30) / 60 + " min";
    }
}
