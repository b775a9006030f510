package dev.msgrelay.loadgen.bench;

import dev.msgrelay.loadgen.result.Regime;
import java.util.List;
import java.util.stream.DoubleStream;

/**
 * One go through all contenders of a case, one right after the other, so that they met the same machine.
 *
 * @param samples ours and the ceilings, in the order in which they ran
 */
public record Round(List<Sample> samples) {
    /** The sample of the contender with this name. */
    Sample of(String name) {
        return samples.stream()
                .filter(sample -> sample.contender().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** The best of the samples whose names start with {@code prefix}; NaN where there is none. */
    double best(String prefix) {
        return samples.stream()
                .filter(sample -> sample.contender().name().startsWith(prefix))
                .mapToDouble(Sample::rate)
                .max()
                .orElse(Double.NaN);
    }

    /** Whether the machine stayed the same from the first to the last sample. */
    public boolean isSteady() {
        return regime().isSteady();
    }

    /** Whether somebody else wanted the cores: a hop then waits for the scheduler. */
    public boolean isDisturbed() {
        return regime() == Regime.DISTURBED;
    }

    private Regime regime() {
        return Regime.of(hops().min().orElseThrow(), hops().max().orElseThrow());
    }

    /** All core-to-core hops that were measured, in nanoseconds. */
    public DoubleStream hops() {
        return samples.stream().flatMapToDouble(sample -> DoubleStream.of(sample.hopBefore(), sample.hopAfter()));
    }
}
