package dev.msgrelay.loadgen.bench;

import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.Middle;
import dev.msgrelay.loadgen.run.Timing;

/**
 * One thing that is measured.
 *
 * @param name short, unique within its case
 */
public record Contender(String name, Middle middle, Load load, Timing timing) {
    /** Starting and ending processes, and the hops before and after. */
    private static final long OVERHEAD_MILLIS = 2_500;

    /** How long one run of it takes, about. */
    long estimatedMillis() {
        return timing.warmup().toMillis() + timing.measured().toMillis() + OVERHEAD_MILLIS;
    }
}
