package dev.msgrelay.loadgen.result;

import java.util.List;

/**
 * What the run took, and what it was bound by.
 *
 * @param processes the middle first
 * @param boundBy null when nothing was looked at
 */
public record Resources(List<ProcessRecord> processes, BoundBy boundBy) {
    public Resources {
        processes = List.copyOf(processes);
    }

    /** CPU of all processes in the measured part, or NaN where one of them did not tell. */
    public double cpuSeconds() {
        return processes.stream()
                .mapToDouble(process -> process.cpuSeconds() < 0 ? Double.NaN : process.cpuSeconds())
                .sum();
    }

    /**
     * @param cpuSeconds in the measured part; NaN, or in older files negative, where the system does not tell
     * @param peakResidentBytes since its start, or -1 where the system does not tell
     * @param site which machine it was on
     */
    public record ProcessRecord(String name, double cpuSeconds, long peakResidentBytes, String site) {}

    /**
     * What kept the run from being faster.
     *
     * @param kind "link", "relay CPU", "publisher", "subscriber", "ring", ...
     * @param reasons the numbers that say so, one line each
     */
    public record BoundBy(String kind, List<String> reasons) {
        public BoundBy {
            reasons = List.copyOf(reasons);
        }
    }
}
