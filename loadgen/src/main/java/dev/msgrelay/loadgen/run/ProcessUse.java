package dev.msgrelay.loadgen.run;

/**
 * What one process used.
 *
 * @param cpuSeconds within the window, in steps of 10 ms; NaN where the system does not tell
 * @param peakResidentBytes since its start, or -1 where the system does not tell
 * @param site which machine it was on
 */
public record ProcessUse(String name, double cpuSeconds, long peakResidentBytes, String site) {
    /** What processes at the relay's side have for a site. */
    public static final String HERE = "here";

    private static final double SECOND_NANOS = 1e9;

    /** @param cpuNanos -1 where the system does not tell */
    public static ProcessUse of(String name, long cpuNanos, long peakResidentBytes, String site) {
        return new ProcessUse(name, cpuNanos < 0 ? Double.NaN : cpuNanos / SECOND_NANOS, peakResidentBytes, site);
    }
}
