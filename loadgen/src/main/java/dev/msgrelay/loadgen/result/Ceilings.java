package dev.msgrelay.loadgen.result;

/**
 * The most that a lane could give to one cell, in one direction, all connections that share it together.
 *
 * @param source where it is from: {@link #LINK}, or which calibration
 * @param batched messages back to back
 * @param single every message in a segment of its own; null where that was not looked at
 */
public record Ceilings(String source, Rate batched, Rate single) {
    /** Computed from speed, MTU and headers. */
    public static final String LINK = "link arithmetic";

    /** Publisher and subscriber without anything between them. */
    public static final String DIRECT = "calibrate: direct";

    /** A middle that only copies bytes. */
    public static final String PLAIN_RELAY = "calibrate: plain relay";

    /**
     * @param bytesPerSecond of payload: bodies and frame headers
     */
    public record Rate(double messagesPerSecond, double bytesPerSecond) {}

    /** The part of the batched ceiling that this traffic is, all its connections together. */
    public double fraction(Flow flow) {
        return flow.bytesPerSecond() / batched.bytesPerSecond();
    }
}
