package dev.msgrelay.loadgen.lab;

import java.util.List;

/**
 * What a contestant gave.
 *
 * @param measurements one a round, as far as it got; empty where it failed
 * @param failure why it is FAILED; null where it is not
 */
public record RowResult(String name, String setting, String label, List<Measurement> measurements, String failure) {
    public RowResult {
        measurements = List.copyOf(measurements);
    }

    public boolean failed() {
        return failure != null;
    }

    /** The value of one round, from 0; NaN where there is none. */
    double value(Column column, int round) {
        return round < measurements.size() ? measurements.get(round).value(column) : Double.NaN;
    }
}
