package dev.msgrelay.loadgen.compare;

/**
 * What a value is believed to be.
 *
 * @param low the value is from here
 * @param high to here, at the confidence that was asked for or a little more
 */
public record Estimate(double value, double low, double high) {
    /** Whether the interval has this value in it. */
    public boolean includes(double other) {
        return low <= other && other <= high;
    }
}
