package dev.msgrelay.loadgen.lab;

import dev.msgrelay.loadgen.result.Regime;

/**
 * What the machine was like during a round.
 *
 * @param hopBefore core to core, in nanoseconds
 * @param hopAfter NaN where the round was broken off
 */
public record RoundResult(double hopBefore, double hopAfter) {
    public boolean isComplete() {
        return !Double.isNaN(hopAfter);
    }

    /** Whether the machine stayed the same. */
    public boolean isSteady() {
        return isComplete() && Regime.of(hopBefore, hopAfter).isSteady();
    }
}
