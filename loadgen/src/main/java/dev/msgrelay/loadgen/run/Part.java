package dev.msgrelay.loadgen.run;

/**
 * One part of what {@code run} does: at full speed, or at a rate.
 *
 * @param started ISO 8601, in UTC
 * @param hopBefore nanoseconds from core to core right before it; NaN where there is one core
 * @param hopAfter right after it
 */
public record Part(String started, RunResult result, double hopBefore, double hopAfter, Judgement judgement) {
    /** Whether messages had their times: what was measured is latency, else speed. */
    public boolean isPaced() {
        return result.load().rate() > 0;
    }
}
