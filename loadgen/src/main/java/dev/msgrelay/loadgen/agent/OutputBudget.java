package dev.msgrelay.loadgen.agent;

/**
 * How much a process may say: a bucket of bytes that refills evenly. A worker says a line a second and a result; one
 * that floods is out of order and would bury its controller. Thread-safe; time is passed in.
 */
final class OutputBudget {
    /** A result with the histograms of some hundred subscribers is a few megabytes. */
    static final long BURST = 32L << 20;

    static final long PER_SECOND = 1L << 20;

    private static final double SECOND_NANOS = 1e9;

    private final double burst;
    private final double perNano;
    private double left;
    private long last;

    OutputBudget(long burst, long perSecond, long now) {
        this.burst = burst;
        this.perNano = perSecond / SECOND_NANOS;
        this.left = burst;
        this.last = now;
    }

    /** Takes so many bytes; false when there are not so many left, and then always. */
    synchronized boolean take(int bytes, long now) {
        if (left < 0) {
            return false;
        }
        left = Math.min(burst, left + (now - last) * perNano) - bytes;
        last = now;
        return left >= 0;
    }
}
