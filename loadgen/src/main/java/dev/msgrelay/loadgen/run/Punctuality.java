package dev.msgrelay.loadgen.run;

import org.HdrHistogram.Histogram;

/**
 * How well the publishers kept their schedule; at a fixed rate only.
 *
 * @param late messages that left more than a millisecond after their intended time
 * @param worstNanos how much the latest of them was behind
 * @param lateness how long after its intended time each message left, in nanoseconds
 * @param means what the system gave them for it
 */
public record Punctuality(long late, long worstNanos, Histogram lateness, Means means) {
    public static final Punctuality NONE = new Punctuality(0, 0, new Histogram(1), Means.NONE);

    /**
     * What publishers had beside their turn; of several processes, what all of them had.
     *
     * @param realTime they ran before all that has no real-time priority
     * @param coresAwake no core fell asleep meanwhile
     * @param obstacle why not; empty where they had both, or did not ask
     */
    public record Means(boolean realTime, boolean coresAwake, String obstacle) {
        public static final Means NONE = new Means(false, false, "");

        /** For people, in one line. */
        public String text() {
            String text =
                    (realTime ? "real-time priority" : "usual priority") + (coresAwake ? ", cores kept awake" : "");
            return obstacle.isEmpty() ? text : text + " (" + obstacle + ")";
        }

        Means and(Means other) {
            return new Means(
                    realTime && other.realTime,
                    coresAwake && other.coresAwake,
                    obstacle.isEmpty() ? other.obstacle : obstacle);
        }
    }

    /** Messages that had a time to keep. */
    public long scheduled() {
        return lateness.getTotalCount();
    }

    /** The share of late messages, 0 to 1. */
    public double lateShare() {
        return scheduled() == 0 ? 0 : (double) late / scheduled();
    }
}
