package dev.msgrelay.loadgen.bound;

/**
 * What passed within the window, against what was wanted.
 *
 * @param wanted messages a second of all publishers together; 0: as fast as it goes
 * @param in messages a second that left the publishers; NaN where nobody counts them
 * @param out messages a second that the subscribers got, on average
 * @param late share of the messages that left more than a millisecond after their time, 0..1
 * @param seconds length of the window
 */
public record Rates(double wanted, double in, double out, double late, double seconds) {
    /** The share of messages of a fixed rate that may leave more than a millisecond late. */
    public static final double MAX_LATE_SHARE = 0.001;

    /** Of the wanted messages, so many may be missing. */
    private static final double TOLERANCE = 0.01;

    /** Messages that cross the window's edges because a thread got its core a moment later. */
    private static final double EDGE_SECONDS = 0.02;

    /** Whether the publishers had a schedule, and all of it left and arrived. */
    public boolean kept() {
        double enough = wanted * (1 - Math.max(TOLERANCE, EDGE_SECONDS / seconds));
        return wanted > 0 && in >= enough && out >= enough;
    }
}
