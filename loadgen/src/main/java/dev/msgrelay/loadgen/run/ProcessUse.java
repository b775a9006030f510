package dev.msgrelay.loadgen.run;

/**
 * What one process used.
 *
 * @param cpuNanos within the window, in steps of 10 ms, or -1 where the system does not tell
 * @param peakResidentBytes since its start, or -1 where the system does not tell
 */
public record ProcessUse(String name, long cpuNanos, long peakResidentBytes) {
    private static final double SECOND_NANOS = 1e9;

    /** Within the window; NaN where the system does not tell. */
    public double cpuSeconds() {
        return cpuNanos < 0 ? Double.NaN : cpuNanos / SECOND_NANOS;
    }
}
